import type { Dialect } from '../dialect.ts'
import { accountTables } from './0001_baseline/account.ts'
import { chainTables } from './0001_baseline/chain.ts'
import { notifyTables } from './0001_baseline/notify.ts'
import { payoutTables } from './0001_baseline/payout.ts'
import { planTables } from './0001_baseline/plan.ts'
import { saleTables } from './0001_baseline/sale.ts'

/**
 * All tables of the first version. Times are Unix seconds, unless a name ends in `_ms`. Amounts in zat are integers; those
 * of other assets are decimal text, since they may exceed 64 bits. Booleans are 0 or 1.
 */
export function baseline(dialect: Dialect): string[] {
  const rooms = [accountTables, saleTables, planTables, payoutTables, chainTables, notifyTables, commonTables]
  return rooms.flatMap(tables => tables(dialect))
}

/**
 * - `counters`: numbers that every process shares: the last sequence number of an event, the time up to which chain and
 *   mempool are known, and the height up to which two chain servers agree (absent: no agreement).
 * - `locks`: rows to lock before several rows are counted or the chain is written.
 * - `database_identity`: one row, the identity of the database that the address counters belong to; empty until it is
 *   recorded.
 * - `set_aside`: rows that background work leaves out, because the work fails for this row alone. `reference` identifies
 *   the row, also where its id is given to another one. `from_height` is the first block that was not scanned with a
 *   viewing key. `account_id` has no foreign key, since checking one would lock the account.
 */
function commonTables({ int, strict }: Dialect): string[] {
  return [
    `CREATE TABLE counters (
      name TEXT PRIMARY KEY,
      value ${int} NOT NULL
    ) ${strict}`,
    "INSERT INTO counters (name, value) VALUES ('event_seq', 0), ('synced_through', 0)",
    `CREATE TABLE locks (
      name TEXT PRIMARY KEY
    ) ${strict}`,
    "INSERT INTO locks (name) VALUES ('chain'), ('sign_in'), ('watched_keys')",
    `CREATE TABLE database_identity (
      id ${int} PRIMARY KEY CHECK (id = 1),
      identity TEXT NOT NULL
    ) ${strict}`,
    "INSERT INTO database_identity (id, identity) VALUES (1, '')",
    `CREATE TABLE set_aside (
      kind TEXT NOT NULL,
      reference TEXT NOT NULL,
      row_id ${int},
      account_id ${int},
      error TEXT NOT NULL,
      failures ${int} NOT NULL,
      first_at ${int} NOT NULL,
      next_attempt_at ${int} NOT NULL,
      from_height ${int},
      PRIMARY KEY (kind, reference)
    ) ${strict}`,
    'CREATE INDEX set_aside_due ON set_aside (kind, next_attempt_at)',
    'CREATE INDEX set_aside_by_row ON set_aside (kind, row_id)',
    'CREATE INDEX set_aside_by_account ON set_aside (account_id, kind)',
  ]
}
