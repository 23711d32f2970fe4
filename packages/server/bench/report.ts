export interface Result {
  /** What was done, and on what. */
  readonly what: string
  readonly perSecond: number
  /** What there were so many of in a second. */
  readonly unit: string
  readonly bound: { readonly name: string; readonly perSecond: number }
  /** The least ratio to the bound that is aimed at. */
  readonly goal?: number
  readonly notes?: readonly string[]
}

/** One line for each thing measured: rate, ratio to a bound of the same run, and the goal beside it. */
export function report({ what, perSecond, unit, bound, goal, notes = [] }: Result): void {
  const ratio = (perSecond / bound.perSecond).toFixed(2)
  const parts = [`ratio ${ratio} to ${bound.name} (${count(bound.perSecond)}/s)`]
  if (goal !== undefined) parts.push(`goal ${goal.toFixed(2)}`)
  say(`${what}: ${count(perSecond)} ${unit}/s, ${[...parts, ...notes].join(', ')}`)
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** 1,234 */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}
