import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompiledQuery, DatabaseConnection } from 'kysely'
import type { Page } from '../../../src/ports/repository/page.ts'
import type { Tx } from '../../../src/ports/store.ts'
import { POSTGRES } from '../../../src/store/dialect.ts'
import { DEFAULT_LIMITS } from '../../../src/store/limits.ts'
import { createPgPool, PgConnection } from '../../../src/store/postgres/driver.ts'
import { openTransaction } from '../../../src/store/transaction/transaction.ts'
import { describePostgres } from '../../harness/databases.ts'

/** An account with many rows, all older than those of others, and one whose rows are all newer. */
const OLD = 99
const NEW = 98
const ROWS_OF_ACCOUNT = 1_000
const ROWS = 30_000
const MAX_DROPPED = 1_000

const NUMBERS = `SELECT n, CASE WHEN n <= ${ROWS_OF_ACCOUNT} THEN ${OLD}
    WHEN n > ${ROWS - ROWS_OF_ACCOUNT} THEN ${NEW} ELSE n % 50 END AS account FROM generate_series(1, ${ROWS}) AS n`
const FILLED = `SET session_replication_role = replica;
  INSERT INTO deliveries (public_id, account_id, event_seq, event_type, state, attempts, created_at)
  SELECT n, account, n, 'invoice.paid', 'delivered', 1, n FROM (${NUMBERS}) AS numbers;
  INSERT INTO delivery_attempts (public_id, delivery_id, account_id, url, attempt, duration_ms, created_at)
  SELECT n, n, account, 'https://shop.example', 1, 5, n FROM (${NUMBERS}) AS numbers;
  INSERT INTO audit_entries (account_id, kind, actor, created_at)
  SELECT account, 'signed_in', 'merchant', n FROM (${NUMBERS}) AS numbers;
  ANALYZE deliveries; ANALYZE delivery_attempts; ANALYZE audit_entries;
  SET session_replication_role = origin`

interface Plan {
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** The rows that a plan has read and not used. */
function droppedRows({
  'Actual Loops': loops,
  'Rows Removed by Filter': dropped = 0,
  Plans: plans = [],
}: Plan): number {
  return dropped * loops + plans.reduce((sum, each) => sum + droppedRows(each), 0)
}

describePostgres('plans on PostgreSQL', server => {
  test('the pages of an account, and the rows that its deletion deletes, are read without those of others', async t => {
    const url = await server().migratedDatabase()
    const pool = createPgPool(url, DEFAULT_LIMITS, error => assert.fail(String(error)))
    const client = await pool.connect()
    t.after(async () => {
      client.release(true)
      await pool.close()
    })
    await client.query(FILLED)
    const connection = new PgConnection(client)
    const limit = 50
    const oldest = ROWS - ROWS_OF_ACCOUNT + 10
    const newest = ROWS_OF_ACCOUNT - 10
    const lists = (accountId: number, page: Page): Record<string, (tx: Tx) => Promise<unknown>> => ({
      deliveries: tx => tx.deliveries.list(accountId, page),
      'deliveries of a type': tx => tx.deliveries.list(accountId, page, { type: 'invoice.paid' }),
      attempts: tx => tx.deliveries.listAttempts(accountId, page),
    })
    const named = (name: string, works: ReturnType<typeof lists>) =>
      Object.fromEntries(Object.entries(works).map(([list, work]) => [`${name} page of ${list}`, work]))
    const works: ReturnType<typeof lists> = {
      ...named('first', lists(OLD, { limit })),
      ...named('last', lists(NEW, { limit, before: `${oldest}` })),
      ...named('previous', lists(OLD, { limit, after: `${newest}` })),
      'first page of audit': tx => tx.audit.list({ accountId: OLD }, limit),
      'last page of audit': tx => tx.audit.list({ accountId: NEW }, limit, oldest),
      'previous page of audit': tx => tx.audit.list({ accountId: OLD }, limit, undefined, newest),
      deletion: tx => tx.accountDeletions.eraseHistory(NEW, 50),
    }
    const tooMany: string[] = []
    for (const [name, work] of Object.entries(works)) {
      await client.query('BEGIN')
      const dropped: number[] = []
      const explaining: DatabaseConnection = {
        async executeQuery<R>(query: CompiledQuery) {
          const { sql, parameters } = query
          const { rows } = await client.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql}`, [...parameters])
          dropped.push(droppedRows((rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan))
          return connection.executeQuery<R>(query)
        },
        streamQuery: () => assert.fail('no query is streamed'),
      }
      await work(openTransaction(explaining, { dialect: POSTGRES, identity: "'?'" }, 'write').tx)
      await client.query('ROLLBACK')
      assert.ok(dropped.length > 0)
      if (Math.max(...dropped) > MAX_DROPPED) tooMany.push(`${name}: ${dropped.join(', ')} rows of others`)
    }
    assert.deepEqual(tooMany, [])
  })
})
