import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection } from 'kysely'
import type { WorkWatch } from '../../../src/ports/progress.ts'
import type { Tx } from '../../../src/ports/store.ts'
import { SQLITE } from '../../../src/store/dialect.ts'
import type { StoreOptions } from '../../../src/store/open.ts'
import { backupDatabase, openStore } from '../../../src/store/open.ts'
import { SqliteConnection } from '../../../src/store/sqlite/driver.ts'
import { openTransaction } from '../../../src/store/transaction/transaction.ts'
import { FIRST_CURSOR, makeAccount, openShop } from '../../harness/fixtures.ts'

function tempFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-sqlite-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function openFile(t: TestContext, path: string, options?: StoreOptions) {
  const store = await openStore(`sqlite:${path}`, options)
  t.after(() => store.close())
  return store
}

test('every acknowledged write survives when the process is killed during commits', async t => {
  const path = join(tempFolder(t), 'zatgate.db')
  const acknowledged: number[] = []
  for (let round = 0; round < 3; round++) {
    const script = join(import.meta.dirname, 'crash-writer.ts')
    const writer = spawn(process.execPath, [script, path, `${round * 1_000_000}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(writer, 'exit')
    let lines = 0
    for await (const line of createInterface({ input: writer.stdout })) {
      acknowledged.push(Number(line.split(' ')[0]))
      if (++lines === 100 + 37 * round) writer.kill('SIGKILL')
    }
    await exited
  }
  const store = await openFile(t, path)
  await store.close()
  const database = new DatabaseSync(path)
  const written = database.prepare("SELECT created_at - 1800000000 AS number FROM events WHERE type = 'test'").all()
  const stored = new Set(written.map(row => Number(row.number)))
  assert.deepEqual(
    acknowledged.filter(number => !stored.has(number)),
    [],
  )
  assert.ok(acknowledged.length >= 300)
  // Each use case is complete: the counter equals the number of events.
  const whole = database.prepare('SELECT sum(used) = (SELECT count(*) FROM events) AS whole FROM monthly_usage').get()
  assert.equal(whole?.whole, 1)
  assert.deepEqual(
    database
      .prepare('PRAGMA integrity_check')
      .all()
      .map(row => row.integrity_check),
    ['ok'],
  )
  database.close()
})

test('the file and its folder are created with access for the owner only', async t => {
  const path = join(tempFolder(t), 'data', 'zatgate.db')
  await openFile(t, path)
  for (const name of readdirSync(join(path, '..'))) {
    assert.equal(statSync(join(path, '..', name)).mode & 0o777, 0o600, name)
  }
  assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700)
})

test('a database URL that names no database is refused', async () => {
  for (const url of ['', 'mysql://x', 'sqlite:', 'sqlite::memory:', '/data/zatgate.db']) {
    await assert.rejects(openStore(url), /sqlite:<path>/, url)
  }
})

test('while another process holds the write lock, writes wait, and neither reads nor the process are blocked', async t => {
  const path = join(tempFolder(t), 'zatgate.db')
  const store = await openFile(t, path)
  const account = await makeAccount(store)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  let written = false
  const write = store
    .write(tx => tx.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 }))
    .then(() => {
      written = true
    })
  for (let turn = 0; turn < 100; turn++) await nextTurn()
  assert.deepEqual(await store.read(tx => tx.accounts.list(0, 100)), [account])
  assert.equal(written, false)
  other.exec('COMMIT')
  other.close()
  await write
  assert.equal((await store.read(tx => tx.accounts.byId(account.id)))?.confirmations, 9)
})

test('a write lock that is never released makes writes fail with `unavailable` after the time limit', async t => {
  const path = join(tempFolder(t), 'zatgate.db')
  const store = await openFile(t, path, { limits: { lockTimeoutMs: 20 } })
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  await assert.rejects(makeAccount(store), { kind: 'unavailable', code: 'database_unavailable' })
  other.exec('ROLLBACK')
  other.close()
  await makeAccount(store)
})

test('a read sees one snapshot, regardless of commits during the read', async t => {
  const store = await openFile(t, join(tempFolder(t), 'zatgate.db'))
  const account = await makeAccount(store)
  await store.read(async tx => {
    const before = await tx.accounts.list(0, 100)
    await store.write(inner => inner.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 }))
    assert.deepEqual(await tx.accounts.list(0, 100), before)
  })
  assert.equal((await store.read(tx => tx.accounts.byId(account.id)))?.confirmations, 9)
})

test('a backup taken during writes is complete and private, and contains every write acknowledged before', async t => {
  const folder = tempFolder(t)
  const store = await openFile(t, join(folder, 'zatgate.db'))
  const shop = await openShop(store)
  const before = await Promise.all(Array.from({ length: 200 }, () => shop.sell()))
  let stop = false
  const writer = (async () => {
    while (!stop) await shop.sell()
  })()
  const copies = join(folder, 'copies')
  mkdirSync(copies)
  const file = join(copies, 'copy.db')
  await backupDatabase(`sqlite:${join(folder, 'zatgate.db')}`, file)
  stop = true
  await writer
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(copies), ['copy.db'])
  const copy = await openFile(t, file)
  const ids = before.map(invoice => invoice.id)
  assert.deepEqual(await copy.read(tx => tx.invoices.byIds(ids)), before)
})

test('a backup reports its bytes, and one that is stopped leaves no file', async t => {
  const folder = tempFolder(t)
  const path = join(folder, 'zatgate.db')
  await openFile(t, path)
  const backup = (name: string, watch: WorkWatch) => backupDatabase(`sqlite:${path}`, join(copies, name), watch)
  const filler = new DatabaseSync(path)
  filler.exec('CREATE TABLE filler (data BLOB); INSERT INTO filler VALUES (randomblob(12000000))')
  filler.close()
  const copies = join(folder, 'copies')
  mkdirSync(copies)
  const stop = new AbortController()
  const reports: [done: number, total: number][] = []
  const onProgress = (done: number, total: number) => {
    reports.push([done, total])
    stop.abort(new Error('stopped'))
  }
  await assert.rejects(backup('stopped.db', { onProgress, signal: stop.signal }), /^Error: stopped$/)
  assert.deepEqual(readdirSync(copies), [])
  reports.length = 0
  await backup('whole.db', { onProgress })
  assert.deepEqual(readdirSync(copies), ['whole.db'])
  assert.ok(reports.length >= 2)
  for (const [done, total] of reports) assert.ok(done > 0 && done <= total && total > 12_000_000, `${done} of ${total}`)
})

test('a backup overwrites no file', async t => {
  const folder = tempFolder(t)
  const source = join(folder, 'zatgate.db')
  await openFile(t, source)
  const file = join(folder, 'copy.db')
  writeFileSync(file, 'precious')
  await assert.rejects(backupDatabase(`sqlite:${source}`, file), { kind: 'conflict', code: 'file_exists' })
  assert.equal(readFileSync(file, 'utf8'), 'precious')
  assert.equal(existsSync(`${file}.partial`), false)
})

test('frequent queries use their indexes, not a table scan', async t => {
  const path = join(tempFolder(t), 'zatgate.db')
  await openFile(t, path)
  const database = new DatabaseSync(path)
  t.after(() => database.close())
  const plans: [work: (tx: Tx) => Promise<unknown>, index: string][] = [
    [tx => tx.apiKeys.authenticate([new Uint8Array(32)]), 'sqlite_autoindex_api_keys_2'],
    [tx => tx.sessions.authenticate(new Uint8Array(32), 0), 'sqlite_autoindex_sessions_2'],
    [tx => tx.invoices.byPublicId('x'), 'sqlite_autoindex_invoices_1'],
    [tx => tx.invoices.byPublicIds(['x', 'y']), 'sqlite_autoindex_invoices_1'],
    // Refused after the query, because there is no such row.
    [tx => tx.invoices.list(1, { limit: 9, before: 'x' }).catch(() => {}), 'invoices_by_time'],
    [tx => tx.invoices.expirable(0, 0, 9), 'invoices_due'],
    [tx => tx.invoices.isAnyOverdue(0), 'invoices_due'],
    [tx => tx.invoices.confirmable(9, 9), 'invoices_confirming'],
    [
      tx => tx.invoices.byDiversifierIndexes([{ viewingKeyId: 1, diversifierIndex: 1n }]),
      'sqlite_autoindex_invoices_2',
    ],
    [tx => tx.dashboard.paidByDay(1, 0), 'sqlite_autoindex_daily_totals_1 (account_id=? AND day>?)'],
    [tx => tx.dashboard.countByStatus(1, 'pending', 0, 9), 'invoices_by_status'],
    [tx => tx.dashboard.countNeedingAttention(1, 9), 'invoices_needing_attention'],
    [tx => tx.dashboard.byIdPrefix(1, 'abcdef', 9), 'sqlite_autoindex_invoices_1 (public_id>? AND public_id<?)'],
    [tx => tx.dashboard.byTxidPrefix(1, 'abcdef', 9), 'sqlite_autoindex_payments_1 (txid>? AND txid<?)'],
    [tx => tx.dashboard.viewingKeys(1, 9), 'account_viewing_keys'],
    [tx => tx.dashboard.listByTime(1, { from: 0, to: 9 }, { createdAt: 1, id: 1 }, 9), 'invoices_by_time'],
    [tx => tx.deliveries.countOpen(), 'deliveries_due'],
    [tx => tx.mails.countWaiting(), 'mails_waiting'],
    [tx => tx.withdrawals.countByStatus('payout_processing'), 'withdrawals_by_status'],
    [tx => tx.billing.countNeedingAttention(), 'plan_purchases_attention'],
    [tx => tx.swaps.countNeedingAttention(), 'swaps_needing_attention'],
    [tx => tx.swaps.needingAttention(9, 1), 'swaps_needing_attention'],
    [tx => tx.deliveries.listAttempts(1, { limit: 9 }), 'delivery_attempts_by_account'],
    [tx => tx.audit.list({ accountId: 1 }, 9), 'audit_entries_by_account'],
    [tx => tx.setAside.countByKindOf(1), 'set_aside_by_account (account_id=?)'],
    [tx => tx.setAside.countByKindOf(1), 'set_aside_by_account (account_id=? AND kind=?)'],
    [tx => tx.setAside.countByKindOf(1), 'SEARCH swaps USING INTEGER PRIMARY KEY (rowid=?)'],
    [tx => tx.sessions.list(1, 0, { limit: 9 }), 'sessions_by_account'],
    [tx => tx.apiKeys.list(1, { limit: 9 }), 'api_keys_by_account'],
    [tx => tx.withdrawals.list(1, { limit: 9 }), 'withdrawals_by_account'],
    [tx => tx.billing.list(1, { limit: 9 }), 'plan_purchases_by_account'],
    [tx => tx.payments.newest(1, 9), 'payments_live'],
    [tx => tx.payments.listMempool(9, null), 'payments_in_mempool'],
    [tx => tx.payments.summaries([{ id: 1, confirmedThrough: 5 }]), 'sqlite_autoindex_payment_totals_1'],
    [tx => tx.payments.summaries([{ id: 1, confirmedThrough: 5 }]), 'payments_live'],
    [tx => tx.payments.summaries([{ id: 1, confirmedThrough: 5 }]), 'payments_dropped_expiry'],
    [tx => tx.payments.summaries([{ id: 1, confirmedThrough: 5 }]), 'payments_dropped_last_seen'],
    [tx => tx.payments.listMempool(9, { invoiceId: 1, seq: 1 }), 'payments_in_mempool'],
    [tx => tx.payments.firstUnmined([1, 2], 9), 'payments_in_mempool'],
    [tx => tx.payments.latestUnminedSeenAt(1), 'payments_in_mempool'],
    [tx => tx.payments.expiredUnmined(5, 9), 'payments_expiring'],
    [tx => tx.payments.lowerVanishedHeights(5, 9), 'payments_vanished'],
    [tx => tx.payments.allAwaitingWitness(9, 1), 'payments_awaiting_witness'],
    [tx => tx.payments.heightsOf(1, 9), 'sqlite_autoindex_payment_totals_1'],
    [tx => tx.payments.invoicesMinedAbove(5), 'payment_totals_by_height'],
    [tx => tx.payments.pruneDropped({ seenBefore: 0, watchedBefore: 0 }, 9), 'payments_dropped_by_age'],
    [tx => tx.deliveries.prune(0, 9), 'deliveries_ended'],
    [tx => tx.deliveries.list(1, { limit: 9 }), 'deliveries_by_account'],
    [tx => tx.deliveries.list(1, { limit: 9 }, { failed: true }), 'deliveries_failed'],
    [tx => tx.deliveries.listFailed(1, 9), 'deliveries_failed'],
    [tx => tx.deliveries.countFailed(1, 9), 'deliveries_failed'],
    [tx => tx.dashboard.overpaid(1, 5, 9), 'invoices_overpaid_by_time'],
    [tx => tx.dashboard.countOverpaid(1, 5, 9), 'invoices_overpaid_by_time'],
    [tx => tx.invoices.list(1, { limit: 9 }, { overpaid: true }), 'invoices_overpaid'],
    [tx => tx.invoices.list(1, { limit: 9 }, { partPaid: true }), 'invoices_part_paid (account_id=?)'],
    [tx => tx.invoices.list(1, { limit: 9 }, { late: true }), 'invoices_late (account_id=?)'],
    [tx => tx.invoices.list(1, { limit: 9 }, { canceled: true }), 'invoices_canceled (account_id=?)'],
    [tx => tx.dashboard.late(1, 5, 9), 'invoices_late_by_time (account_id=? AND late_at>?)'],
    [tx => tx.dashboard.countLate(1, 5, 9), 'invoices_late_by_time (account_id=? AND late_at>?)'],
    [tx => tx.invoices.list(1, { limit: 9 }, { orderId: '1' }), 'invoices_by_order (account_id=? AND order_id=?)'],
    [
      tx => tx.invoices.otherOfOrder({ id: 9, accountId: 1, orderId: '1' }),
      'invoices_by_order (account_id=? AND order_id=?)',
    ],
    [tx => tx.dashboard.byOrderPrefix(1, '1', 9), 'invoices_by_order (account_id=? AND order_id>? AND order_id<?)'],
    [tx => tx.events.prune(0, 9), 'PRIMARY KEY'],
    [tx => tx.sessions.prune(0, 9), 'sessions_by_expiry'],
    [tx => tx.apiKeys.prune(0, 9), 'api_keys_revoked'],
    [tx => tx.audit.prune(0, 9), 'audit_entries_by_age'],
    [tx => tx.emailChanges.prune(0, 9), 'email_changes_by_age'],
    [tx => tx.signIn.prune(0, 9), 'sign_in_codes_by_age'],
    [tx => tx.payments.lowestHeightWithAtMost(9, 5), 'payments_by_height'],
    [tx => tx.setAside.invoicesAmong([1, 2]), 'set_aside_by_row'],
    [tx => tx.payments.unmineAbove(5), 'payments_by_height'],
    [tx => tx.payments.markDropped(['x']), 'sqlite_autoindex_payments_1'],
    [tx => tx.events.invoicesChangedSince(FIRST_CURSOR, 9), 'PRIMARY KEY'],
    [tx => tx.idempotency.prune(0, 9), 'idempotency_keys_by_age'],
  ]
  for (const [work, index] of plans) {
    const [query] = await queriesOf(path, work)
    assert.ok(query)
    const values = query.parameters.map(value => value as string)
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${query.sql}`).all(...values)
    const details = plan.map(row => String(row.detail)).join('; ')
    assert.ok(details.includes(index), `${query.sql} is planned as: ${details}`)
  }
})

/** Runs a use case on a separate writer and returns the statements that it sent. */
async function queriesOf(path: string, work: (tx: Tx) => Promise<unknown>): Promise<CompiledQuery[]> {
  const connection = SqliteConnection.openWriter(path)
  const queries: CompiledQuery[] = []
  const recording: DatabaseConnection = {
    executeQuery(query) {
      queries.push(query)
      return connection.executeQuery(query)
    },
    streamQuery: () => connection.streamQuery(),
  }
  await work(openTransaction(recording, { dialect: SQLITE, identity: "'?'" }, 'write').tx)
  connection.close()
  return queries
}
