import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createServices } from '../../../src/container.ts'
import { FREE_PLAN, type Plan } from '../../../src/domain/account/plan.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { LINK_EXPIRY_SECS, type LinkTerms, OPEN_LIMITS } from '../../../src/domain/sale/payment-link.ts'
import type { Store } from '../../../src/ports/store.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { header, payment } from '../../harness/fixtures.ts'

const PLANS: readonly Plan[] = [
  { name: FREE_PLAN, monthlyInvoiceLimit: 3, priceZat: 0n, periodDays: 30 },
  { name: 'Business', monthlyInvoiceLimit: null, priceZat: 0n, periodDays: 30 },
]
const SHIRT: LinkTerms = {
  title: 'T-shirt',
  description: null,
  currency: 'ZEC',
  amount: '0.5',
  minAmount: null,
  suggestedAmounts: [],
  stock: null,
  endsAt: null,
  fields: [],
  successUrl: null,
}
const URL_OF_SERVICE = 'https://pay.example.org'
const ZAT = 50_000_000n

const refused = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

async function open(engine: DatabaseEngine, t: TestContext, plan = FREE_PLAN) {
  const { url: databaseUrl } = await engine.createDatabase(t)
  const api = await startTestApi({ databaseUrl, plans: PLANS })
  t.after(() => api.close())
  const { account } = await api.merchant({ plan })
  let clients = 0
  const make = (terms: Partial<LinkTerms> = {}) =>
    api.paymentLinks.create(account, { ...SHIRT, ...terms }, URL_OF_SERVICE)
  const order = (id: string, given: object = {}, on: TestApi = api) =>
    on.linkSales.order(id, {
      amount: '',
      answers: [],
      formId: randomUUID(),
      client: `client ${clients++}`,
      locale: null,
      ...given,
    })
  const used = () => api.store.read(async tx => tx.usage.used(account.id, '2027-01'))
  const sell = () =>
    api.invoices.create(account, { amountZat: 1n, expiresInSecs: undefined, idempotencyKey: undefined })
  let height = 0
  /** A block with a payment of the invoice, confirmed. */
  const pay = async (invoice: Invoice, valueZat = ZAT) => {
    await api.store.write(async tx => {
      await tx.chain.lock()
      const [paidAt, tip] = [height + 1, height + 3]
      await tx.chain.appendHeaders([1, 2, 3].map(step => header(height + step)))
      height = tip
      await tx.payments.upsert([
        payment(invoice, {
          outputIndex: tip,
          valueZat,
          location: { at: 'mined', height: paidAt },
          lastSeenHeight: paidAt,
        }),
      ])
      await api.updateInvoices(tx, [invoice.id], api.clock.secs)
    })
    return api.invoices.read(invoice.publicId)
  }
  const close = async (invoice: Invoice) => {
    const [row] = await api.store.read(tx => tx.invoices.byIds([invoice.id]))
    await api.store.write(tx => tx.invoices.updateStates([{ ...(row as Invoice), status: 'expired' }]))
    return api.invoices.read(invoice.publicId)
  }
  return { api, databaseUrl, account, make, order, used, sell, pay, close }
}

onBothDatabases(engine => {
  test('an invoice of a link has its terms and its id, and a short time', async t => {
    const { make, order } = await open(engine, t)
    const link = await make({ fields: [{ label: 'Size', required: true }], successUrl: 'https://shop.example/thanks' })
    const invoice = await order(link.publicId, { answers: [' M '], locale: 'de' })
    assert.deepEqual(
      [invoice.linkId, invoice.description, invoice.amountZat, invoice.metadata, invoice.successUrl, invoice.locale],
      [link.publicId, 'T-shirt', ZAT, '{"fields":{"Size":"M"}}', 'https://shop.example/thanks', 'de'],
    )
    assert.equal(invoice.expiresAt - invoice.createdAt, LINK_EXPIRY_SECS)
    await assert.rejects(order(link.publicId), refused('invalid_field_1'))
    await assert.rejects(order(link.publicId, { answers: ['x'.repeat(201)] }), refused('invalid_field_1'))
  })

  test('an invoice is that of the account of its link in one snapshot, also while a standby takes over', async t => {
    const { api, account, make } = await open(engine, t)
    const [link, stranger] = [await make(), (await api.merchant({})).account]
    // Between two reads a standby has given the row of the account to another one.
    const store: Store = {
      ...api.store,
      query: async work => {
        const read = await api.store.query(work)
        const isLink = typeof read === 'object' && read !== null && 'keypadHash' in read
        return isLink ? { ...read, accountId: stranger.id } : read
      },
    }
    const order = { amount: '', answers: [], formId: randomUUID(), client: 'client', locale: null }
    const { linkSales } = createServices({ ...api.infrastructure, store }, null)
    await linkSales.order(link.publicId, order)
    const counts = [account, stranger].map(async owner => (await api.invoices.list(owner, { limit: 10 })).length)
    assert.deepEqual(await Promise.all(counts), [1, 0])
  })

  test('an invoice counts in the plan once, when its whole amount arrives', async t => {
    const { make, order, used, pay } = await open(engine, t)
    const link = await make()
    const [first, second] = [await order(link.publicId), await order(link.publicId)]
    assert.equal(await used(), 0)
    await pay(first, ZAT - 1n)
    assert.equal(await used(), 0)
    assert.equal((await pay(second)).status, 'paid')
    assert.equal(await used(), 1)
    await pay(second, 7n)
    assert.equal(await used(), 1)
  })

  test('unpaid invoices leave the plan to the shop; a plan that is used up sells no more', async t => {
    const { make, order, used, sell, pay } = await open(engine, t)
    const link = await make()
    const open_ = []
    for (let i = 0; i < 5; i++) open_.push(await order(link.publicId))
    for (let i = 0; i < 3; i++) await sell()
    assert.equal(await used(), 3)
    await assert.rejects(order(link.publicId), refused('monthly_invoice_limit_reached'))
    await pay(open_[0] as Invoice)
    assert.equal(await used(), 4, 'a payment is never refused')
    await assert.rejects(sell(), refused('monthly_invoice_limit_reached'))
  })

  test('of simultaneous buyers of the last units each unit has one, in every order of the processes', async t => {
    const { api, databaseUrl, make, order } = await open(engine, t, 'Business')
    const second = engine.name === 'SQLite' ? api : await startTestApi({ databaseUrl, plans: PLANS, clock: api.clock })
    t.after(() => second.close())
    for (const processes of [
      [api, second],
      [second, api],
    ]) {
      const { publicId } = await make({ stock: 2 })
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) => order(publicId, {}, processes[i % 2])),
      )
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2)
      for (const result of results)
        if (result.status === 'rejected')
          assert.ok(refused('payment_link_closed')(result.reason), String(result.reason))
      assert.equal((await api.linkSales.read(publicId)).closed, 'sold_out')
    }
  })

  test('an expired invoice frees its unit; a late payment may oversell it', async t => {
    const { api, account, make, order, pay, close } = await open(engine, t)
    const { publicId } = await make({ stock: 1 })
    const first = await order(publicId)
    await assert.rejects(order(publicId), refused('payment_link_closed'))
    const late = await close(first)
    const second = await order(publicId)
    await pay(second)
    assert.equal((await pay(late)).status, 'paid')
    const { paidCount, paidZat } = await api.paymentLinks.read(account, publicId)
    assert.deepEqual([paidCount, paidZat], [2, 2n * ZAT])
    await assert.rejects(order(publicId), refused('payment_link_closed'))
  })

  test('a form that is sent twice makes one invoice; with another content it makes another', async t => {
    const { make, order } = await open(engine, t)
    const { publicId } = await make({ amount: null })
    const formId = randomUUID()
    const sent = { amount: '0.01', formId }
    const [first, second] = await Promise.all([order(publicId, sent), order(publicId, sent)])
    assert.equal(first.publicId, second.publicId)
    assert.equal((await order(publicId, sent)).publicId, first.publicId)
    assert.notEqual((await order(publicId, { ...sent, amount: '0.02' })).publicId, first.publicId)
    await assert.rejects(order(publicId, { amount: '0.01', formId: 'x' }), refused('invalid_form'))
  })

  test('a paused and an ended link sell nothing, also to a buyer whose page is open', async t => {
    const { api, account, make, order } = await open(engine, t)
    const { publicId } = await make({ endsAt: api.clock.secs + 60 })
    await api.paymentLinks.change(account, publicId, { paused: true }, URL_OF_SERVICE)
    await assert.rejects(order(publicId), refused('payment_link_closed'))
    await api.paymentLinks.change(account, publicId, { paused: false }, URL_OF_SERVICE)
    await order(publicId)
    api.clock.advance(60)
    await assert.rejects(order(publicId), refused('payment_link_closed'))
    assert.equal((await api.linkSales.read(publicId)).closed, 'ended')
  })

  test('one client has five open invoices an hour; paid ones do not count, and other clients and the shop go on', async t => {
    const { api, make, order, sell, pay } = await open(engine, t, 'Business')
    const { publicId } = await make()
    const from = { client: '192.0.2.1' }
    const made: Invoice[] = []
    for (let i = 0; i < OPEN_LIMITS.client.max; i++) made.push(await order(publicId, from))
    await assert.rejects(order(publicId, from), refused('payment_link_busy'))
    await order(publicId)
    await sell()
    await pay(made[0] as Invoice)
    await order(publicId, from)
    await assert.rejects(order(publicId, from), refused('payment_link_busy'))
    api.clock.advance(OPEN_LIMITS.client.windowSecs)
    await order(publicId, from)
  })

  test('a link has 50 open invoices and the links of an account 200; the keypad and the shop go on', async t => {
    const { api, account, make, order, sell, close } = await open(engine, t, 'Business')
    const links = [await make({ amount: null }), ...(await Promise.all(Array.from({ length: 4 }, () => make())))]
    const made: Invoice[] = []
    for (const { publicId } of links.slice(0, 4)) {
      for (let i = 0; i < OPEN_LIMITS.link; i++) made.push(await order(publicId, { amount: '1' }))
      await assert.rejects(order(publicId, { amount: '1' }), refused('payment_link_busy'))
    }
    const [pad, , , , last] = links
    await assert.rejects(order(last?.publicId ?? ''), refused('payment_link_busy'))
    const secret = await api.paymentLinks.createKeypad(account, pad?.publicId ?? '')
    await api.linkSales.ring(secret, { amount: '1', formId: randomUUID() })
    await sell()
    await close(made[0] as Invoice)
    await order(last?.publicId ?? '')
  })

  test('a buyer chooses at least the minimum, and never less than a payment costs', async t => {
    const { make, order } = await open(engine, t)
    const { publicId } = await make({ amount: null, minAmount: '0.1' })
    assert.equal((await order(publicId, { amount: '0.1' })).amountZat, 10_000_000n)
    for (const amount of ['0.09', '0', '', 'x', '-1', '0.100000001'])
      await assert.rejects(order(publicId, { amount }), refused('invalid_amount'), amount)
    const any = await make({ amount: null })
    await assert.rejects(order(any.publicId, { amount: '0.00009999' }), refused('invalid_amount'))
    await order(any.publicId, { amount: '0.0001' })
  })

  test('a sale at the keypad counts at once; its secret ends when it is revoked, renewed, or the price is fixed', async t => {
    const { api, account, make, used } = await open(engine, t)
    const { publicId } = await make({ amount: null })
    const ring = (secret: string) => api.linkSales.ring(secret, { amount: '0.25', formId: randomUUID() })
    const first = await api.paymentLinks.createKeypad(account, publicId)
    const sold = await ring(first)
    assert.deepEqual([sold.amountZat, await used()], [25_000_000n, 1])
    const second = await api.paymentLinks.createKeypad(account, publicId)
    await assert.rejects(ring(first), refused('no_such_keypad'))
    assert.equal((await api.linkSales.readSale(second, sold.publicId)).id, sold.id)
    await api.paymentLinks.revokeKeypad(account, publicId)
    await assert.rejects(ring(second), refused('no_such_keypad'))
    const third = await api.paymentLinks.createKeypad(account, publicId)
    await api.paymentLinks.change(account, publicId, { amount: '1' }, URL_OF_SERVICE)
    await assert.rejects(ring(third), refused('no_such_keypad'))
    await assert.rejects(api.paymentLinks.createKeypad(account, publicId), refused('invalid_amount'))
  })
})
