import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { MAX_DIVERSIFIER_INDEX } from '../../../domain/account/viewing-key.ts'
import { AppError } from '../../../domain/error.ts'
import type {
  KeyOfAccountIds,
  UsedKey,
  ViewingKeyRepository,
  ViewingKeyRow,
} from '../../../ports/repository/account/viewing-key.ts'
import { keptStatement } from '../../kept-statement.ts'
import { chunks, num, padToPowerOfTwo } from '../../mapping.ts'
import { NO_KEY } from '../../placeholder.ts'
import type { Db, Int64, ViewingKeysTable } from '../../tables.ts'
import { int, valuesRow } from '../../values.ts'
import { lockRow } from '../lock-row.ts'
import { currentKeys, deleteUnusedKeys, isUnused, keysOfUnminedPayments } from './unused-key.ts'

/** Values bound for each key whose counter is advanced: its id and the step. */
const STEP_COLUMNS = 2

const pairs = (length: number) => Array.from({ length }, () => valuesRow(int(0), int(0)))

/** The keys that the accounts use, by pairs of ids: two lists would probe each account with each key. */
const findUsed = keptStatement((db, length) =>
  db
    .selectFrom('account_viewing_keys as used')
    .innerJoin('accounts', 'accounts.id', 'used.account_id')
    .innerJoin('viewing_keys', 'viewing_keys.id', 'used.viewing_key_id')
    .select([
      'used.account_id',
      'used.viewing_key_id',
      'accounts.public_id',
      'viewing_keys.fingerprint',
      'viewing_keys.watch_until',
    ])
    .where(sql<boolean>`(used.account_id, used.viewing_key_id) in (values ${sql.join(pairs(length))})`)
    .where('viewing_keys.sealed', '!=', NO_KEY),
)

export function viewingKeyRepository(db: Db): ViewingKeyRepository {
  async function setSealed(id: number, sealed: Uint8Array): Promise<void> {
    await db.updateTable('viewing_keys').set({ sealed }).where('id', '=', id).execute()
  }

  async function byId(id: number): Promise<ViewingKeyRow | null> {
    const row = await db.selectFrom('viewing_keys').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? toViewingKey(row) : null
  }

  const watched = (now: number) =>
    db
      .selectFrom('viewing_keys')
      .where(({ or, eb }) => or([eb('watch_until', '>=', now), eb('id', 'in', keysOfUnminedPayments(db))]))
      .where('sealed', '!=', NO_KEY)

  return {
    async findOrInsert({ fingerprint, network, createdAt, firstIndex }, seal) {
      const inserted = await db
        .insertInto('viewing_keys')
        .values({ fingerprint, network, sealed: NO_KEY, next_index: firstIndex, created_at: createdAt })
        .onConflict(conflict => conflict.column('fingerprint').doNothing())
        .returningAll()
        .executeTakeFirst()
      if (inserted) {
        const row = { ...toViewingKey(inserted), sealed: seal(num(inserted.id)) }
        await setSealed(row.id, row.sealed)
        return row
      }
      const existing = await db
        .selectFrom('viewing_keys')
        .selectAll()
        .where('fingerprint', '=', fingerprint)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow()
      const row = toViewingKey(existing)
      if (row.sealed.length > 0) return row
      const sealed = seal(row.id)
      await setSealed(row.id, sealed)
      return { ...row, sealed }
    },

    byId,

    async reserveIndexes(id, count) {
      const row = await db
        .updateTable('viewing_keys')
        .set(eb => ({ next_index: eb('next_index', '+', count) }))
        .where('id', '=', id)
        .where('next_index', '<=', MAX_DIVERSIFIER_INDEX - BigInt(count))
        .where('sealed', '!=', NO_KEY)
        .returningAll()
        .executeTakeFirst()
      if (row) return { first: BigInt(row.next_index) - BigInt(count), key: toViewingKey(row) }
      if (!(await byId(id))?.sealed.length) throw new AppError('no_such_viewing_key')
      throw new AppError('viewing_key_exhausted')
    },

    async advanceAllIndexes(step, watchUntil) {
      const keys = await db.selectFrom('viewing_keys').select('id').orderBy('id').execute()
      for (const batch of chunks(keys, STEP_COLUMNS)) {
        const steps = batch.map(({ id }) => valuesRow(int(id), int(step())))
        await db
          .updateTable('viewing_keys')
          .from(sql<{ column1: Int64; column2: Int64 }>`(VALUES ${sql.join(steps)})`.as('steps'))
          .set({
            next_index: sql`CASE WHEN next_index > ${sql.lit(MAX_DIVERSIFIER_INDEX)} - column2 THEN ${sql.lit(MAX_DIVERSIFIER_INDEX)} ELSE next_index + column2 END`,
            watch_until: sql`CASE WHEN watch_until < CAST(${watchUntil} AS BIGINT) THEN CAST(${watchUntil} AS BIGINT) ELSE watch_until END`,
          })
          .whereRef('viewing_keys.id', '=', 'steps.column1')
          .execute()
      }
      return keys.length
    },

    async ofAccount(ids) {
      const [used] = await usedKeys(db, [ids])
      return used ?? null
    },

    async watchedUntil(id) {
      const row = await db
        .selectFrom('viewing_keys')
        .select('watch_until')
        .where('id', '=', id)
        .where('sealed', '!=', NO_KEY)
        .executeTakeFirst()
      return row ? num(row.watch_until) : 0
    },

    async extendWatch(id, until) {
      const result = await db
        .updateTable('viewing_keys')
        .set(({ eb, ref }) => ({
          watch_until: eb.case().when('watch_until', '<', until).then(until).else(ref('watch_until')).end(),
        }))
        .where('id', '=', id)
        .where('sealed', '!=', NO_KEY)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    async extendAccountWatch(accountId, id, until) {
      await db
        .insertInto('account_viewing_keys')
        .values({ account_id: accountId, viewing_key_id: id, watch_until: until })
        .onConflict(conflict =>
          conflict
            .columns(['account_id', 'viewing_key_id'])
            .doUpdateSet(eb => ({ watch_until: eb.ref('excluded.watch_until') }))
            .whereRef('account_viewing_keys.watch_until', '<', 'excluded.watch_until'),
        )
        .execute()
    },

    async watchedByAccount(accountId, now) {
      const rows = await db
        .selectFrom('account_viewing_keys')
        .select(['viewing_key_id', 'watch_until'])
        .where('account_id', '=', accountId)
        .where('watch_until', '>=', now)
        .orderBy('watch_until')
        .execute()
      return rows.map(row => ({ id: num(row.viewing_key_id), watchUntil: num(row.watch_until) }))
    },

    async lockWatchedCount() {
      await lockRow(db, 'watched_keys')
    },

    async countWatched(now, max) {
      const watched = db
        .selectFrom('viewing_keys')
        .select('id')
        .where('watch_until', '>=', now)
        .where('sealed', '!=', NO_KEY)
        .limit(max)
      const row = await db
        .selectFrom(watched.as('watched'))
        .select(({ fn }) => fn.countAll().as('keys'))
        .executeTakeFirstOrThrow()
      return Number(row.keys)
    },

    async watchedAt(now) {
      const rows = await watched(now).selectAll().orderBy('id').execute()
      return rows.map(toViewingKey)
    },

    async watchedVersion(now) {
      const row = await watched(now)
        .select(({ fn }) => [
          fn.countAll().as('keys'),
          fn.sum('watch_until').as('ends'),
          fn.sum('created_at').as('starts'),
          fn.min('watch_until').as('first_end'),
        ])
        .executeTakeFirstOrThrow()
      // A key that leaves ends before `now`, and one that enters later: if as many enter as leave, the sum of the ends grows.
      // In a database that was set back, the sum of the starts grows: the lost keys are older than those in their place.
      if (row.first_end !== null && num(row.first_end) < now) return null
      return [row.keys, row.ends, row.starts].join(' ')
    },

    async ofPaymentsBetween(from, to) {
      const used = db
        .selectFrom('payments')
        .innerJoin('invoices', 'invoices.id', 'payments.invoice_id')
        .select('invoices.viewing_key_id')
        .where('payments.height', '>=', from)
        .where('payments.height', '<=', to)
      const rows = await db
        .selectFrom('viewing_keys')
        .selectAll()
        .where('id', 'in', used)
        .where('sealed', '!=', NO_KEY)
        .execute()
      return rows.map(toViewingKey)
    },

    async lastUsed(limit) {
      const rows = await db
        .selectFrom('viewing_keys')
        .selectAll()
        .where('id', 'in', currentKeys(db))
        .where('sealed', '!=', NO_KEY)
        .orderBy('watch_until', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toViewingKey)
    },

    async list() {
      const rows = await db.selectFrom('viewing_keys').selectAll().where('sealed', '!=', NO_KEY).orderBy('id').execute()
      return rows.map(toViewingKey)
    },

    async listAfter(afterId, limit) {
      const rows = await db
        .selectFrom('viewing_keys')
        .selectAll()
        .where('id', '>', afterId)
        .where('sealed', '!=', NO_KEY)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toViewingKey)
    },

    async reseal(id, read, sealed) {
      const result = await db
        .updateTable('viewing_keys')
        .set({ sealed })
        .where('id', '=', id)
        .where('sealed', '=', read)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    async prune(before, limit, skip = 0) {
      const unused = await db
        .selectFrom('viewing_keys')
        .select('id')
        .where(isUnused(db, before))
        .orderBy('id')
        .limit(limit)
        .offset(skip)
        .execute()
      const ids = unused.map(({ id }) => num(id))
      return (await deleteUnusedKeys(db, ids, before)).length
    },
  }
}

/** The key of each pair, in the order given. Null unless the account has set the key, and for a deleted key. */
export async function usedKeys(db: Db, ids: readonly KeyOfAccountIds[]): Promise<(UsedKey | null)[]> {
  const padded = padToPowerOfTwo(ids)
  const rows = await findUsed(db, padded.length, [
    ...padded.flatMap(({ accountId, viewingKeyId }) => [accountId, viewingKeyId]),
    NO_KEY,
  ])
  const found = new Map(rows.map(row => [`${row.account_id} ${row.viewing_key_id}`, toUsedKey(row)]))
  return ids.map(({ accountId, viewingKeyId }) => found.get(`${accountId} ${viewingKeyId}`) ?? null)
}

function toUsedKey(row: { public_id: string; fingerprint: Uint8Array; watch_until: Int64 }): UsedKey {
  return { accountPublicId: row.public_id, fingerprint: row.fingerprint, watchUntil: num(row.watch_until) }
}

function toViewingKey(row: Selectable<ViewingKeysTable>): ViewingKeyRow {
  return {
    id: num(row.id),
    fingerprint: row.fingerprint,
    network: row.network,
    sealed: row.sealed,
    watchUntil: num(row.watch_until),
  }
}
