import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import type { Account } from '../../../src/domain/account/account.ts'
import { createEventFeed } from '../../../src/services/notify/event-feed.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { makeAccount } from '../../harness/fixtures.ts'
import { until } from '../../harness/until.ts'

const WRITERS = 3
const KILLS = 5
/** Events of the writers between two kills. */
const EVENTS = 60

interface Writer {
  readonly child: ChildProcess
  readonly closed: Promise<unknown>
  /** The events that it has reported as committed. */
  readonly committed: string[]
}

function startWriter(t: TestContext, url: string, name: string, accounts: readonly Account[]): Writer {
  const script = fileURLToPath(new URL('event-writer.ts', import.meta.url))
  const args = [script, url, name, ...accounts.map(({ id }) => String(id))]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const committed: string[] = []
  createInterface({ input: child.stdout }).on('line', line => committed.push(line))
  return { child, closed: once(child, 'close'), committed }
}

async function kill({ child, closed }: Writer): Promise<void> {
  assert.equal(child.exitCode, null, 'a writer has ended by itself')
  child.kill('SIGKILL')
  await closed
}

interface Seen {
  readonly seq: number
  readonly event: string
  readonly isRolledBack: boolean
}

onBothDatabases(engine => {
  test(`readers see each event once and in order, while ${KILLS} writing processes are killed`, async t => {
    const database = await engine.createDatabase(t)
    const [store, other] = [await database.open(), await database.open()]
    const accounts = [await makeAccount(store), await makeAccount(store)]
    const feeds = [store, other].map(it => createEventFeed({ store: it, clock: systemClock }))
    const stop = new AbortController()
    /** Reads pages of 7 in turns of two processes, with a wait. */
    async function follow(account: Account): Promise<Seen[]> {
      const seen: Seen[] = []
      let after = 0
      for (let turn = 0; ; turn++) {
        const feed = feeds[turn % feeds.length]!
        const isLast = stop.signal.aborted
        const page = await feed.read(account, { after, limit: 7, waitMs: 1_000 }, stop.signal)
        for (const { seq, body } of page.events) seen.push({ seq, ...JSON.parse(body) })
        after = page.nextAfter
        if (isLast && page.events.length === 0) return seen
      }
    }
    const readers = accounts.map(follow)

    let names = 0
    const start = () => startWriter(t, database.url, `writer${++names}`, accounts)
    let running = Array.from({ length: WRITERS }, start)
    const writers = [...running]
    const total = () => writers.reduce((sum, { committed }) => sum + committed.length, 0)
    for (let killed = 1; killed <= KILLS; killed++) {
      await until(`${killed * EVENTS} events`, () => total() >= killed * EVENTS, 120_000)
      const [victim, ...others] = running
      await kill(victim!)
      const next = start()
      running = [...others, next]
      writers.push(next)
    }
    await until('the last events', () => total() >= (KILLS + 1) * EVENTS, 120_000)
    await Promise.all(running.map(kill))
    stop.abort()

    const committed = writers.flatMap(writer => writer.committed)
    for (const seen of await Promise.all(readers)) {
      assert.deepEqual(
        seen.map(({ seq }) => seq),
        seen.map((_, index) => index + 1),
      )
      const names = seen.map(({ event }) => event)

      const read = new Set(names)
      assert.equal(read.size, names.length, 'none twice')
      assert.deepEqual(
        committed.filter(event => !read.has(event)),
        [],
        'every committed one',
      )
      assert.ok(seen.every(({ isRolledBack }) => !isRolledBack))
      // Those killed between their commit and its report.
      assert.ok(names.length - committed.length <= 4 * writers.length)
    }
    t.diagnostic(`${committed.length} events of each account`)
  })
})
