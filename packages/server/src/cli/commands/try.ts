import type { Context } from '../context.ts'

const LABEL_WIDTH = 10

export async function tryOut({ out, tryOut: sell }: Context): Promise<void> {
  if (!sell) throw new Error('the sandbox is not installed')
  const steps: { step: string; text: string }[] = []
  await sell((step, text) => {
    if (out.json) steps.push({ step, text })
    else out.result(null, [`${step.padEnd(LABEL_WIDTH)}${text}`])
  })
  if (out.json) out.result(steps, [])
}
