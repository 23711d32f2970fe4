const SLICES = 5
const SLICE_SECONDS = 0.4

/**
 * How often a second `work` runs: the best of a few slices after a warm-up, as a shared machine only ever slows it. What
 * takes longer than all the slices is run once.
 */
export function rate(work: () => void): number {
  const first = runFor(work, SLICE_SECONDS)
  if (first < 1 / (SLICES * SLICE_SECONDS)) return first
  return Math.max(...Array.from({ length: SLICES }, () => runFor(work, SLICE_SECONDS)))
}

function runFor(work: () => void, seconds: number): number {
  const start = performance.now()
  let runs = 0
  let elapsed = 0
  do {
    work()
    runs++
    elapsed = (performance.now() - start) / 1000
  } while (elapsed < seconds)
  return runs / elapsed
}

export interface Result {
  readonly what: string
  readonly perSecond: number
  /** What there were so many of in a second. */
  readonly unit: string
  readonly bound: { readonly name: string; readonly perSecond: number }
  /** So many a second that are aimed at. */
  readonly goal?: number
  readonly notes?: readonly string[]
}

/** One line for each thing measured: rate, ratio to a bound of the same run, and the goal beside it. */
export function report({ what, perSecond, unit, bound, goal, notes = [] }: Result): void {
  const ratio = (perSecond / bound.perSecond).toFixed(2)
  const parts = [`ratio ${ratio} to ${bound.name} (${count(bound.perSecond)}/s)`]
  if (goal !== undefined) parts.push(`goal ${count(goal)}/s`)
  process.stdout.write(`${what}: ${count(perSecond)} ${unit}/s, ${[...parts, ...notes].join(', ')}\n`)
}

/** 1,234 */
function count(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}
