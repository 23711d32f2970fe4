import { type Selectable, sql } from 'kysely'
import { COUNTER_STEP_BYTES, type EventSkip, eventSkip, wasReplaced } from '../../../domain/database-identity.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import type { AppendedEvent, Event, EventRepository } from '../../../ports/repository/notify/event.ts'
import type { Tx } from '../../../ports/store.ts'
import { filledStatement } from '../../kept-statement.ts'
import { chunks, distinctAscending, inChunks, num, numOrNull } from '../../mapping.ts'
import type { Db, EventsTable, Int64 } from '../../tables.ts'
import type { TxHooks } from '../../transaction/hooks.ts'
import { int, text } from '../../values.ts'

/** @param identity see `databaseIdentityRepository` */
export function eventRepository(
  db: Db,
  identity: string,
  hooks: Pick<TxHooks, 'beforeCommit' | 'notify'>,
  tx: Pick<Tx, 'deliveries' | 'endpointDeliveries' | 'endpoints'>,
): EventRepository {
  const pending: AppendedEvent[] = []

  async function write(): Promise<void> {
    const events = pending.splice(0)
    const called = events.flatMap(event => event.deliveries ?? []).map(({ accountId }) => accountId)
    // Before the counters, as every other transaction takes these locks.
    const withWebhook = called.length > 0 ? await tx.deliveries.lockWebhooks(called) : new Set()
    const { seqs, hasFollowers } = await insertEvents(db, identity, events)
    if (hasFollowers) hooks.notify('events')
    const created = events.flatMap((event, index) =>
      (event.deliveries ?? []).map(delivery => ({ ...delivery, eventSeq: seqs[index] as number })),
    )
    await tx.deliveries.insertLocked(created.filter(({ accountId }) => withWebhook.has(accountId)))
    for (const [index, { endpointDelivery, type: eventType, accountId, invoiceId, createdAt }] of events.entries()) {
      if (!endpointDelivery) continue
      const { publicId, endpointId, dueAtMs } = endpointDelivery
      const eventSeq = seqs[index] as number
      const event = { accountId, invoiceId, eventSeq, eventType, createdAt }
      const delivery = { publicId, endpointId, ...event, part: 0, originalId: null }
      await tx.endpointDeliveries.insert(delivery, dueAtMs, true)
      await tx.endpoints.goBackTo(endpointId, eventSeq, dueAtMs)
    }
  }

  const ofAccount = (accountId: number) => db.selectFrom('events').selectAll().where('account_id', '=', accountId)

  const nextNumbers = (accountId: number, after: number, limit: number) =>
    db
      .selectFrom('events')
      .select('seq')
      .where('account_id', '=', accountId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)

  /** Each type alone, by its index: none is found by reading all events of the others. */
  async function numbersOf(accountId: number, after: number, limit: number, types: readonly EventType[]) {
    const ofType = (type: EventType) => nextNumbers(accountId, after, limit).where('type', '=', type).execute()
    const found = await Promise.all([...new Set(types)].map(ofType))
    const seqs = found.flat().map(row => num(row.seq))
    return seqs.sort((a, b) => a - b).slice(0, limit)
  }

  return {
    async append(events) {
      if (events.length === 0) return
      if (pending.length === 0) hooks.beforeCommit(write)
      for (const event of events) pending.push(event)
    },

    async range(accountId) {
      const row = await db
        .selectFrom('event_counters')
        .selectAll()
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row ? { prunedSeq: num(row.pruned_seq), lastSeq: num(row.seq) } : { prunedSeq: 0, lastSeq: 0 }
    },

    async lastSeqs(accountIds) {
      const rows = await db
        .selectFrom('event_counters')
        .select(['account_id', 'seq'])
        .where('account_id', 'in', accountIds)
        .execute()
      return new Map(rows.map(row => [num(row.account_id), num(row.seq)]))
    },

    async listAfter(accountId, after, limit, types) {
      const events = ofAccount(accountId).orderBy('seq')
      if (types === undefined) return (await events.where('seq', '>', after).limit(limit).execute()).map(toEvent)
      const seqs = await numbersOf(accountId, after, limit, types)
      return seqs.length === 0 ? [] : (await events.where('seq', 'in', seqs).execute()).map(toEvent)
    },

    async listNewest(accountId, { limit, before, after }, type) {
      let events = ofAccount(accountId)
        .orderBy('seq', after === undefined ? 'desc' : 'asc')
        .limit(limit)
      if (type !== undefined) events = events.where('type', '=', type)
      if (before !== undefined) events = events.where('seq', '<', before)
      if (after !== undefined) events = events.where('seq', '>', after)
      const found = (await events.execute()).map(toEvent)
      return after === undefined ? found : found.reverse()
    },

    async numbersAfter(accountId, after, limit, types) {
      if (types !== null) return numbersOf(accountId, after, limit, types)
      const rows = await nextNumbers(accountId, after, limit).where('type', '!=', 'test').execute()
      return rows.map(row => num(row.seq))
    },

    async bySeq(accountId, seq) {
      const row = await ofAccount(accountId).where('seq', '=', seq).executeTakeFirst()
      return row ? toEvent(row) : null
    },

    async firstSince(accountId, since) {
      const next = (seq: number) =>
        ofAccount(accountId).where('seq', '>=', seq).orderBy('seq').limit(1).executeTakeFirst()
      // A binary search: no index has the times of an account.
      const last = await ofAccount(accountId).orderBy('seq', 'desc').limit(1).executeTakeFirst()
      if (!last || num(last.created_at) < since) return null
      let [low, high] = [1, num(last.seq)]
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        const row = await next(middle)
        if (row && num(row.created_at) < since) low = num(row.seq) + 1
        else high = middle
      }
      return num((await next(low))?.seq ?? last.seq)
    },

    async skipNumbers(skip) {
      // An account without a counter may have had events that the copy lacks.
      await sql`INSERT INTO event_counters (account_id, seq)
        SELECT id, ${int(skip.least + skip.step)} FROM accounts WHERE erased_at IS NULL ORDER BY id
        ON CONFLICT (account_id) DO UPDATE SET seq = ${skipped(skip)}`.execute(db)
    },

    async prune(before, limit, skip = 0) {
      const old = await db
        .selectFrom('events')
        .select(['account_id', 'seq'])
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(limit)
        .offset(skip)
        .execute()
      const byAccount = Map.groupBy(old, row => num(row.account_id))
      for (const accountId of distinctAscending([...byAccount.keys()]))
        await pruneOf(
          accountId,
          (byAccount.get(accountId) ?? []).map(row => num(row.seq)),
        )
      return old.length
    },
  }

  async function pruneOf(accountId: number, seqs: readonly number[]): Promise<void> {
    const newest = seqs.reduce((a, b) => Math.max(a, b))
    await db
      .updateTable('event_counters')
      .set({ pruned_seq: newest })
      .where('account_id', '=', accountId)
      .where('pruned_seq', '<', newest)
      .execute()
    for (const batch of chunks(seqs, 1)) {
      const sent = db
        .selectFrom('deliveries')
        .select('id')
        .where('account_id', '=', accountId)
        .where('event_seq', 'in', batch)
      await db.deleteFrom('delivery_attempts').where('delivery_id', 'in', sent).execute()
      await db.deleteFrom('deliveries').where('account_id', '=', accountId).where('event_seq', 'in', batch).execute()
      await db.deleteFrom('events').where('account_id', '=', accountId).where('seq', 'in', batch).execute()
    }
  }
}

/**
 * Numbers and writes events. The row of the counter is the lock that keeps the numbers of an account in commit order: one
 * transaction holds it from numbering its events until its commit.
 * @param identity see `databaseIdentityRepository`
 * @returns their numbers, in the order given, and whether an account of theirs has endpoints
 */
export async function insertEvents(db: Db, identity: string, events: readonly AppendedEvent[]) {
  const byAccount = Map.groupBy(events, ({ accountId }) => accountId)
  // In one order, so that transactions do not wait for each other in a circle.
  const accountIds = distinctAscending([...byAccount.keys()])
  const counts = accountIds.map(accountId => [accountId, byAccount.get(accountId)?.length ?? 0])
  const counters = await inChunks(counts, 2, batch => addToCounters(identity)(db, batch))
  const skip = skipAfterFailOver(counters[0], events[0])
  const next = new Map<number, number>()
  for (const row of skip ? await skipOf(db, accountIds, skip) : counters) {
    const accountId = num(row.account_id)
    next.set(accountId, num(row.seq) - (byAccount.get(accountId)?.length ?? 0) + 1)
  }
  const seqs = events.map(({ accountId }) => {
    const seq = next.get(accountId) as number
    next.set(accountId, seq + 1)
    return seq
  })
  const rows = events.map(({ accountId, publicId, invoiceId, type, body, createdAt }, index) => [
    accountId,
    seqs[index],
    publicId,
    invoiceId,
    type,
    body,
    createdAt,
  ])
  await inChunks(rows, COLUMNS.length, batch => insertRows(db, batch))
  return { seqs, hasFollowers: counters.some(row => num(row.has_news) === 1) }
}

const COLUMNS = ['account_id', 'seq', 'public_id', 'invoice_id', 'type', 'body', 'created_at'] as const

const insertRows = filledStatement(rows => {
  const first = [int(0), int(0), text(''), int(0), text(''), text(''), int(0)]
  return sql`INSERT INTO events (${sql.join(COLUMNS.map(name => sql.ref(name)))}) SELECT * FROM ${rows(first)}`
})

interface CounterRow {
  readonly account_id: Int64
  readonly seq: Int64
  readonly has_news: Int64
  readonly recorded: string
  readonly current: string
}

type AddToCounters = ReturnType<typeof filledStatement<CounterRow>>
let latestAdd: { readonly identity: string; readonly run: AddToCounters } | undefined

/** Adds to the newest numbers of accounts. It reads the identity as well, which spares each commit a statement. */
function addToCounters(identity: string): AddToCounters {
  if (latestAdd?.identity === identity) return latestAdd.run
  const run = filledStatement<CounterRow>(
    rows => sql`INSERT INTO event_counters (account_id, seq) SELECT * FROM ${rows([int(0), int(0)])}
      ON CONFLICT (account_id) DO UPDATE SET seq = event_counters.seq + excluded.seq, has_news = event_counters.followed
      RETURNING account_id, seq, has_news, (SELECT identity FROM database_identity) AS recorded,
        (SELECT ${sql.raw(identity)}) AS current`,
  )
  latestAdd = { identity, run }
  return run
}

/** The newest number of a counter after it. */
const skipped = ({ least, step }: EventSkip) =>
  sql<number>`CASE WHEN event_counters.seq < ${int(least)} THEN ${int(least)} ELSE event_counters.seq END + ${int(step)}`

function skipOf(db: Db, accountIds: readonly number[], skip: EventSkip) {
  return inChunks(accountIds, 1, batch =>
    db
      .updateTable('event_counters')
      .set({ seq: skipped(skip) })
      .where('account_id', 'in', batch)
      .returning(['account_id', 'seq', 'has_news'])
      .execute(),
  )
}

/**
 * A standby that was promoted while the process runs is noticed when the process reserves addresses next. Until then each
 * commit skips numbers: a reader may have seen events that the standby lacks.
 */
function skipAfterFailOver(counter: CounterRow | undefined, event: AppendedEvent | undefined): EventSkip | null {
  if (!counter || !event || !wasReplaced(counter)) return null
  // The first digits of a public id are random.
  const digits = event.publicId.replaceAll('-', '').slice(0, 2 * COUNTER_STEP_BYTES)
  // The end of the second in which it was created.
  return eventSkip((event.createdAt + 1) * 1_000, Buffer.from(digits, 'hex'))
}

function toEvent(row: Selectable<EventsTable>): Event {
  return {
    accountId: num(row.account_id),
    seq: num(row.seq),
    publicId: row.public_id,
    invoiceId: numOrNull(row.invoice_id),
    type: row.type,
    body: row.body,
    createdAt: num(row.created_at),
  }
}
