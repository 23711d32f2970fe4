import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import type { SwapStatus } from '../../../../src/domain/sale/swap.ts'
import type { NewSwap, Swap, SwapUpdate } from '../../../../src/ports/repository/sale/swap.ts'
import type { Store } from '../../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'

const NOW_MS = NOW * 1000

function draft(invoice: Invoice, terms: Partial<NewSwap> = {}): NewSwap {
  return {
    publicId: randomUUID(),
    invoiceId: invoice.id,
    assetId: 'nep141:eth.omft.near',
    symbol: 'ETH',
    blockchain: 'eth',
    decimals: 18,
    refundTo: '0xrefund',
    depositAddress: `0x${randomUUID()}`,
    depositMemo: null,
    amountIn: 10n ** 25n + 1n,
    minAmountIn: 10n ** 25n,
    amountInUsd: '12.34',
    amountOutUsd: '12.3',
    contractAddress: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    timeEstimate: 150,
    deadline: NOW + 900,
    quoteDeadline: NOW + 3 * 86_400,
    quoteRaw: '{"quote":{}}',
    createdAt: NOW,
    ...terms,
  }
}

async function insert(store: Store, invoice: Invoice, firstPollAtMs = NOW_MS): Promise<Swap> {
  const swap = await store.write(tx => tx.swaps.insert(draft(invoice), firstPollAtMs))
  assert.ok(swap)
  return swap
}

function record(store: Store, swap: Swap, change: Partial<SwapUpdate>): Promise<void> {
  const outcome = { ...swap, keepsInvoiceOpen: true, nextPollAtMs: NOW_MS, statusRaw: null, ...change }
  return store.write(tx => tx.swaps.update(swap.id, outcome))
}

async function ids(found: Promise<readonly Swap[]>): Promise<number[]> {
  return (await found).map(({ id }) => id)
}

export function swapSuite(engine: DatabaseEngine): void {
  test('a hastened poll runs no later than requested, and earlier or disabled polls do not change', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [invoice, other] = [await shop.sell(), await shop.sell()]
    const [late, early, never] = [
      await insert(store, invoice, NOW_MS + 60_000),
      await insert(store, invoice, NOW_MS - 1),
      await insert(store, invoice),
    ]
    await record(store, never, { nextPollAtMs: null })
    await insert(store, other, NOW_MS + 60_000)
    await store.write(tx => tx.swaps.pollNoLaterThan(invoice.id, NOW_MS))
    const due = await ids(store.write(tx => tx.swaps.claimDue(NOW_MS, NOW_MS + 1, 10)))
    assert.deepEqual(due.toSorted(), [late.id, early.id].toSorted())
  })

  test('a deposit address with its memo belongs to one swap across all invoices', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [one, other] = [await shop.sell(), await shop.sell()]
    const tryInsert = async (invoice: Invoice, depositAddress: string, depositMemo: string | null) =>
      (await store.write(tx => tx.swaps.insert(draft(invoice, { depositAddress, depositMemo }), NOW_MS))) !== null
    assert.equal(await tryInsert(one, 'a', null), true)
    assert.equal(await tryInsert(one, 'a', null), false)
    assert.equal(await tryInsert(other, 'a', null), false)
    assert.equal(await tryInsert(other, 'a', '1'), true)
    assert.equal(await tryInsert(one, 'a', '1'), false)
    assert.equal(await tryInsert(one, 'a', '2'), true)
    assert.equal(await tryInsert(one, 'b', null), true)
  })

  test('a swap keeps its exact amounts and has the expiry of its invoice', async t => {
    const store = await openEmptyStore(engine, t)
    const invoice = await (await openShop(store)).sell()
    const terms = draft(invoice, { depositMemo: '90517' })
    const inserted = await store.write(tx => tx.swaps.insert(terms, NOW_MS))
    assert.ok(inserted)
    const { quoteRaw: _, ...kept } = terms
    assert.deepEqual(inserted, {
      ...kept,
      id: inserted.id,
      invoicePublicId: invoice.publicId,
      status: 'PENDING_DEPOSIT',
      providerStatus: '',
      updatedAtMs: 0,
      lastReportAt: null,
      depositSeenAt: null,
      successAt: null,
      sentEvents: [],
      failedPolls: 0,
      needsAttention: false,
      deposit: { deposited: null, refunded: null, refundReason: null, txid: null },
      invoiceExpiresAt: invoice.expiresAt,
    })
    // More than 64 bits, as of assets with 24 decimals.
    const deposit = {
      deposited: 10n ** 30n,
      refunded: 10n ** 30n - 1n,
      refundReason: 'PARTIAL_DEPOSIT',
      txid: 'ab'.repeat(32),
    }
    await record(store, inserted, {
      deposit,
      status: 'REFUNDED',
      providerStatus: 'REFUNDED',
      updatedAtMs: NOW_MS + 1,
      lastReportAt: NOW + 1,
      depositSeenAt: NOW,
      sentEvents: ['swap.incomplete_deposit', 'swap.refunded'],
      failedPolls: 2,
      needsAttention: true,
    })
    const [read] = await store.read(tx => tx.swaps.byIds([inserted.id]))
    assert.deepEqual(read, {
      ...inserted,
      deposit,
      status: 'REFUNDED',
      providerStatus: 'REFUNDED',
      updatedAtMs: NOW_MS + 1,
      lastReportAt: NOW + 1,
      depositSeenAt: NOW,
      sentEvents: ['swap.incomplete_deposit', 'swap.refunded'],
      failedPolls: 2,
      needsAttention: true,
    })
    assert.equal(await store.read(tx => tx.swaps.byId(inserted.id + 1)), null)
  })

  test('an invoice has one current swap, which keeps it open and extends its watch period', async t => {
    const store = await openEmptyStore(engine, t)
    const invoice = await (await openShop(store)).sell()
    const swap = await insert(store, invoice)
    await store.write(tx => tx.invoices.setSwap(invoice.id, swap.id, invoice.watchUntil + 5))
    const [read] = await store.read(tx => tx.invoices.byIds([invoice.id]))
    assert.deepEqual(read, { ...invoice, swapId: swap.id, keptOpenBySwap: true, watchUntil: invoice.watchUntil + 5 })
  })

  test('an invoice is kept open as long as any of its swaps keeps it open', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [invoice, other] = [await shop.sell(), await shop.sell()]
    const keptOpen = ({ id }: Invoice) => store.read(tx => tx.swaps.anyKeepsInvoiceOpen(id))
    const [first, second] = [await insert(store, invoice), await insert(store, invoice)]
    assert.deepEqual([await keptOpen(invoice), await keptOpen(other)], [true, false])
    await record(store, second, { keepsInvoiceOpen: false })
    assert.equal(await keptOpen(invoice), true)
    await record(store, first, { keepsInvoiceOpen: false })
    assert.equal(await keptOpen(invoice), false)
  })

  test('the paying swap is a successful one, otherwise the latest with a deposit, otherwise null', async t => {
    const store = await openEmptyStore(engine, t)
    const invoice = await (await openShop(store)).sell()
    const swaps = [await insert(store, invoice), await insert(store, invoice), await insert(store, invoice)]
    const payingAfter = async (...statuses: SwapStatus[]) => {
      for (const [index, status] of statuses.entries()) await record(store, swaps[index]!, { status })
      const found = await store.read(tx => tx.swaps.payingSwap(invoice.id))
      return found && swaps.findIndex(({ id }) => id === found.id)
    }
    assert.equal(await payingAfter('PENDING_DEPOSIT', 'REFUNDED', 'FAILED'), null)
    assert.equal(await payingAfter('PROCESSING', 'INCOMPLETE_DEPOSIT', 'PENDING_DEPOSIT'), 1)
    assert.equal(await payingAfter('SUCCESS', 'KNOWN_DEPOSIT_TX', 'PROCESSING'), 0)
  })

  test('due swaps are claimed once, the longest due first, and are due again when the claim expires', async t => {
    const store = await openEmptyStore(engine, t)
    const invoice = await (await openShop(store)).sell()
    const [late, early, future] = [
      await insert(store, invoice, NOW_MS),
      await insert(store, invoice, NOW_MS - 1),
      await insert(store, invoice, NOW_MS + 1),
    ]
    const claim = (limit: number, nowMs = NOW_MS) =>
      ids(store.write(tx => tx.swaps.claimDue(nowMs, nowMs + 30_000, limit)))
    const next = () => store.read(tx => tx.swaps.nextPollAtMs())
    assert.equal(await next(), NOW_MS - 1)
    assert.deepEqual(await claim(1), [early.id])
    const claimed = await Promise.all(Array.from({ length: 5 }, () => claim(10)))
    assert.deepEqual(claimed.flat(), [late.id])
    assert.equal(await next(), NOW_MS + 1)
    assert.deepEqual(new Set(await claim(10, NOW_MS + 30_000)), new Set([late.id, early.id, future.id]))
    for (const swap of [late, early, future]) await record(store, swap, { nextPollAtMs: null })
    assert.equal(await next(), null)
    assert.deepEqual(await claim(10, NOW_MS + 10 ** 9), [])
  })

  test('a poll that a clock far ahead has planned is due once the clock is right', async t => {
    const store = await openEmptyStore(engine, t)
    const invoice = await (await openShop(store)).sell()
    await insert(store, invoice, NOW_MS + 3_600_000)
    const far = await insert(store, invoice, NOW_MS + 7 * 86_400_000)
    assert.equal(await store.read(tx => tx.swaps.latestPollAtMs()), NOW_MS + 7 * 86_400_000)
    assert.deepEqual(await ids(store.write(tx => tx.swaps.claimDue(NOW_MS, NOW_MS + 30_000, 10))), [far.id])
  })

  test('swaps that need attention are listed newest first and counted until the coins arrive', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const [one, two, foreign] = [await shop.sell(), await shop.sell(), await other.sell()]
    const swaps = [await insert(store, one), await insert(store, two), await insert(store, foreign)]
    for (const swap of swaps) await record(store, swap, { needsAttention: true })
    const [first, second, third] = swaps.map(({ id }) => id)
    const listed = (accountId?: number) => ids(store.read(tx => tx.swaps.needingAttention(10, accountId)))
    assert.deepEqual(await listed(), [third, second, first])
    assert.deepEqual(await listed(shop.account.id), [second, first])
    await store.write(tx => tx.invoices.updateStates([{ ...two, receivedZat: two.amountZat, dueZat: 0n }]))
    assert.deepEqual(await listed(shop.account.id), [first])
    assert.equal(await store.read(tx => tx.swaps.countNeedingAttention()), 2)
  })

  test('starts are counted per invoice and time window, and can be uncounted', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const [invoice, other] = [await shop.sell(), await shop.sell()]
    const since = (at: number) => store.read(tx => tx.swaps.startsSince(invoice.id, at))
    const count = (at: number, of = invoice) => store.write(tx => tx.swaps.recordStart(of.id, at, at - 600))
    await count(NOW, other)
    await count(NOW + 2)
    const start = await count(NOW + 1)
    assert.deepEqual(await since(NOW), [NOW + 1, NOW + 2])
    assert.deepEqual(await since(NOW + 1), [NOW + 2])
    await store.write(tx => tx.swaps.removeStart(start))
    assert.deepEqual(await since(NOW), [NOW + 2])
    await count(NOW + 602)
    assert.deepEqual(await since(0), [NOW + 602])
  })

  test('a start that a clock ahead has deleted is not uncounted in place of a later one with its id', async t => {
    const store = await openEmptyStore(engine, t)
    const invoice = await (await openShop(store)).sell()
    const count = (at: number) => store.write(tx => tx.swaps.recordStart(invoice.id, at, at - 600))
    const deleted = await count(NOW - 720)
    await count(NOW)
    await store.write(tx => tx.swaps.removeStart(deleted))
    assert.deepEqual(await store.read(tx => tx.swaps.startsSince(invoice.id, 0)), [NOW])
  })
}
