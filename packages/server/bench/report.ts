export interface Result {
  /** The operation, and the database where it matters. */
  readonly what: string
  readonly perSecond: number
  /** The counted items, in the plural. */
  readonly unit: string
  readonly bound: { readonly name: string; readonly perSecond: number }
  /** The minimum ratio to the bound to aim for. */
  readonly goal?: number
  readonly notes?: readonly string[]
}

/** Prints one line: the rate, its ratio to a bound measured in the same run, and the goal. */
export function report({ what, perSecond, unit, bound, goal, notes = [] }: Result): void {
  const ratio = (perSecond / bound.perSecond).toFixed(2)
  const parts = [`ratio ${ratio} to ${bound.name} (${count(bound.perSecond)}/s)`]
  if (goal !== undefined) parts.push(`goal ${goal.toFixed(2)}`)
  printLine(`${what}: ${count(perSecond)} ${unit}/s, ${[...parts, ...notes].join(', ')}`)
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** 1,234 */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}
