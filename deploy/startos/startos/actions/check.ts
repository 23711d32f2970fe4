import { runCommand } from '../container.ts'
import { sdk } from '../sdk.ts'

export const check = sdk.Action.withoutInput(
  'check',
  {
    name: 'Check',
    description: 'Runs zatgate doctor: settings, database, chain servers and clock, with advice.',
    warning: null,
    allowedStatuses: 'any',
    group: null,
    visibility: 'enabled',
  },
  async ({ effects }) => {
    const { exitCode, stdout, stderr } = await runCommand(effects, ['doctor'])
    return {
      version: '1',
      title: exitCode === 0 ? 'Nothing is wrong' : 'Something is wrong',
      message: null,
      result: { type: 'single', value: stdout || stderr, masked: false, copyable: true, qr: false },
    }
  },
)
