import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Header } from '../../../domain/chain/chain.ts'
import { HEADERS_KEPT } from '../../../domain/chain/chain.ts'
import type { ChainProblem } from '../../../domain/chain/chain-problem.ts'
import type { ChainRepository } from '../../../ports/repository/chain/chain.ts'
import { keptStatement } from '../../kept-statement.ts'
import { chunks, num } from '../../mapping.ts'
import type { ChainProblemsTable, Db, HeadersTable } from '../../tables.ts'
import { lockRow } from '../lock-row.ts'

/** The watcher of all keys, so far the only one. */
const ALL_KEYS = 1
/** Values bound for each header. */
const COLUMNS = 7

// Statements of each sync.
const findNewest = keptStatement(db => db.selectFrom('headers').selectAll().orderBy('height', 'desc').limit(0))
const findOldest = keptStatement(db => db.selectFrom('headers').select('height').orderBy('height').limit(sql.lit(1)))
const findWitnessedHeight = keptStatement(db =>
  db.selectFrom('counters').select('value').where('name', '=', sql.lit<'witnessed_height'>('witnessed_height')),
)
const raiseSyncedThrough = keptStatement(db =>
  db
    .updateTable('watchers')
    .set({ synced_through: 0 })
    .where('id', '=', sql.lit(ALL_KEYS))
    .where(({ or, eb }) => or([eb('synced_through', '<', 0), eb('synced_through', '>', 0)])),
)

export function chainRepository(db: Db): ChainRepository {
  return {
    async lock() {
      await lockRow(db, 'chain')
    },

    async tip() {
      const [row] = await findNewest(db, 1, [1])
      return row ? toHeader(row) : null
    },

    async headerAt(height) {
      const row = await db.selectFrom('headers').selectAll().where('height', '=', height).executeTakeFirst()
      return row ? toHeader(row) : null
    },

    async oldestHeight() {
      const [row] = await findOldest(db, 1, [])
      return row ? num(row.height) : null
    },

    async newestHeaders(limit) {
      const rows = await findNewest(db, 1, [limit])
      return rows.map(toHeader)
    },

    async firstUnlinkedHeader() {
      const row = await db
        .selectFrom('headers')
        .leftJoin('headers as below', join => join.on('below.height', '=', sql<number>`headers.height - 1`))
        .selectAll('headers')
        .where(({ or, eb, ref }) =>
          or([eb('below.hash', 'is', null), eb('below.hash', '<>', ref('headers.prev_hash'))]),
        )
        .where('headers.height', '>', ({ selectFrom, fn }) =>
          selectFrom('headers').select(fn.min('height').as('oldest')),
        )
        .orderBy('headers.height')
        .limit(1)
        .executeTakeFirst()
      return row ? toHeader(row) : null
    },

    async appendHeaders(headers) {
      const newest = headers.at(-1)
      if (!newest) return
      for (const batch of chunks(headers, COLUMNS)) {
        await db.insertInto('headers').values(batch.map(toRow)).execute()
      }
      await db
        .deleteFrom('headers')
        .where('height', '<', newest.height - HEADERS_KEPT)
        .execute()
    },

    async removeHeadersAbove(height) {
      await db.deleteFrom('headers').where('height', '>', height).execute()
      await db
        .updateTable('counters')
        .set({ value: height })
        .where('name', '=', 'witnessed_height')
        .where('value', '>', height)
        .execute()
    },

    async recordRewind(toHeight) {
      const newest = sql<number>`(SELECT coalesce(max(id), 0) FROM invoices)`
      await db.insertInto('rewinds').values({ to_height: toHeight, newest_invoice_id: newest }).execute()
    },

    async rewinds() {
      const rows = await db.selectFrom('rewinds').selectAll().orderBy('id').execute()
      return rows.map(row => ({
        id: num(row.id),
        toHeight: num(row.to_height),
        newestInvoiceId: num(row.newest_invoice_id),
      }))
    },

    async removeAllHeaders() {
      await db.deleteFrom('headers').execute()
    },

    async syncedThrough() {
      const row = await db
        .selectFrom('watchers')
        .select(({ fn }) => fn.min('synced_through').as('least'))
        .executeTakeFirstOrThrow()
      return num(row.least)
    },

    async setSyncedThrough(unixSecs, now) {
      await raiseSyncedThrough(db, 1, [unixSecs, unixSecs, now])
    },

    async witnessedHeight() {
      const [row] = await findWitnessedHeight(db, 1, [])
      return row ? num(row.value) : null
    },

    async setWitnessedHeight(height) {
      if (height === null) {
        await db.deleteFrom('counters').where('name', '=', 'witnessed_height').execute()
        return
      }
      await db
        .insertInto('counters')
        .values({ name: 'witnessed_height', value: height })
        .onConflict(conflict => conflict.column('name').doUpdateSet({ value: height }))
        .execute()
    },

    async headersAbove(height, limit) {
      const rows = await db
        .selectFrom('headers')
        .selectAll()
        .where('height', '>', height)
        .orderBy('height')
        .limit(limit)
        .execute()
      return rows.map(toHeader)
    },

    async problems() {
      const rows = await db.selectFrom('chain_problems').selectAll().orderBy('problem').execute()
      return rows.map(row => ({ ...toProblem(row), since: num(row.since) }))
    },

    async setProblems(problems, now) {
      const before = await db.selectFrom('chain_problems').select(['problem', 'since']).execute()
      const since = new Map(before.map(row => [row.problem, num(row.since)]))
      await db.deleteFrom('chain_problems').execute()
      if (problems.length === 0) return
      const rows = problems.map(found => ({
        problem: found.problem,
        detail: detailOf(found),
        since: since.get(found.problem) ?? now,
      }))
      // Another process may record the same problems at the same time.
      await db
        .insertInto('chain_problems')
        .values(rows)
        .onConflict(conflict => conflict.column('problem').doUpdateSet(eb => ({ detail: eb.ref('excluded.detail') })))
        .execute()
    },
  }
}

function detailOf(found: ChainProblem): string | null {
  if (found.problem === 'servers_disagree') return String(found.height)
  if (found.problem === 'upgrade_not_followed') return found.upgrade
  return 'blocks' in found ? String(found.blocks) : null
}

function toProblem({ problem, detail }: Selectable<ChainProblemsTable>): ChainProblem {
  switch (problem) {
    case 'mempool_unreadable':
    case 'server_left_out':
    case 'second_server_missing':
      return { problem }
    case 'servers_disagree':
      return { problem, height: Number(detail) }
    case 'upgrade_not_followed':
      return { problem, upgrade: detail ?? '' }
    default:
      return { problem, blocks: Number(detail) }
  }
}

function toRow(header: Header): HeadersTable {
  return {
    height: header.height,
    hash: header.hash,
    prev_hash: header.prevHash,
    time: header.time,
    sapling_size: header.treeSizes.sapling,
    orchard_size: header.treeSizes.orchard,
    ironwood_size: header.treeSizes.ironwood,
  }
}

function toHeader(row: Selectable<HeadersTable>): Header {
  return {
    height: num(row.height),
    hash: row.hash,
    prevHash: row.prev_hash,
    time: num(row.time),
    treeSizes: { sapling: num(row.sapling_size), orchard: num(row.orchard_size), ironwood: num(row.ironwood_size) },
  }
}
