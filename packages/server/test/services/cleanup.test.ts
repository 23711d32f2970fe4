import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { openTestContainer } from '../harness/container.ts'
import { FIRST_CURSOR, moved, NOW, openShop, payment } from '../harness/fixtures.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { paymentsOf } from '../harness/payments.ts'

const DAY = 86_400

async function start(t: TestContext) {
  const clock = new ManualClock(NOW)
  const { infrastructure, services } = await openTestContainer(t, { clock })
  const { store } = infrastructure
  return { store, clock, cleanup: services.cleanup, shop: await openShop(store) }
}

test('idempotency keys are kept for more than a day, and then deleted in batches of a thousand', async t => {
  const { store, clock, cleanup, shop } = await start(t)
  const claim = (key: string, createdAt: number) => ({
    accountId: shop.account.id,
    key,
    bodyHash: new Uint8Array(32),
    invoicePublicId: key,
    createdAt,
    since: 0,
  })
  await store.write(async tx => {
    for (let i = 0; i < 1_001; i++) await tx.idempotency.claim(claim(`old ${i}`, NOW))
    await tx.idempotency.claim(claim('young', NOW + DAY))
  })
  clock.advance(DAY + 1)
  assert.equal(await cleanup.pruneIdempotencyKeys(), false)
  assert.ok(await store.read(tx => tx.idempotency.find(shop.account.id, 'old 0', 0)))
  clock.advance(DAY)
  assert.equal(await cleanup.pruneIdempotencyKeys(), true)
  assert.equal(await cleanup.pruneIdempotencyKeys(), false)
  const find = (key: string) => store.read(tx => tx.idempotency.find(shop.account.id, key, 0))
  assert.deepEqual([await find('old 0'), await find('old 1000')], [null, null])
  assert.ok(await find('young'))
})

test('changes of invoices are kept for a day', async t => {
  const { store, clock, cleanup, shop } = await start(t)
  const invoice = await shop.sell()
  await store.write(tx => tx.invoiceChanges.append([moved(invoice)]))
  const changes = () => store.read(tx => tx.invoiceChanges.since(FIRST_CURSOR, 10))
  clock.advance(DAY)
  await cleanup.pruneInvoiceChanges()
  assert.deepEqual((await changes())!.invoiceIds, [invoice.id])
  clock.advance(1)
  await cleanup.pruneInvoiceChanges()
  assert.deepEqual((await changes())!.invoiceIds, [])
})

test('events are kept for 90 days, and the numbers of pruned ones are known', async t => {
  const { store, clock, cleanup, shop } = await start(t)
  const { account } = shop
  const event = { accountId: account.id, invoiceId: null, type: 'plan.updated', body: '{}', createdAt: NOW } as const
  await store.write(tx => tx.events.append([{ ...event, publicId: randomUUID() }]))
  const state = () =>
    store.read(async tx => [(await tx.events.listAfter(account.id, 0, 9)).length, await tx.events.range(account.id)])
  clock.advance(90 * DAY)
  await cleanup.pruneEvents()
  assert.deepEqual(await state(), [1, { prunedSeq: 0, lastSeq: 1 }])
  clock.advance(1)
  await cleanup.pruneEvents()
  assert.deepEqual(await state(), [0, { prunedSeq: 1, lastSeq: 1 }])
})

test('sessions are kept for 90 days after they expired, API keys for 90 days after they were revoked', async t => {
  const clock = new ManualClock(NOW)
  const { infrastructure, services } = await openTestContainer(t, { clock })
  const { store } = infrastructure
  const { apiKeys, cleanup, sessions } = services
  const { account } = await openShop(store)
  const { apiKey } = await apiKeys.create(account, 'revoked')
  const { key } = await apiKeys.create(account, 'in use')
  await apiKeys.revoke(account, apiKey.publicId)
  const { session } = await sessions.create(account, 'old')
  await store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(session.id, NOW))
  clock.advance(90 * DAY)
  const listed = () => apiKeys.list(account, { limit: 10 })
  const sessionsAt = (at: number) => store.read(tx => tx.sessions.list(account.id, at, { limit: 10 }))
  await cleanup.pruneRevokedApiKeys()
  assert.equal((await listed()).length, 2)
  clock.advance(1)
  await cleanup.pruneRevokedApiKeys()
  assert.deepEqual(
    (await listed()).map(({ name }) => name),
    ['in use'],
  )
  assert.ok(await apiKeys.authenticate(key))
  clock.advance(30 * DAY - 1)
  await cleanup.pruneSessions()
  assert.equal((await sessionsAt(0)).length, 1)
  clock.advance(1)
  const { token } = await sessions.create(account, 'new')
  assert.equal(await cleanup.pruneSessions(), false)
  assert.deepEqual(
    (await sessionsAt(0)).map(({ label }) => label),
    ['new'],
  )
  assert.ok(await sessions.authenticate(token))
})

test('dropped payments are deleted in batches, 30 days after the longest late window, and no others', async t => {
  const { store, clock, cleanup, shop } = await start(t)
  const [invoice, watched] = [await shop.sell(), await shop.sell({ watchUntil: NOW + 90 * DAY })]
  const txid = (number: number) => number.toString(16).padStart(64, '0')
  const dropped = (of: typeof invoice, from: number, count: number) =>
    store.write(async tx => {
      const txids = Array.from({ length: count }, (_, index) => txid(from + index))
      await tx.payments.upsert(txids.map(id => payment(of, { txid: id })))
      await tx.payments.markDropped(txids)
    })
  await dropped(invoice, 0, 1_001)
  await dropped(watched, 2_000, 1)
  await store.write(tx =>
    tx.payments.upsert([
      payment(invoice, { txid: txid(3_000), location: { at: 'mined', height: 5 } }),
      payment(invoice, { txid: txid(3_001) }),
    ]),
  )
  const count = async (of: typeof invoice) => (await store.read(tx => paymentsOf(tx, [of.id]))).length
  // A day until the expiry, 7 late ones, 14 with a swap, and 30.
  clock.advance(52 * DAY)
  assert.equal(await cleanup.pruneDroppedPayments(), false)
  assert.equal(await count(invoice), 1_003)
  clock.advance(1)
  assert.equal(await cleanup.pruneDroppedPayments(), true)
  assert.equal(await cleanup.pruneDroppedPayments(), false)
  assert.deepEqual([await count(invoice), await count(watched)], [2, 1])
  clock.advance(120 * DAY)
  await cleanup.pruneDroppedPayments()
  assert.deepEqual([await count(invoice), await count(watched)], [2, 0])
})
