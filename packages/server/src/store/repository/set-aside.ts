import type { ExpressionBuilder, Insertable, RawBuilder, Selectable, SqlBool } from 'kysely'
import { sql } from 'kysely'
import { latestRetryAt, type SetAsideKind } from '../../domain/set-aside.ts'
import type { SetAside, SetAsideCount, SetAsideRepository } from '../../ports/repository/set-aside.ts'
import { keptStatement } from '../kept-statement.ts'
import { chunks, inChunks, num, numOrNull } from '../mapping.ts'
import type { Db, SetAsideTable, Tables } from '../tables.ts'

type CountRow = { kind: SetAsideKind; rows: bigint | number | string; first_at: bigint | number | null }

const COLUMNS = 9

function isDue(now: number) {
  return ({ or, eb }: ExpressionBuilder<Tables, 'set_aside'>) =>
    or([
      eb('next_attempt_at', '<=', now),
      eb('next_attempt_at', '>', latestRetryAt(now, true)),
      eb('failures', '=', sql.lit(0)).and('next_attempt_at', '>', latestRetryAt(now, false)),
    ])
}

/** Asked every few seconds, by several loops. */
const findDue = keptStatement(db => db.selectFrom('set_aside').select('kind').where(isDue(0)).limit(sql.lit(1)))

/** Read by each sync. */
const findKeysMissingBlocks = keptStatement(db =>
  db
    .selectFrom('set_aside')
    .select('row_id')
    .where('kind', '=', sql.lit('scan_key'))
    .where('from_height', 'is not', null),
)

export function setAsideRepository(db: Db): SetAsideRepository {
  const all = () => db.selectFrom('set_aside').selectAll()

  const dueOf = (kind: SetAsideKind, now: number, limit: number) =>
    all().where('kind', '=', kind).where(isDue(now)).orderBy('next_attempt_at').limit(limit)

  return {
    async lock({ kind, reference }) {
      const row = await all().where('kind', '=', kind).where('reference', '=', reference).forUpdate().executeTakeFirst()
      return row ? toSetAside(row) : null
    },

    async put(entry) {
      const { kind, reference, ...values } = toRow(entry)
      await db
        .insertInto('set_aside')
        .values({ kind, reference, ...values })
        .onConflict(conflict => conflict.columns(['kind', 'reference']).doUpdateSet(values))
        .execute()
    },

    async putNew(entries) {
      for (const batch of chunks(entries.map(toRow), COLUMNS)) {
        await db
          .insertInto('set_aside')
          .values(batch)
          .onConflict(conflict => conflict.columns(['kind', 'reference']).doNothing())
          .execute()
      }
    },

    async remove({ kind, reference }) {
      await db.deleteFrom('set_aside').where('kind', '=', kind).where('reference', '=', reference).execute()
    },

    async listDue(kind, now, limit) {
      return (await dueOf(kind, now, limit).execute()).map(toSetAside)
    },

    async isAnyDue(now) {
      const rows = await findDue(db, 1, [now, latestRetryAt(now, true), latestRetryAt(now, false)])
      return rows.length > 0
    },

    async makeAllDue(now) {
      await db.updateTable('set_aside').set({ next_attempt_at: now }).where('next_attempt_at', '>', now).execute()
    },

    async listDueScanKeys(now, limit) {
      const due = dueOf('scan_key', now, limit)
      const behind = await due.where('from_height', 'is not', null).execute()
      const caughtUp = await due.where('from_height', 'is', null).execute()
      return [...behind, ...caughtUp].map(toSetAside)
    },

    async missingBlocks() {
      const rows = await db
        .selectFrom('set_aside')
        .select('reference')
        .where('kind', '=', 'scan_key')
        .where('from_height', 'is not', null)
        .execute()
      return rows.map(row => row.reference)
    },

    async keysMissingBlocks() {
      const rows = await findKeysMissingBlocks(db, 1, [])
      return rows.flatMap(row => numOrNull(row.row_id) ?? [])
    },

    async fromHeightOf(viewingKeyId) {
      const row = await db
        .selectFrom('set_aside')
        .select('from_height')
        .where('kind', '=', 'scan_key')
        .where('row_id', '=', viewingKeyId)
        .orderBy('from_height')
        .limit(1)
        .executeTakeFirst()
      return numOrNull(row?.from_height ?? null)
    },

    async invoicesAmong(ids) {
      const rows = await inChunks(ids, 1, batch =>
        db
          .selectFrom('set_aside')
          .select('row_id')
          .where('kind', '=', sql.lit('invoice'))
          .where('row_id', 'in', batch)
          .execute(),
      )
      return rows.flatMap(row => numOrNull(row.row_id) ?? [])
    },

    async scanKeyIds() {
      const rows = await db.selectFrom('set_aside').select('row_id').where('kind', '=', 'scan_key').execute()
      return rows.flatMap(row => numOrNull(row.row_id) ?? [])
    },

    async lowerFromHeight(height) {
      await db
        .updateTable('set_aside')
        .set({ from_height: height })
        .where('kind', '=', 'scan_key')
        .where('from_height', '>', height)
        .execute()
    },

    async raiseFromHeights(height) {
      await db
        .updateTable('set_aside')
        .set({ from_height: height })
        .where('kind', '=', 'scan_key')
        .where('from_height', '<', height)
        .execute()
    },

    async count(accountId, max) {
      const some = db
        .selectFrom('set_aside')
        .select('kind')
        .where('failures', '>', 0)
        .$if(accountId !== null, query => query.where('account_id', '=', accountId))
        .limit(max)
      const row = await db
        .selectFrom(some.as('some'))
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async countByKindOf(accountId) {
      const rowsOf = () => db.selectFrom('set_aside').select(['kind', 'first_at'])
      const sharedOf = (kind: SetAsideKind) => rowsOf().where('account_id', 'is', null).where('kind', '=', kind)
      const keys = sharedOf('scan_key').where(({ exists, selectFrom }) =>
        exists(
          selectFrom('account_viewing_keys')
            .select('account_viewing_keys.viewing_key_id')
            .where('account_viewing_keys.account_id', '=', accountId)
            .whereRef('account_viewing_keys.viewing_key_id', '=', 'set_aside.row_id'),
        ),
      )
      // Begins with the rows that are set aside: an account may have any number of swaps.
      const swaps = sharedOf('swap').where(({ exists, selectFrom }) =>
        exists(
          selectFrom('swaps')
            .innerJoin('invoices', 'invoices.id', 'swaps.invoice_id')
            .select('swaps.id')
            .whereRef('swaps.id', '=', 'set_aside.row_id')
            .where('invoices.account_id', '=', accountId),
        ),
      )
      const all = rowsOf().where('account_id', '=', accountId).unionAll(keys).unionAll(swaps)
      const rows = await db
        .selectFrom(all.as('all_rows'))
        .select(({ fn }) => ['kind', fn.countAll<bigint>().as('rows'), fn.min('first_at').as('first_at')])
        .groupBy('kind')
        .orderBy('kind')
        .execute()
      return rows.map(toCount)
    },

    async countByKind() {
      const rows = await db
        .selectFrom('set_aside')
        .select(({ fn }) => ['kind', fn.countAll<bigint>().as('rows'), fn.min('first_at').as('first_at')])
        .groupBy('kind')
        .orderBy('kind')
        .execute()
      return rows.map(toCount)
    },

    async list(limit) {
      const rows = await all().orderBy('first_at').orderBy('kind').orderBy('reference').limit(limit).execute()
      return rows.map(toSetAside)
    },
  }
}

/** True for the rows that are not set aside. @param reference SQL of the outer query, see `RowReference` */
export function isNotSetAside(kind: SetAsideKind, reference: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`NOT EXISTS (SELECT 1 FROM set_aside WHERE set_aside.kind = ${sql.lit(kind)}
    AND set_aside.reference = ${reference})`
}

/** Row ids of viewing keys whose payments are not all seen at the moment. */
export function scanKeysSetAside(db: Db) {
  return db
    .selectFrom('set_aside')
    .select(({ ref }) => ref('row_id').$notNull().as('id'))
    .where('kind', '=', 'scan_key')
    .where('row_id', 'is not', null)
}

/** The reference of a row without a public id: its id and the time of its creation. */
export function idAndTime(id: string, createdAt: string): RawBuilder<unknown> {
  return sql`CAST(${sql.ref(id)} AS TEXT) || ' ' || CAST(${sql.ref(createdAt)} AS TEXT)`
}

function toCount({ kind, rows, first_at }: CountRow): SetAsideCount {
  return { kind, rows: Number(rows), firstAt: Number(first_at) }
}

function toRow(entry: SetAside): Insertable<SetAsideTable> {
  return {
    kind: entry.kind,
    reference: entry.reference,
    row_id: entry.rowId,
    account_id: entry.accountId,
    error: entry.error,
    failures: entry.failures,
    first_at: entry.firstAt,
    next_attempt_at: entry.nextAttemptAt,
    from_height: entry.fromHeight,
  }
}

function toSetAside(row: Selectable<SetAsideTable>): SetAside {
  return {
    kind: row.kind,
    rowId: numOrNull(row.row_id),
    reference: row.reference,
    accountId: numOrNull(row.account_id),
    error: row.error,
    failures: num(row.failures),
    firstAt: num(row.first_at),
    nextAttemptAt: num(row.next_attempt_at),
    fromHeight: numOrNull(row.from_height),
  }
}
