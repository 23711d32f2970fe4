import { sql } from 'kysely'
import type { EndpointRepository } from '../../../ports/repository/notify/endpoint.ts'
import { keptStatement } from '../../kept-statement.ts'
import { num, numOrNull } from '../../mapping.ts'
import type { Db, Int64 } from '../../tables.ts'
import { isNotSetAside } from '../set-aside.ts'
import { progressColumns, toFollowing } from './endpoint-row.ts'

const NOT_SET_ASIDE = isNotSetAside('endpoint', sql.ref('endpoints.public_id'))

/** Asked every few seconds: the earliest due endpoint, and 0 when there are events that endpoints follow. */
const findNextDue = keptStatement<{ due: Int64 | null; news: Int64 | null }>(db => {
  const earliest = sql`SELECT min(due_at_ms) FROM endpoints WHERE due_at_ms > ${0}`
  const news = sql`SELECT account_id FROM event_counters WHERE has_news = 1 LIMIT 1`
  const statement = sql<{ due: Int64 | null; news: Int64 | null }>`SELECT (${earliest}) AS due, (${news}) AS news`
  return { compile: () => statement.compile(db) }
})

/** The endpoints that have something to send. */
export function dueEndpointQueries(
  db: Db,
): Pick<
  EndpointRepository,
  'listNews' | 'wake' | 'listDue' | 'lockDue' | 'lockByPublicId' | 'advance' | 'nextDueAtMs'
> {
  const all = () => db.selectFrom('endpoints').selectAll().where('removed_at', 'is', null)

  return {
    async listNews(limit) {
      const rows = await db
        .selectFrom('event_counters')
        .select('account_id')
        .where('has_news', '=', 1)
        .orderBy('account_id')
        .limit(limit)
        .execute()
      return rows.map(row => num(row.account_id))
    },

    async wake(nowMs, accountIds) {
      const ofAccounts = all().where('account_id', 'in', accountIds)
      // All of them, so that it waits for a claim, or for one that is enabled, in progress: they may not see the event.
      await ofAccounts.clearSelect().select('id').orderBy('id').forUpdate().execute()
      await db.updateTable('event_counters').set({ has_news: 0 }).where('account_id', 'in', accountIds).execute()
      // From here on no event is added. One of meanwhile may be for an endpoint that was created meanwhile.
      await db
        .updateTable('endpoints')
        .set({ due_at_ms: nowMs })
        .where('account_id', 'in', accountIds)
        .where('enabled', '=', 1)
        .where('paused_at', 'is', null)
        .where('removed_at', 'is', null)
        .execute()
    },

    async listDue(nowMs, { limit, failing, except }) {
      // Apart from each other: those that fail may be many, and due for longer.
      const earliest = (isFailing: boolean, max: number) =>
        db
          .selectFrom('endpoints')
          .select(['id', 'public_id', 'account_id', 'failing_since', 'due_at_ms'])
          .where('due_at_ms', '<=', nowMs)
          .where('failing_since', isFailing ? 'is not' : 'is', null)
          .where(NOT_SET_ASIDE)
          .$if(except.length > 0, query => query.where('id', 'not in', except))
          .orderBy('due_at_ms')
          .limit(max)
      const rows = await db
        .selectFrom(earliest(false, limit).as('sound'))
        .selectAll()
        .unionAll(db.selectFrom(earliest(true, Math.min(limit, failing)).as('failing')).selectAll())
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
  }
}
