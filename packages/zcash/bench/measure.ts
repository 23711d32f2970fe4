const SLICES = 5
const SLICE_SECONDS = 0.4

/**
 * Runs of `work` per second: the best of several slices after a warm-up, since other load on the machine only slows it
 * down. Work that takes longer than all slices together runs once.
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
  /** The counted items, in the plural. */
  readonly unit: string
  readonly bound: { readonly name: string; readonly perSecond: number }
  /** The ratio to aim for. */
  readonly goalRatio?: number
}

/** Prints one line: the rate, its ratio to a bound measured in the same run, and the goal. */
export function report({ what, perSecond, unit, bound, goalRatio }: Result): void {
  const ratio = (perSecond / bound.perSecond).toFixed(2)
  const goal = goalRatio === undefined ? '' : `, goal ${goalRatio}`
  say(`${what}: ${count(perSecond)} ${unit}/s, ratio ${ratio} to ${bound.name} (${count(bound.perSecond)}/s)${goal}`)
}

/** Prints a line. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** 1,234 */
function count(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}
