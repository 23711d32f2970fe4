const SLICES = 5
const SLICE_SECONDS = 0.4

/** How often a second `work` runs: the best of a few slices after a warm-up, as a shared machine only ever slows it. */
export function rate(work: () => void): number {
  runFor(work, SLICE_SECONDS)
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

export function print(name: string, perSecond: number, unit: string, bound: number, boundName: string): void {
  const count = Math.round(perSecond).toLocaleString('en-US')
  const boundCount = Math.round(bound).toLocaleString('en-US')
  const ratio = (perSecond / bound).toFixed(2)
  process.stdout.write(`${name}: ${count} ${unit}/s, ratio ${ratio} to ${boundName} (${boundCount}/s)\n`)
}
