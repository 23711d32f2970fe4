import { runCommand } from '../container.ts'
import { sdk } from '../sdk.ts'

const { InputSpec, Value } = sdk

export const createAccount = sdk.Action.withInput(
  'create-account',
  {
    name: 'Create Account',
    description: 'Opens an account for an email address. Only such accounts can sign in.',
    warning: null,
    allowedStatuses: 'only-running',
    group: null,
    visibility: 'enabled',
  },
  InputSpec.of({
    email: Value.text({
      name: 'Email',
      description: 'The address to sign in with. Without a mail server, its codes stay on this server.',
      required: true,
      default: null,
      placeholder: 'shop@example.com',
      inputmode: 'email',
      patterns: [sdk.patterns.email],
      maxLength: 254,
    }),
  }),
  async () => null,
  async ({ effects, input }) => {
    const { exitCode, stdout, stderr } = await runCommand(effects, ['account', 'create', input.email])
    if (exitCode !== 0) throw new Error(stderr)
    return {
      version: '1',
      title: stdout,
      message: 'Open the web pages, enter this email, and then the code. The action “Show Mails” shows the code.',
      result: null,
    }
  },
)
