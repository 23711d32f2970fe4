import type { Dialect } from '../../dialect.ts'

/**
 * - `headers`: the newest recorded blocks.
 * - `rewinds`: the height to which blocks were removed, and the newest invoice that existed then.
 * - `chain_problems`: the present problems of the chain servers, one row each, for the processes that do not sync the
 *   chain. `detail` is the name of an upgrade or a number of blocks.
 * - `watchers`: readers of the chain, one row each, and the time up to which each knows chain and mempool; 0 before its
 *   first complete sync. The one row is the watcher of all keys.
 */
export function chainTables({ id, int, strict }: Dialect): string[] {
  return [
    `CREATE TABLE headers (
      height ${int} PRIMARY KEY,
      hash TEXT NOT NULL,
      prev_hash TEXT NOT NULL,
      time ${int} NOT NULL,
      sapling_size ${int} NOT NULL,
      orchard_size ${int} NOT NULL,
      ironwood_size ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE rewinds (
      id ${id},
      to_height ${int} NOT NULL,
      newest_invoice_id ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE chain_problems (
      problem TEXT PRIMARY KEY,
      detail TEXT,
      since ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE watchers (
      id ${int} PRIMARY KEY,
      synced_through ${int} NOT NULL
    ) ${strict}`,
    'INSERT INTO watchers (id, synced_through) VALUES (1, 0)',
  ]
}
