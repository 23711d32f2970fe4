import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { Rate } from '../../../src/domain/rate.ts'
import { DAY_SECS } from '../../../src/domain/time.ts'
import { createRefunds } from '../../../src/services/sale/refund.ts'
import { createRefundLinks } from '../../../src/services/sale/refund-link.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { header, NOW, openShop, payment } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { testOutbox } from '../../harness/outbox.ts'

const TXID = 'ab'.repeat(32)
const EUR_10 = { amount: '10.00', currency: 'eur' }

onBothDatabases(engine => {
  /** A sale of 5,000 zat with three required confirmations, two payments over 5,000 zat each, and services of refunds. */
  async function harness(t: TestContext, { heights = [1, 1] }: { heights?: readonly number[] } = {}) {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock(NOW)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    await store.write(async tx => {
      await tx.chain.appendHeaders([1, 2, 3].map(header))
      await tx.payments.upsert(
        heights.map((height, outputIndex) =>
          payment(invoice, { outputIndex, location: { at: 'mined', height }, lastSeenHeight: height }),
        ),
      )
    })
    const rates = {
      price: '4000000' as string | null,
      report: () => [],
      async rate(currency: string): Promise<Rate> {
        if (rates.price === null) throw new AppError('rate_unavailable')
        return { currency, price: rates.price, fetchedAt: NOW, sources: ['kraken'] }
      },
    }
    const deps = { store, clock, random: systemRandom, outbox: testOutbox, rates }
    const rule = { network: 'regtest', checkAddress: () => null } as const
    const refunds = createRefunds({ ...deps, ...rule })
    const links = createRefundLinks({ ...deps, ...rule, publicInvoiceDays: 30 })
    const create = (request: object = {}) =>
      refunds.create(shop.account, invoice.publicId, { idempotencyKey: undefined, ...request })
    const end = async (id: string) => (await refunds.markSent(shop.account, id, TXID)).invoice.refundedZat
    return { store, clock, shop, invoice, rates, refunds, links, create, end }
  }

  const refused = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

  test('the link works while the refund is owed, however old it is, and 30 days after it was sent', async t => {
    const { create, links, end, clock, invoice, store } = await harness(t)
    await store.write(tx => tx.invoices.updateStates([{ ...invoice, status: 'paid', paidAt: NOW }]))
    const { refund } = await create()
    clock.advance(400 * DAY_SECS)
    assert.equal((await links.giveAddress(refund.linkId, 'u1mine')).refund.status, 'ready')
    clock.advance(400 * DAY_SECS)
    await end(refund.publicId)
    clock.advance(30 * DAY_SECS)
    assert.equal((await links.read(refund.linkId)).refund.status, 'sent')
    clock.advance(1)
    await assert.rejects(links.read(refund.linkId), refused('refund_gone'))
    await assert.rejects(links.giveAddress(refund.linkId, 'u1other'), refused('refund_gone'))
  })

  test('only what has its confirmations can be refunded', async t => {
    const { create } = await harness(t, { heights: [1, 2] })
    await assert.rejects(create({ amountZat: 5_001n }), refused('refund_exceeds_received'))
    assert.equal((await create()).refund.amountZat, 5_000n)
  })

  test('what is sent is not refunded again, and only what is sent counts as refunded', async t => {
    const { create, end } = await harness(t)
    const { refund } = await create({ amountZat: 6_000n, address: 'u1first' })
    await create({ amountZat: 1_000n })
    assert.equal(await end(refund.publicId), 6_000n)
    await assert.rejects(create({ amountZat: 3_001n }), refused('refund_exceeds_received'))
    assert.equal((await create()).refund.amountZat, 3_000n)
  })

  test('a repeat returns its refund at the first rate, also when there is none any more', async t => {
    const { create, rates } = await harness(t)
    const request = { price: EUR_10, idempotencyKey: 'r-1' }
    const first = await create(request)
    assert.deepEqual([first.refund.amountZat, first.refund.rate?.price], [250n, '4000000'])
    for (const price of ['8000000', null]) {
      rates.price = price
      assert.deepEqual(await create(request), first)
    }
    await assert.rejects(create({ price: EUR_10 }), refused('rate_unavailable'))
  })

  test('equal requests at once make one refund', async t => {
    const { create } = await harness(t)
    const request = { amountZat: 1n, idempotencyKey: 'r-1' }
    const found = await Promise.all([create(request), create(request), create(request)])
    assert.equal(new Set(found.map(({ refund }) => refund.publicId)).size, 1)
  })

  test('a key lasts exactly 24 hours, and returns the newer refund after that', async t => {
    const { create, clock } = await harness(t)
    const idOf = async () => (await create({ amountZat: 1n, idempotencyKey: 'r-1' })).refund.publicId
    const first = await idOf()
    clock.advance(86_399)
    assert.equal(await idOf(), first)
    clock.advance(1)
    const next = await idOf()
    assert.notEqual(next, first)
    assert.equal(await idOf(), next)
  })

  test('the page of the refunds hides an address that the buyer can change, and does not fix it', async t => {
    const { create, refunds, links, shop } = await harness(t)
    const { linkId } = (await create()).refund
    const list = async (addresses: 'shown' | 'hidden') =>
      (await refunds.list(shop.account, { limit: 9 }, undefined, addresses))[0]?.refund.address
    await links.giveAddress(linkId, 'u1first')
    assert.equal(await list('hidden'), null)
    await links.giveAddress(linkId, 'u1second')
    assert.equal(await list('shown'), 'u1second')
    await assert.rejects(links.giveAddress(linkId, 'u1third'), refused('refund_address_fixed'))
    assert.equal(await list('hidden'), 'u1second')
  })
})
