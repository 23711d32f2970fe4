/** How often a second `work` runs, measured for about `seconds` after a warm-up of a quarter of that. */
export function rate(work: () => void, seconds = 2): number {
  runFor(work, seconds / 4)
  const { runs, elapsed } = runFor(work, seconds)
  return runs / elapsed
}

function runFor(work: () => void, seconds: number): { runs: number; elapsed: number } {
  const start = performance.now()
  let runs = 0
  let elapsed = 0
  do {
    work()
    runs++
    elapsed = (performance.now() - start) / 1000
  } while (elapsed < seconds)
  return { runs, elapsed }
}

export function print(name: string, perSecond: number, unit: string, bound: number, boundName: string): void {
  const count = Math.round(perSecond).toLocaleString('en-US')
  const boundCount = Math.round(bound).toLocaleString('en-US')
  const ratio = (perSecond / bound).toFixed(2)
  process.stdout.write(`${name}: ${count} ${unit}/s, ratio ${ratio} to ${boundName} (${boundCount}/s)\n`)
}
