import { onEachDatabase } from './databases.ts'
import { count, printLine, report } from './report.ts'

export type Work = () => Promise<unknown>

/** A database with this many rows, and the works on it by name. */
export interface Filled {
  readonly fillMs: number
  readonly works: Readonly<Record<string, Work>>
  close(): Promise<void>
}

const SMALL = 10_000

/**
 * Measures works on many rows against the same on 10,000, on each database and in turns: their time must not depend on the
 * number of rows.
 * @param rows the rows, in the plural @param times how often a work runs in each round
 */
export async function compareSizes(
  { rows, large, rounds, times = 1 }: { rows: string; large: number; rounds: number; times?: number },
  open: (url: string, size: number) => Promise<Filled>,
): Promise<void> {
  await onEachDatabase(async (name, freshUrl) => {
    const few = await open(await freshUrl(), SMALL)
    const many = await open(await freshUrl(), large)
    printLine(`${name}: ${count(large)} ${rows} in ${Math.round(many.fillMs / 1000)} s`)
    for (const [what, work] of Object.entries(many.works)) {
      const ms: { few: number[]; many: number[] } = { few: [], many: [] }
      for (let round = 0; round < rounds; round++) {
        ms.few.push(await timed(few.works[what]!, times))
        ms.many.push(await timed(work, times))
      }
      report({
        what: `${what} at ${count(large)} ${rows}, ${name}`,
        perSecond: 1_000 / median(ms.many),
        unit: 'times',
        bound: { name: `at ${count(SMALL)}`, perSecond: 1_000 / median(ms.few) },
        goal: 0.5,
        notes: [`${median(ms.many).toFixed(2)} ms`],
      })
    }
    await few.close()
    await many.close()
  })
}

/** Milliseconds of one time, on average. */
async function timed(work: Work, times: number): Promise<number> {
  const startedAt = performance.now()
  for (let time = 0; time < times; time++) await work()
  return (performance.now() - startedAt) / times
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
