import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { CompiledQuery, DatabaseConnection } from 'kysely'
import type { DeliveryFilter } from '../../../src/ports/repository/notify/delivery.ts'
import type { InvoiceFilter } from '../../../src/ports/repository/sale/invoice.ts'
import type { Tx } from '../../../src/ports/store.ts'
import { SQLITE } from '../../../src/store/dialect.ts'
import { openStore } from '../../../src/store/open.ts'
import { SqliteConnection } from '../../../src/store/sqlite/driver.ts'
import { openTransaction } from '../../../src/store/transaction/transaction.ts'
import { stackOf, temporaryFolder } from '../../harness/container.ts'
import { FIRST_CURSOR } from '../../harness/fixtures.ts'

type Work = (tx: Tx) => Promise<unknown>

/** A new database: the plan of the first statement of a use case, or of a later one, or its SQL. */
async function planner(t: TestContext) {
  const path = join(temporaryFolder(stackOf(t)), 'zatgate.db')
  await (await openStore(`sqlite:${path}`)).close()
  const database = new DatabaseSync(path)
  t.after(() => database.close())
  const queryOf = async (work: Work, index = 0) => {
    const query = (await queriesOf(path, work))[index]
    assert.ok(query)
    return query
  }
  const planOf = async (work: Work, index?: number) => {
    const query = await queryOf(work, index)
    const values = query.parameters.map(value => value as string)
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${query.sql}`).all(...values)
    return plan.map(row => String(row.detail)).join('; ')
  }
  return { planOf, queryOf, database }
}

test('frequent queries use their indexes, not a table scan', async t => {
  const { planOf } = await planner(t)
  const plans: [work: Work, index: string][] = [
    [tx => tx.apiKeys.authenticate([new Uint8Array(32)]), 'sqlite_autoindex_api_keys_2'],
    [tx => tx.sessions.authenticate(new Uint8Array(32), 0), 'sqlite_autoindex_sessions_2'],
    [tx => tx.invoices.byPublicId('x'), 'sqlite_autoindex_invoices_1'],
    [tx => tx.invoices.byPublicIds(['x', 'y']), 'sqlite_autoindex_invoices_1'],
    [tx => tx.invoices.expirable(0, 0, 9), 'invoices_due'],
    [tx => tx.invoices.isAnyOverdue(0), 'invoices_due'],
    [tx => tx.invoices.confirmable(9, 9), 'invoices_confirming'],
    [tx => tx.invoiceTexts.list(1, 9, { createdAt: 1, id: 1 }, 9), 'invoices_with_texts'],
    [tx => tx.invoiceTexts.accountAfter(1, 9), 'invoices_with_texts (account_id=? AND created_at<?)'],
    [tx => tx.invoiceTexts.erase(1, [1, 2]), 'events_with_texts (invoice_id=?)'],
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
    [tx => tx.deliveries.countOpen(), 'deliveries_due'],
    [tx => tx.mails.countWaiting(), 'mails_waiting'],
    [tx => tx.withdrawals.countByStatus('payout_processing'), 'withdrawals_by_status'],
    [tx => tx.billing.countNeedingAttention(), 'plan_purchases_attention'],
    [tx => tx.swaps.countNeedingAttention(), 'swaps_needing_attention'],
    [tx => tx.swaps.needingAttention(9, 1), 'swaps_needing_attention'],
    [tx => tx.deliveries.listAttempts(1, { limit: 9 }), 'delivery_attempts_by_account'],
    [tx => tx.deliveries.attemptsOf(1, 'x', 9), 'sqlite_autoindex_delivery_attempts_2 (delivery_id=?)'],
    [
      tx => tx.deliveries.listAttempts(1, { limit: 9 }, { invoicePublicId: 'x' }),
      'delivery_attempts_by_invoice (invoice_id=?)',
    ],
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
    [tx => tx.deliveries.listFailed(1, 9), 'deliveries_failed (account_id=? AND event_type=?)'],
    [tx => tx.deliveries.countFailed(1, 9), 'deliveries_failed (account_id=? AND event_type=?)'],
    [tx => tx.endpointDeliveries.countFailed(1, 9), 'deliveries_failed_of_endpoint (endpoint_id=?)'],
    [tx => tx.endpointDeliveries.openOf(1, 9), 'deliveries_open_of_endpoint (endpoint_id=?)'],
    [tx => tx.endpointDeliveries.failAll(1), 'deliveries_open_of_endpoint (endpoint_id=?)'],
    [tx => tx.endpointDeliveries.release(1, 2), 'deliveries_open_of_endpoint (endpoint_id=?)'],
    [tx => tx.endpointDeliveries.takenAmong(1, 1, [2, 3]), 'event_seq=?'],
    [tx => tx.endpoints.restart(1), 'deliveries_open_of_endpoint (endpoint_id=?)'],
    [tx => tx.endpoints.prune(1, 9), 'deliveries_of_endpoint (endpoint_id=?)'],
    [tx => tx.deliveries.countOpenOf(1, 9), 'deliveries_due (account_id=?'],
    [tx => tx.deliveries.list(1, { limit: 9 }), 'deliveries_open_of_endpoint (endpoint_id=? AND event_seq<?)'],
    [
      tx => tx.endpointDeliveries.firstFailedSeq(1, 1, 5),
      'deliveries_failed_of_endpoint (endpoint_id=? AND event_type=?)',
    ],
    [tx => tx.dashboard.overpaid(1, 5, 9), 'invoices_overpaid_by_time'],
    [tx => tx.dashboard.countOverpaid(1, 5, 9), 'invoices_overpaid_by_time'],
    [tx => tx.dashboard.late(1, 5, 9), 'invoices_late_by_time (account_id=? AND late_at>?)'],
    [tx => tx.dashboard.countLate(1, 5, 9), 'invoices_late_by_time (account_id=? AND late_at>?)'],
    [
      tx => tx.invoices.otherOfOrder({ id: 9, accountId: 1, orderId: '1' }),
      'invoices_by_order (account_id=? AND order_id=?)',
    ],
    [tx => tx.dashboard.byOrderPrefix(1, '1', 9), 'invoices_by_order (account_id=? AND order_id>? AND order_id<?)'],
    [tx => tx.refunds.byPublicId(1, 'x'), 'sqlite_autoindex_refunds_1'],
    [tx => tx.refunds.byPublicIds(1, ['x', 'y']), 'sqlite_autoindex_refunds_1'],
    [tx => tx.refunds.byLink('x'), 'sqlite_autoindex_refunds_2'],
    [tx => tx.refunds.byKey(1, 'x', 5), 'refunds_by_key (account_id=? AND idempotency_key=?)'],
    [tx => tx.refunds.sums(1), 'refunds_by_invoice (invoice_id=?)'],
    [tx => tx.refunds.lock([1, 2]), 'INTEGER PRIMARY KEY'],
    [tx => tx.events.prune(0, 9), 'events_by_time (created_at<?)'],
    [tx => tx.events.listAfter(1, 5, 9), 'sqlite_autoindex_events_1 (account_id=? AND seq>?)'],
    [tx => tx.events.listAfter(1, 5, 9, ['test']), 'events_by_type (account_id=? AND type=? AND seq>?)'],
    [tx => tx.events.listNewest(1, { limit: 9, before: 5 }), 'sqlite_autoindex_events_1 (account_id=? AND seq<?)'],
    [
      tx => tx.events.listNewest(1, { limit: 9, after: 5 }, 'test'),
      'events_by_type (account_id=? AND type=? AND seq>?)',
    ],
    [tx => tx.deliveries.newestOfEvents(1, [1, 2]), 'deliveries_by_event (event_seq=? AND account_id=?)'],
    [tx => tx.deliveries.list(1, { limit: 9 }, { eventSeq: 1 }), 'deliveries_by_event (event_seq=? AND account_id=?)'],
    [tx => tx.dashboard.totals(1, {}, 9), 'invoices_by_time (account_id=? AND created_at>?)'],
    [
      tx => tx.dashboard.totals(1, { statuses: ['paid'] }, 9),
      'invoices_by_status (account_id=? AND status=? AND created_at>?)',
    ],
    [tx => tx.dashboard.totals(1, { overpaid: true }, 9), 'invoices_overpaid (account_id=? AND created_at>?)'],
    [tx => tx.dashboard.countUnderpaid(1, 5, 9), 'invoices_by_status (account_id=? AND status=? AND created_at>?)'],
    [tx => tx.dashboard.pricesByDay(1, 5), 'sqlite_autoindex_daily_prices_1 (account_id=? AND day>?)'],
    [tx => tx.refunds.totals(1, 'sent', 9), 'refunds_by_status (account_id=? AND status=?)'],
    [tx => tx.apiKeys.endingSoon(1, 2, 3, 9), 'api_keys'],
    [tx => tx.invoiceChanges.prune(0, 9), 'PRIMARY KEY'],
    [tx => tx.sessions.prune(0, 9), 'sessions_by_expiry'],
    [tx => tx.apiKeys.prune(0, 9), 'api_keys_revoked'],
    [tx => tx.apiKeys.pruneEnded(0, 9), 'api_keys_ended'],
    [tx => tx.apiKeys.countActive(1, 0), 'api_keys_by_account'],
    [tx => tx.audit.prune(0, 9), 'audit_entries_by_age'],
    [tx => tx.emailChanges.prune(0, 9), 'email_changes_by_age'],
    [tx => tx.signIn.prune(0, 9), 'sign_in_codes_by_age'],
    [tx => tx.payments.lowestHeightWithAtMost(9, 5), 'payments_by_height'],
    [tx => tx.setAside.invoicesAmong([1, 2]), 'set_aside_by_row'],
    [tx => tx.payments.unmineAbove(5), 'payments_by_height'],
    [tx => tx.payments.markDropped(['x']), 'sqlite_autoindex_payments_1'],
    [tx => tx.invoiceChanges.since(FIRST_CURSOR, 9), 'PRIMARY KEY'],
    [tx => tx.idempotency.prune(0, 9), 'idempotency_keys_by_age'],
  ]
  for (const [work, index] of plans) {
    const plan = await planOf(work)
    assert.ok(plan.includes(index), `${work} is planned as: ${plan}`)
  }
})

test('the open invoices, orders and texts of an account that is deleted are found by indexes of them', async t => {
  const { planOf } = await planner(t)
  const open = await Promise.all([1, 2].map(index => planOf(tx => tx.accountDeletions.openWork(1, 9), index)))
  assert.match(open[0]!, /INDEX invoices_by_status \(account_id=\? AND status=\?\)/)
  assert.match(open[1]!, /SEARCH viewing_keys USING INTEGER PRIMARY KEY/)
  const plans = await Promise.all([7, 8].map(index => planOf(tx => tx.accountDeletions.eraseHistory(1, 9), index)))
  assert.match(plans[0]!, /INDEX invoices_by_order \(account_id=\? AND order_id>\?\)/)
  assert.match(plans[1]!, /INDEX invoices_with_details \(account_id=\?\)/)
})

const PERIOD = 'created_at>? AND created_at<?'

test('each list begins at its cursor or period in an index with its order, whatever the filter', async t => {
  const { planOf } = await planner(t)
  const filters: [filter: InvoiceFilter, index: string, columns: string][] = [
    [{}, 'invoices_by_time', 'account_id=?'],
    [{ statuses: ['paid'] }, 'invoices_by_status', 'account_id=? AND status=?'],
    [{ orderId: '1' }, 'invoices_by_order', 'account_id=? AND order_id=?'],
    [{ statuses: ['paid', 'pending'] }, 'invoices_by_status', 'account_id=? AND status=?'],
    [{ orderId: '1', statuses: ['paid'] }, 'invoices_by_order', 'account_id=? AND order_id=?'],
    [{ orderId: '1', statuses: ['paid', 'expired', 'pending'] }, 'invoices_by_order', 'account_id=? AND order_id=?'],
    [{ needsAttention: true }, 'invoices_needing_attention', 'account_id=?'],
    [{ overpaid: true }, 'invoices_overpaid', 'account_id=?'],
    [{ partPaid: true }, 'invoices_part_paid', 'account_id=?'],
    [{ late: true }, 'invoices_late', 'account_id=?'],
    [{ canceled: true }, 'invoices_canceled', 'account_id=?'],
    [{ refunded: true }, 'invoices_refunded', 'account_id=?'],
  ]
  const period = { createdFrom: 1, createdTo: 9 }
  // Refused after the query, because there is no such row.
  const list = (filter: InvoiceFilter, before?: string): Work => {
    const page = { limit: 9, ...(before !== undefined && { before }) }
    return tx => tx.invoices.list(1, page, filter).catch(() => {})
  }
  const refunds = (status?: 'sent', before?: string): Work => {
    const page = { limit: 9, ...(before !== undefined && { before }) }
    return tx => tx.refunds.list(1, page, status).catch(() => {})
  }
  const plans: [work: Work, index: string][] = [
    ...filters.flatMap(([filter, index, columns]): [Work, string][] => [
      [list(filter), `${index} (${columns})`],
      [list(filter, 'x'), `${index} (${columns} AND created_at<?)`],
      [list({ ...filter, ...period }), `${index} (${columns} AND ${PERIOD})`],
      [list({ ...filter, ...period }, 'x'), `${index} (${columns} AND ${PERIOD})`],
    ]),
    [refunds(), 'refunds_by_time (account_id=?)'],
    [refunds(undefined, 'x'), 'refunds_by_time (account_id=? AND created_at<?)'],
    [refunds('sent'), 'refunds_by_status (account_id=? AND status=?)'],
    [refunds('sent', 'x'), 'refunds_by_status (account_id=? AND status=? AND created_at<?)'],
    [tx => tx.refunds.ofInvoice(1, 9), 'refunds_by_invoice (invoice_id=?)'],
    [tx => tx.dashboard.needingAttention(1, 9), 'invoices_needing_attention (account_id=?)'],
    ...(['dashboard', 'refunds'] as const).flatMap((rows): [Work, string][] => {
      const index = `${rows === 'dashboard' ? 'invoices' : 'refunds'}_by_time (account_id=? AND ${PERIOD})`
      return [
        [tx => tx[rows].listByTime(1, { from: 0, to: 9 }, null, 9), index],
        [tx => tx[rows].listByTime(1, { from: 0, to: 9 }, { createdAt: 1, id: 1 }, 9), index],
        [tx => tx[rows].countByTime(1, { from: 0, to: 9 }), index],
      ]
    }),
  ]
  for (const [work, index] of plans) {
    const plan = await planOf(work)
    assert.ok(plan.includes(`INDEX ${index}`) && !plan.includes('SCAN'), `not by ${index}: ${plan}`)
    assert.ok(!plan.includes('TEMP B-TREE FOR ORDER BY'), `sorted: ${plan}`)
  }
})

test('the delivery log begins at its cursor in an index with its order, whatever the filter', async t => {
  const { planOf, database } = await planner(t)
  const byType = 'AND event_type=?'
  const filters: [filter: DeliveryFilter, index: string][] = [
    [{}, 'deliveries_by_account (account_id=?'],
    [{ type: 'test' }, `deliveries_by_type (account_id=? ${byType}`],
    [{ endpointId: null }, `deliveries_of_webhook (account_id=? ${byType}`],
    [{ endpointId: null, type: 'test' }, `deliveries_of_webhook (account_id=? ${byType}`],
    [{ endpointId: 1 }, `deliveries_by_endpoint (endpoint_id=? ${byType}`],
    [{ endpointId: 1, type: 'test' }, `deliveries_by_endpoint (endpoint_id=? ${byType}`],
    [{ failed: true }, `deliveries_failed_by_type (account_id=? ${byType}`],
    [{ failed: true, type: 'plan.updated' }, `deliveries_failed_by_type (account_id=? ${byType}`],
    [{ failed: true, endpointId: null }, `deliveries_failed (account_id=? ${byType}`],
    [{ failed: true, endpointId: null, type: 'plan.updated' }, `deliveries_failed (account_id=? ${byType}`],
    [{ failed: true, endpointId: 1 }, `deliveries_failed_of_endpoint (endpoint_id=? ${byType}`],
    [{ failed: true, endpointId: 1, type: 'plan.updated' }, `deliveries_failed_of_endpoint (endpoint_id=? ${byType}`],
  ]
  for (const [filter, index] of filters)
    for (const before of [undefined, 'x']) {
      const page = { limit: 9, ...(before !== undefined && { before }) }
      // Refused after the query, because there is no such row.
      const plan = await planOf(tx => tx.deliveries.list(1, page, filter).catch(() => {}))
      const columns = before === undefined ? `${index.replace(/(\w+)=\?$/, '$1>? AND $1<?')})` : `${index} AND id<?)`
      assert.ok(plan.includes(`INDEX ${columns}`), `${JSON.stringify(filter)} is not by ${columns}: ${plan}`)
      assert.ok(!/SCAN (deliveries|d|e|i)\b/.test(plan), plan)
      const sorts = plan.split('TEMP B-TREE FOR ORDER BY').length - 1
      assert.equal(sorts, 0, `${JSON.stringify(filter)} is sorted: ${plan}`)
    }
  database.exec(`PRAGMA foreign_keys = OFF;
    INSERT INTO deliveries (public_id, account_id, event_seq, event_type, state, attempts, created_at)
    VALUES ('x', 1, 1, 'test', 'waiting', 0, 0)`)
  const ofAttempts = await planOf(tx => tx.deliveries.list(1, { limit: 9 }), 1)
  assert.match(
    ofAttempts,
    /SEARCH a USING INDEX sqlite_autoindex_delivery_attempts_2 \(delivery_id=\? AND attempt>\?\)/,
  )
  const ofOrder = await planOf(tx => tx.deliveries.list(1, { limit: 9 }, { orderId: '1' }))
  assert.match(ofOrder, /INDEX deliveries_by_invoice \(invoice_id=\?\)/)
  assert.match(ofOrder, /INDEX invoices_by_order \(account_id=\? AND order_id=\?\)/)
})

test('a later page of an export has one start in the index: with two, SQLite reads all earlier rows again', async t => {
  const { queryOf } = await planner(t)
  for (const rows of ['dashboard', 'refunds'] as const) {
    const { sql } = await queryOf(tx => tx[rows].listByTime(1, { from: 0, to: 9 }, { createdAt: 1, id: 1 }, 9))
    assert.equal(sql.match(/>/g)?.length, 1, sql)
  }
})

/** Runs a use case on a separate writer and returns the statements that it sent. */
async function queriesOf(path: string, work: Work): Promise<CompiledQuery[]> {
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
