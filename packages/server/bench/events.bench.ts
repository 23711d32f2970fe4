import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { systemClock } from '../src/adapters/system/clock.ts'
import type { Account } from '../src/domain/account/account.ts'
import type { EventQuery } from '../src/services/notify/event-feed.ts'
import { openTestContainer, scopeOf } from '../test/harness/container.ts'
import { compareSizes, type Filled, type Work } from './sizes.ts'

/** From the environment variable BENCH_EVENTS. */
const LARGE = Number(process.env.BENCH_EVENTS ?? 1_000_000)
/** One of this many events is of the rare type. */
const RARE = 5_000
const PRUNED = 100

/** A database with this many events of one account, of which the first ones are pruned. */
async function openFilled(url: string, events: number): Promise<Filled> {
  const stack = new AsyncDisposableStack()
  const { services } = await openTestContainer(scopeOf(stack), { databaseUrl: url, clock: systemClock })
  const account = await services.accounts.findOrCreate('shop@example.org')
  const startedAt = performance.now()
  await addEvents(url, account, events)
  const fillMs = performance.now() - startedAt
  const never = new AbortController().signal
  const read = (query: Partial<EventQuery>) => () =>
    services.eventFeed.read(account, { limit: 50, waitMs: 0, ...query }, never)
  const works: Record<string, Work> = {
    'first page': read({}),
    'page in the middle': read({ after: events / 2 }),
    'last page': read({ after: events - 50 }),
    'nothing new': read({ after: events }),
    'page of one rare type': read({ types: ['invoice.reorged'], limit: 2 }),
    'page of one rare type, of which there is none left': read({ types: ['invoice.reorged'], after: events - 1 }),
    'page of a type without events': read({ types: ['swap.failed'] }),
    'page of three types': read({ types: ['invoice.paid', 'invoice.created', 'invoice.reorged'] }),
    'empty long poll of 20 ms': read({ after: events, waitMs: 20 }),
    '410 below the pruned': () => read({ after: 1 })().catch((error: unknown) => error),
  }
  return { fillMs, works, close: () => stack.disposeAsync() }
}

/** Two of three events are `invoice.created`, one is `invoice.paid`; the rare ones are `invoice.reorged`. */
async function addEvents(url: string, { id }: Account, events: number): Promise<void> {
  const body = JSON.stringify({ type: 'invoice.paid', invoice_id: null, metadata: { text: 'x'.repeat(600) } })
  const type = `CASE WHEN n % ${RARE} = 0 THEN 'invoice.reorged' WHEN n % 3 = 0 THEN 'invoice.paid' ELSE 'invoice.created' END`
  const statements = [
    `INSERT INTO events (account_id, seq, public_id, type, body, created_at)
      WITH RECURSIVE numbers (n) AS (SELECT cast(${PRUNED} + 1 AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${events})
      SELECT ${id}, n, '00000000-0000-4000-8000-' || cast(100000000000 + n AS text), ${type}, '${body}', 1700000000 + n
      FROM numbers`,
    `DELETE FROM event_counters WHERE account_id = ${id}`,
    `INSERT INTO event_counters (account_id, seq, pruned_seq) VALUES (${id}, ${events}, ${PRUNED})`,
  ]
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length))
    for (const statement of statements) database.exec(statement)
    database.close()
    return
  }
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of [...statements, 'VACUUM ANALYZE']) await client.query(statement)
  await client.end()
}

await compareSizes({ rows: 'events', large: LARGE, rounds: 15, times: 20 }, openFilled)
