import type { Selectable } from 'kysely'
import type { Header } from '../domain/chain.ts'
import { HEADERS_KEPT } from '../domain/chain.ts'
import type { ChainRows } from '../ports/chain.ts'
import { chunks, num } from './mapping.ts'
import type { Db, HeadersTable } from './tables.ts'

const COLUMNS = 7

export function chainRows(db: Db): ChainRows {
  return {
    async tip() {
      const row = await db.selectFrom('headers').selectAll().orderBy('height', 'desc').limit(1).executeTakeFirst()
      return row ? toHeader(row) : null
    },

    async headerAt(height) {
      const row = await db.selectFrom('headers').selectAll().where('height', '=', height).executeTakeFirst()
      return row ? toHeader(row) : null
    },

    async oldestHeight() {
      const row = await db.selectFrom('headers').select('height').orderBy('height').limit(1).executeTakeFirst()
      return row ? num(row.height) : null
    },

    async append(headers) {
      const newest = headers.at(-1)
      if (!newest) return
      for (const some of chunks(headers, COLUMNS)) {
        await db.insertInto('headers').values(some.map(toRow)).execute()
      }
      await db
        .deleteFrom('headers')
        .where('height', '<', newest.height - HEADERS_KEPT)
        .execute()
    },

    async removeAbove(height) {
      await db.deleteFrom('headers').where('height', '>', height).execute()
    },

    async seenThrough() {
      const row = await db
        .selectFrom('counters')
        .select('value')
        .where('name', '=', 'seen_through')
        .executeTakeFirstOrThrow()
      return num(row.value)
    },

    async setSeenThrough(unixSecs) {
      await db
        .updateTable('counters')
        .set({ value: unixSecs })
        .where('name', '=', 'seen_through')
        .where('value', '<', unixSecs)
        .execute()
    },
  }
}

function toRow(header: Header): HeadersTable {
  return {
    height: header.height,
    hash: header.hash,
    prev_hash: header.prevHash,
    time: header.time,
    sapling_size: header.trees.sapling,
    orchard_size: header.trees.orchard,
    ironwood_size: header.trees.ironwood,
  }
}

function toHeader(row: Selectable<HeadersTable>): Header {
  return {
    height: num(row.height),
    hash: row.hash,
    prevHash: row.prev_hash,
    time: num(row.time),
    trees: { sapling: num(row.sapling_size), orchard: num(row.orchard_size), ironwood: num(row.ironwood_size) },
  }
}
