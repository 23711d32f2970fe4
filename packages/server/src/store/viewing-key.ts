import type { Selectable } from 'kysely'
import type { ViewingKeyRow, ViewingKeyRows } from '../ports/viewing-key.ts'
import { num } from './mapping.ts'
import type { Db, ViewingKeysTable } from './tables.ts'

/** Stands where the sealed key will be until its row's id, which the seal binds, is known. */
const UNSEALED = new Uint8Array(0)

export function viewingKeyRows(db: Db): ViewingKeyRows {
  async function setSealed(id: number, sealed: Uint8Array): Promise<void> {
    await db.updateTable('viewing_keys').set({ sealed }).where('id', '=', id).execute()
  }

  return {
    async ensure({ fingerprint, network, createdAt, firstIndex }, seal) {
      const made = await db
        .insertInto('viewing_keys')
        .values({ fingerprint, network, sealed: UNSEALED, next_index: firstIndex, created_at: createdAt })
        .onConflict(conflict => conflict.column('fingerprint').doNothing())
        .returningAll()
        .executeTakeFirst()
      if (made) {
        const row = { ...toViewingKey(made), sealed: seal(num(made.id)) }
        await setSealed(row.id, row.sealed)
        return row
      }
      const known = await db
        .selectFrom('viewing_keys')
        .selectAll()
        .where('fingerprint', '=', fingerprint)
        .executeTakeFirstOrThrow()
      return toViewingKey(known)
    },

    async byId(id) {
      const row = await db.selectFrom('viewing_keys').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toViewingKey(row) : null
    },

    async reserve(id, count) {
      const row = await db
        .updateTable('viewing_keys')
        .set(eb => ({ next_index: eb('next_index', '+', count) }))
        .where('id', '=', id)
        .returning('next_index')
        .executeTakeFirstOrThrow()
      return BigInt(row.next_index) - BigInt(count)
    },

    async watch(id, until) {
      await db
        .updateTable('viewing_keys')
        .set({ watch_until: until })
        .where('id', '=', id)
        .where('watch_until', '<', until)
        .execute()
    },

    async watched(now) {
      const rows = await db
        .selectFrom('viewing_keys')
        .selectAll()
        .where('watch_until', '>=', now)
        .orderBy('id')
        .execute()
      return rows.map(toViewingKey)
    },

    async all() {
      const rows = await db.selectFrom('viewing_keys').selectAll().orderBy('id').execute()
      return rows.map(toViewingKey)
    },

    reseal: setSealed,
  }
}

function toViewingKey(row: Selectable<ViewingKeysTable>): ViewingKeyRow {
  return { id: num(row.id), network: row.network, sealed: row.sealed, watchUntil: num(row.watch_until) }
}
