import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { runInProcesses } from '../../src/cli/pool.ts'
import { runScript } from './child.ts'

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1)

type Digests = [seed: number, digest: string][]

/** Runs the seeds in this order in a separate process. */
async function digestsOf(seeds: readonly number[]): Promise<Digests> {
  return (await runScript('digests.ts', seeds.map(String))) as Digests
}

const digests = new Map<number, string[]>()
before(async () => {
  const runs = [[...SEEDS, ...SEEDS.toReversed()], [3], [14], [20]]
  for (const [seed, digest] of (await Promise.all(runs.map(digestsOf))).flat())
    digests.set(seed, [...(digests.get(seed) ?? []), digest])
})

test('the digests of different seeds differ', () => {
  assert.equal(new Set([...digests.values()].flat()).size, SEEDS.length)
})

test('a seed replays to the byte, also in another process and whatever ran before it', () => {
  for (const [seed, [first, ...others]] of digests) {
    assert.ok(others.length > 0, `seed ${seed} was run once`)
    for (const other of others) assert.equal(other, first, `seed ${seed}`)
  }
})

test('the first seed that a process of many is given takes the course that it takes alone', async () => {
  const SEED = 437
  const shared: Digests = []
  await runInProcesses({
    seeds: [SEED].values(),
    jobs: 1,
    goesOn: () => true,
    onOutcome: ({ seed, digest }) => shared.push([seed, digest]) > 0,
  })
  assert.deepEqual(shared, await digestsOf([SEED]))
})
