import type { Command } from '../command.ts'
import { parseArguments } from '../usage.ts'

const LABEL_WIDTH = 10

export const tryOut: Command = {
  name: 'try',
  usage: 'try',
  summary: 'creates an invoice on a simulated network, pays it, and shows the webhook arriving; keeps nothing',
  arguments: [],
  example: 'try',
  async run(args, { out, tryOut: sell }) {
    parseArguments(args, [], 0)
    if (!sell) throw new Error('the sandbox is not installed')
    const steps: { step: string; text: string }[] = []
    await sell((step, text) => {
      if (out.json) steps.push({ step, text })
      else out.result(null, [`${step.padEnd(LABEL_WIDTH)}${text}`])
    })
    if (out.json) out.result(steps, [])
    return 0
  },
}
