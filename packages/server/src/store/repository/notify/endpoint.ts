import { NO_FAILURES } from '../../../domain/notify/endpoint-progress.ts'
import type { EndpointRepository } from '../../../ports/repository/notify/endpoint.ts'
import { num } from '../../mapping.ts'
import type { Db } from '../../tables.ts'
import { dueEndpointQueries } from './due-endpoint.ts'
import { progressColumns, toEndpoint, toFollowing, toSealed } from './endpoint-row.ts'

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
          dialect: endpoint.dialect,
          types: listText(endpoint.types),
          greenfield_events: listText(endpoint.greenfieldEvents),
          application: endpoint.application,
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

    async update(id, { url, types, greenfieldEvents, schedule, enabled }, at) {
      await db
        .updateTable('endpoints')
        .set({
          updated_at: at,
          ...(url !== undefined && { url }),
          ...(types !== undefined && { types: listText(types) }),
          ...(greenfieldEvents !== undefined && { greenfield_events: listText(greenfieldEvents) }),
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

    ...dueEndpointQueries(db),

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

function listText(names: readonly string[] | null): string | null {
  return names && JSON.stringify(names)
}
