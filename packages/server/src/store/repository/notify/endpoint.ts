import { type Selectable, sql } from 'kysely'
import type { Endpoint } from '../../../domain/notify/endpoint.ts'
import { NO_FAILURES } from '../../../domain/notify/endpoint-progress.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import type {
  EndpointRepository,
  FollowingEndpoint,
  SealedEndpoint,
} from '../../../ports/repository/notify/endpoint.ts'
import { keptStatement } from '../../kept-statement.ts'
import { num, numOrNull } from '../../mapping.ts'
import type { Db, EndpointsTable, Int64 } from '../../tables.ts'
import { isNotSetAside } from '../set-aside.ts'

const NOT_SET_ASIDE = isNotSetAside('endpoint', sql.ref('endpoints.public_id'))

/** Asked every few seconds: the earliest due endpoint, and 0 when there are events that endpoints follow. */
const findNextDue = keptStatement<{ due: Int64 | null; news: Int64 | null }>(db => {
  const earliest = sql`SELECT min(due_at_ms) FROM endpoints WHERE due_at_ms > ${0}`
  const news = sql`SELECT account_id FROM event_counters WHERE has_news = 1 LIMIT 1`
  const statement = sql<{ due: Int64 | null; news: Int64 | null }>`SELECT (${earliest}) AS due, (${news}) AS news`
  return { compile: () => statement.compile(db) }
})

export function endpointRepository(db: Db): EndpointRepository {
  const all = () => db.selectFrom('endpoints').selectAll().where('removed_at', 'is', null)

  /** Locks the numbers of the account's events: all that are committed later find the endpoint. @returns the newest number */
  async function follow(accountId: number): Promise<number> {
    const row = await db
      .insertInto('event_counters')
      .values({ account_id: accountId, seq: 0, followed: 1 })
      .onConflict(conflict => conflict.column('account_id').doUpdateSet({ followed: 1 }))
      .returning('seq')
      .executeTakeFirstOrThrow()
    return num(row.seq)
  }

  async function cancelOpen(id: number): Promise<void> {
    await db
      .updateTable('deliveries')
      .set({ state: 'canceled', endpoint_due_at_ms: null })
      .where('endpoint_id', '=', id)
      .where('endpoint_due_at_ms', 'is not', null)
      .execute()
  }

  return {
    async insert(endpoint) {
      const cursor = await follow(endpoint.accountId)
      const row = await db
        .insertInto('endpoints')
        .values({
          public_id: endpoint.publicId,
          account_id: endpoint.accountId,
          url: endpoint.url,
          types: typesText(endpoint.types),
          schedule: endpoint.schedule,
          enabled: Number(endpoint.enabled),
          secret: endpoint.sealedSecret,
          earlier_secret: endpoint.earlierSealedSecret,
          earlier_secret_until: endpoint.earlierSecretUntil,
          cursor_seq: cursor,
          created_at: endpoint.createdAt,
          updated_at: endpoint.updatedAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return toEndpoint(row)
    },

    async ofAccount(accountId) {
      const rows = await all().where('account_id', '=', accountId).orderBy('id').execute()
      return rows.map(toEndpoint)
    },

    async byPublicId(accountId, publicId) {
      const row = await all().where('public_id', '=', publicId).where('account_id', '=', accountId).executeTakeFirst()
      return row ? toEndpoint(row) : null
    },

    async lock(accountId, publicId) {
      const row = await all()
        .where('public_id', '=', publicId)
        .where('account_id', '=', accountId)
        .forUpdate()
        .executeTakeFirst()
      return row ? toFollowing(row) : null
    },

    async update(id, { url, types, schedule, enabled }, at) {
      await db
        .updateTable('endpoints')
        .set({
          updated_at: at,
          ...(url !== undefined && { url }),
          ...(types !== undefined && { types: typesText(types) }),
          ...(schedule !== undefined && { schedule }),
          ...(enabled !== undefined && { enabled: Number(enabled) }),
        })
        .where('id', '=', id)
        .execute()
    },

    async restart(id) {
      await cancelOpen(id)
      await db
        .updateTable('endpoints')
        .set(eb => ({
          ...progressColumns({ ...NO_FAILURES, pausedAt: null }),
          due_at_ms: null,
          cursor_seq: eb
            .selectFrom('event_counters')
            .select('event_counters.seq')
            .whereRef('event_counters.account_id', '=', 'endpoints.account_id'),
        }))
        .where('id', '=', id)
        .execute()
    },

    async setSecret(id, { sealedSecret, earlierSealedSecret, earlierSecretUntil }, at) {
      await db
        .updateTable('endpoints')
        .set({
          secret: sealedSecret,
          earlier_secret: earlierSealedSecret,
          earlier_secret_until: earlierSecretUntil,
          updated_at: at,
        })
        .where('id', '=', id)
        .execute()
    },

    async remove(id, at) {
      await cancelOpen(id)
      await db
        .updateTable('endpoints')
        .set({ removed_at: at, due_at_ms: null, secret: new Uint8Array(), earlier_secret: null })
        .where('id', '=', id)
        .execute()
    },

    async goBackTo(id, seq, nowMs) {
      await db
        .updateTable('endpoints')
        .set({ cursor_seq: seq })
        .where('id', '=', id)
        .where('cursor_seq', '>', seq)
        .execute()
      await db.updateTable('endpoints').set({ due_at_ms: nowMs }).where('id', '=', id).execute()
    },

    async wake(nowMs, limit) {
      const rows = await db
        .selectFrom('event_counters')
        .select('account_id')
        .where('has_news', '=', 1)
        .orderBy('account_id')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .execute()
      const accountIds = rows.map(row => num(row.account_id))
      if (accountIds.length === 0) return 0
      // Without a condition on its due time, so that it waits for a look in progress, which may not see the event.
      await db
        .updateTable('endpoints')
        .set({ due_at_ms: nowMs })
        .where('account_id', 'in', accountIds)
        .where('enabled', '=', 1)
        .where('paused_at', 'is', null)
        .where('removed_at', 'is', null)
        .execute()
      await db.updateTable('event_counters').set({ has_news: 0 }).where('account_id', 'in', accountIds).execute()
      return accountIds.length
    },

    async listDue(nowMs, limit, except) {
      const rows = await db
        .selectFrom('endpoints')
        .select(['id', 'public_id', 'account_id', 'failing_since'])
        .where('due_at_ms', '<=', nowMs)
        .where(NOT_SET_ASIDE)
        .$if(except.length > 0, query => query.where('id', 'not in', except))
        .orderBy('due_at_ms')
        .limit(limit)
        .execute()
      return rows.map(row => ({
        id: num(row.id),
        publicId: row.public_id,
        accountId: num(row.account_id),
        failingSince: numOrNull(row.failing_since),
      }))
    },

    async lockDue(publicId, nowMs) {
      const row = await all()
        .where('public_id', '=', publicId)
        .where('due_at_ms', '<=', nowMs)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst()
      return row ? toFollowing(row) : null
    },

    async lockByPublicId(publicId) {
      const row = await all().where('public_id', '=', publicId).forUpdate().executeTakeFirst()
      return row ? toFollowing(row) : null
    },

    async advance(id, state, dueAtMs) {
      await db
        .updateTable('endpoints')
        .set({ ...progressColumns(state), cursor_seq: state.cursorSeq, due_at_ms: dueAtMs })
        .where('id', '=', id)
        .execute()
    },

    async nextDueAtMs() {
      const [row] = await findNextDue(db, 1, [0])
      if (row?.news != null) return 0
      return row?.due == null ? null : num(row.due)
    },

    async prune(before, limit, skip = 0) {
      const removed = db
        .selectFrom('endpoints')
        .select('id')
        .where('removed_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('deliveries').select('deliveries.id').whereRef('deliveries.endpoint_id', '=', 'endpoints.id'),
            ),
          ),
        )
        .orderBy('removed_at')
        .limit(limit)
        .offset(skip)
      const result = await db.deleteFrom('endpoints').where('id', 'in', removed).executeTakeFirst()
      return num(result.numDeletedRows)
    },

    async listAfter(afterId, limit) {
      return (await all().where('id', '>', afterId).orderBy('id').limit(limit).execute()).map(toSealed)
    },

    async reseal(id, read, sealedSecret, column) {
      const result = await db
        .updateTable('endpoints')
        .set({ [column]: sealedSecret })
        .where('id', '=', id)
        .where(column, '=', read)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
  }
}

type Progress = Pick<FollowingEndpoint, 'failures' | 'isProbing' | 'failingSince' | 'retryAtMs' | 'pausedAt'>

function progressColumns({ failures, isProbing, failingSince, retryAtMs, pausedAt }: Progress) {
  return {
    failures,
    is_probing: Number(isProbing),
    failing_since: failingSince,
    retry_at_ms: retryAtMs,
    paused_at: pausedAt,
  }
}

function typesText(types: readonly EventType[] | null): string | null {
  return types && JSON.stringify(types)
}

function toEndpoint(row: Selectable<EndpointsTable>): Endpoint {
  return {
    id: num(row.id),
    publicId: row.public_id,
    accountId: num(row.account_id),
    url: row.url,
    types: row.types === null ? null : (JSON.parse(row.types) as EventType[]),
    schedule: row.schedule,
    enabled: num(row.enabled) === 1,
    failingSince: numOrNull(row.failing_since),
    pausedAt: numOrNull(row.paused_at),
    createdAt: num(row.created_at),
    updatedAt: num(row.updated_at),
  }
}

function toSealed(row: Selectable<EndpointsTable>): SealedEndpoint {
  return {
    ...toEndpoint(row),
    sealedSecret: row.secret,
    earlierSealedSecret: row.earlier_secret,
    earlierSecretUntil: numOrNull(row.earlier_secret_until),
  }
}

function toFollowing(row: Selectable<EndpointsTable>): FollowingEndpoint {
  return {
    ...toSealed(row),
    cursorSeq: num(row.cursor_seq),
    failures: num(row.failures),
    isProbing: num(row.is_probing) === 1,
    retryAtMs: numOrNull(row.retry_at_ms),
  }
}
