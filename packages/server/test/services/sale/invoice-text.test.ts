import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { OPERATOR } from '../../../src/domain/account/audit.ts'
import { type EventType, invoiceEvent } from '../../../src/domain/notify/event.ts'
import type { Invoice, NewInvoice } from '../../../src/domain/sale/invoice.ts'
import { DAY_SECS } from '../../../src/domain/time.ts'
import { createInvoiceTexts } from '../../../src/services/sale/invoice-text.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { startEndpoints } from '../../harness/endpoints.ts'
import { NOW, openShop } from '../../harness/fixtures.ts'
import { silentLog } from '../../harness/log.ts'
import { poisonRow } from '../../harness/poison.ts'
import { readTables } from '../../harness/tables.ts'

const TEXTS = { orderId: '1001', description: 'SECRET shirt', metadata: '{"name":"SECRET buyer"}' }
const BEFORE = NOW + 1
const SLOTS = { total: 10, forAccount: () => 10, fullAccountIds: [], isAttempting: () => false }
const RECEIVER = 'https://shop.example/webhook'

onBothDatabases(engine => {
  /** A shop whose sales have expired with an event each, when their payments no longer count. */
  async function harness(t: TestContext, settings: Record<string, string> = {}) {
    const h = await startEndpoints(t, engine, settings)
    const { store, clock, services } = h
    const shop = await openShop(store)

    const raise = (type: EventType, invoice: Invoice) =>
      store.write(tx => services.outbox.append(tx, [invoiceEvent(type, invoice, null, clock.secs)]))

    async function sell(terms: Partial<NewInvoice> = {}): Promise<Invoice> {
      const invoice = await shop.sell({ ...TEXTS, ...terms })
      const closed = { ...invoice, status: 'expired' } as const
      await store.write(tx => tx.invoices.updateStates([closed]))
      return closed
    }

    const isAnywhere = async () => /SECRET/.test(JSON.stringify(await readTables(h.databaseUrl)))
    const textsOf = async ({ publicId }: Invoice) => {
      const { description, metadata } = (await store.read(tx => tx.invoices.byPublicId(publicId))) as Invoice
      return [description, metadata]
    }
    const bodies = async () => (await store.read(tx => tx.events.listAfter(shop.account.id, 0, 100))).map(e => e.body)
    const entries = () => services.auditLog.list({ kind: 'invoice_texts_erased' }, 100)
    const erase = () => services.invoiceTexts.erase(shop.account, BEFORE, OPERATOR)
    clock.advance(2 * DAY_SECS)
    return { ...h, shop, raise, sell, isAnywhere, textsOf, bodies, entries, erase }
  }

  const counts = (some: object) => ({ erased: 0, open: 0, undelivered: 0, failed: 0, ...some })

  test('texts are erased in the invoice and in its events, and nothing else of them', async t => {
    const { raise, sell, erase, bodies, entries, isAnywhere, services, shop, store } = await harness(t)
    const invoice = await sell()
    for (const type of ['invoice.created', 'invoice.underpaid'] as const) await raise(type, invoice)
    assert.equal(await isAnywhere(), true)
    assert.deepEqual(await services.invoiceTexts.preview(shop.account, BEFORE), counts({ erased: 1 }))
    assert.equal(await isAnywhere(), true)
    assert.deepEqual(await erase(), counts({ erased: 1 }))
    assert.equal(await isAnywhere(), false)
    const plain = { ...invoice, description: null, metadata: null }
    assert.deepEqual(await store.read(tx => tx.invoices.byPublicId(invoice.publicId)), plain)
    const types = ['invoice.created', 'invoice.underpaid'] as const
    assert.deepEqual(
      await bodies(),
      types.map(type => invoiceEvent(type, plain, null, 0).body),
    )
    assert.deepEqual(await erase(), counts({}))
    const [entry, ...others] = await entries()
    assert.deepEqual(
      [entry?.email, entry?.actor.by, entry?.detail, others],
      [shop.account.email, 'operator', 'created before 2027-01-15 08:00 UTC', []],
    )
  })

  test('invoices of the time and later, open ones and those of other shops keep their texts', async t => {
    const { sell, erase, textsOf, shop, store } = await harness(t)
    const later = await sell({ createdAt: BEFORE })
    const watched = await sell({ watchUntil: NOW + 3 * DAY_SECS })
    const open = await shop.sell(TEXTS)
    const foreign = await (await openShop(store)).sell(TEXTS)
    assert.deepEqual(await erase(), counts({ open: 2 }))
    for (const invoice of [later, watched, open, foreign])
      assert.deepEqual(await textsOf(invoice), [TEXTS.description, TEXTS.metadata])
  })

  test('an event keeps its texts while its webhook delivery is open, also in flight and after a failure', async t => {
    const { raise, sell, erase, shop, services, receivers, clock, isAnywhere } = await harness(t)
    await services.webhooks.set(shop.account, RECEIVER)
    await raise('invoice.underpaid', await sell())
    receivers.isDown = true
    for (let attempt = 1; attempt <= 4; attempt++) {
      assert.deepEqual(await erase(), counts({ undelivered: 1 }), `before attempt ${attempt}`)
      const { jobs } = await services.deliveries.recordAndClaim([], SLOTS)
      assert.deepEqual(await erase(), counts({ undelivered: 1 }), `in attempt ${attempt}`)
      assert.match(String(jobs[0]?.delivery.body), /SECRET/)
      const ended = await Promise.all(jobs.map(services.deliveries.attempt))
      await services.deliveries.recordAndClaim(ended, { ...SLOTS, total: 0 })
      clock.advance(300)
    }
    assert.deepEqual(await erase(), counts({ erased: 1 }))
    assert.equal(await isAnywhere(), false)
    receivers.isDown = false
    assert.deepEqual(await services.webhooks.resendFailed(shop.account), { resent: 1, left: 0 })
    const { jobs } = await services.deliveries.recordAndClaim([], SLOTS)
    for (const job of jobs) assert.equal((await services.deliveries.attempt(job)).error, null)
    const sent = receivers.requests.map(({ body }) => String(body))
    assert.deepEqual(
      sent.map(body => /SECRET/.test(body)),
      [true, true, true, true, false],
    )
  })

  test('an event keeps its texts until each endpoint has it; a paused or disabled one does not count', async t => {
    const h = await harness(t)
    const { raise, sell, erase, shop, endpoints, claim, finish, sendDue, receivers, clock, isAnywhere } = h
    const terms = { url: RECEIVER, schedule: 'persistent', types: null } as const
    const { endpoint } = await endpoints.create(shop.account, terms)
    await raise('invoice.created', await sell())
    assert.deepEqual(await erase(), counts({ undelivered: 1 }), 'not begun')
    const [job] = await claim()
    assert.deepEqual(await erase(), counts({ undelivered: 1 }), 'in flight')
    await finish(job!)
    assert.match(String(receivers.requests[0]?.body), /SECRET/)
    assert.deepEqual(await erase(), counts({ erased: 1 }), 'delivered')
    assert.equal(await isAnywhere(), false)

    receivers.isDown = true
    await raise('invoice.created', await sell())
    await sendDue()
    assert.deepEqual(await erase(), counts({ undelivered: 1 }), 'failed, and tried again')
    await endpoints.change(shop.account, endpoint.publicId, { enabled: false })
    assert.deepEqual(await erase(), counts({ erased: 1 }), 'disabled')
    assert.equal(await isAnywhere(), false)
    receivers.isDown = false
    await endpoints.resume(shop.account, endpoint.publicId, { recover: true })
    clock.advance(60)
    await sendDue()
    const sent = receivers.requests.map(({ body }) => /SECRET/.test(String(body)))
    assert.deepEqual(sent, [true, true, false])
  })

  test('more invoices than a batch are erased, beside one that the database refuses to change', async t => {
    const { sell, erase, databaseUrl, textsOf, isAnywhere } = await harness(t)
    const made: Invoice[] = []
    for (let i = 0; i < 105; i++) made.push(await sell({ createdAt: NOW - (i % 3) }))
    const { publicId } = made[50]!
    const repair = await poisonRow(databaseUrl, {
      table: 'invoices',
      column: 'public_id',
      value: publicId,
      on: 'UPDATE',
    })
    assert.deepEqual(await erase(), counts({ erased: 104, failed: 1 }))
    assert.deepEqual(await textsOf(made[50]!), [TEXTS.description, TEXTS.metadata])
    await repair()
    assert.deepEqual(await erase(), counts({ erased: 1 }))
    assert.equal(await isAnywhere(), false)
  })

  test('with INVOICE_TEXT_RETENTION_DAYS old texts of all shops are erased, past shops that keep theirs', async t => {
    const { sell, shop, store, services, clock, entries, textsOf, isAnywhere } = await harness(t, {
      INVOICE_TEXT_RETENTION_DAYS: '10',
    })
    for (let i = 0; i < 12; i++) await (await openShop(store)).sell(TEXTS)
    const old = await sell()
    const run = async () => {
      for (let runs = 0; await services.invoiceTexts.eraseOld(); runs++) assert.ok(runs < 10)
    }
    clock.advance(8 * DAY_SECS)
    await run()
    assert.deepEqual(await textsOf(old), [TEXTS.description, TEXTS.metadata])
    clock.advance(DAY_SECS)
    await run()
    assert.deepEqual(await textsOf(old), [null, null])
    assert.equal(await isAnywhere(), true)
    const found = await entries()
    assert.deepEqual(
      found.map(({ email, actor }) => [email, actor.by]),
      [[shop.account.email, 'service']],
    )
  })

  test('without the setting nothing is erased', async t => {
    const { sell, services, clock, textsOf } = await harness(t)
    const old = await sell()
    clock.advance(3_000 * DAY_SECS)
    assert.equal(await services.invoiceTexts.eraseOld(), false)
    assert.deepEqual(await textsOf(old), [TEXTS.description, TEXTS.metadata])
  })

  test('a listed row that another account has after a fail-over keeps its texts', async t => {
    const { shop, store, clock, textsOf } = await harness(t)
    const others = await (await openShop(store)).sell(TEXTS)
    await store.write(tx => tx.invoices.updateStates([{ ...others, status: 'expired' }]))
    const pages = [[{ createdAt: others.createdAt, id: others.id }]]
    const afterFailOver = Object.assign(Object.create(store), { query: async () => pages.shift() ?? [] })
    const deps = { store: afterFailOver, clock, log: silentLog, invoiceTextRetentionDays: null }
    assert.deepEqual(await createInvoiceTexts(deps).erase(shop.account, BEFORE, OPERATOR), counts({ open: 1 }))
    assert.deepEqual(await textsOf(others), [TEXTS.description, TEXTS.metadata])
  })
})
