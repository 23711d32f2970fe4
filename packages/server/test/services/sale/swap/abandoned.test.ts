import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { poisonRow } from '../../../harness/poison.ts'
import { SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

const DAY = 86_400
/** The end of polling: the provider's deadline is after three days, and the swap is polled for another one. */
const POLLED_SECS = 4 * DAY + 3_600

onBothDatabases(engine => {
  test('a swap without a deposit is deleted 45 days after its start; one with a deposit, however late, is kept', async t => {
    const harness = await SwapHarness.startOn(t, engine)
    const { chainSync } = harness
    const { cleanup, swaps } = chainSync.services
    const [invoice, other, paidLate] = [await harness.invoice(), await harness.invoice(), await harness.invoice()]
    const replaced = await harness.start(invoice)
    const current = await harness.start(invoice)
    const refunded = await harness.start(other)
    const abandoned = await harness.start(other)
    const late = await harness.start(paidLate)
    const startedAt = chainSync.clock.secs
    await harness.advance(3 * DAY)
    harness.drive(refunded, 'REFUNDED')
    harness.drive(late, 'SUCCESS', true)
    await harness.advance(POLLED_SECS - 3 * DAY)
    await harness.mine()
    assert.equal(await chainSync.store.read(tx => tx.swaps.nextPollAtMs()), null)
    assert.deepEqual(
      [(await harness.read(refunded)).status, (await harness.read(late)).status],
      ['REFUNDED', 'SUCCESS'],
    )

    const remaining = async () => {
      const all = [replaced, current, refunded, abandoned, late]
      const found = await chainSync.store.read(tx => tx.swaps.byIds(all.map(({ id }) => id)))
      return found.map(({ publicId }) => publicId)
    }
    chainSync.clock.advance(startedAt + 45 * DAY - 1 - chainSync.clock.secs)
    assert.equal(await cleanup.pruneAbandonedSwaps(), false)
    assert.equal((await remaining()).length, 5)
    chainSync.clock.advance(1)
    const changesBefore = await chainSync.store.read(tx => tx.invoiceChanges.last())
    assert.equal(await cleanup.pruneAbandonedSwaps(), false)
    assert.deepEqual(await remaining(), [refunded.publicId, late.publicId])
    assert.deepEqual(await chainSync.store.read(tx => tx.invoiceChanges.last()), changesBefore)

    assert.equal((await chainSync.read(invoice)).swapId, null)
    assert.equal((await chainSync.read(other)).swapId, refunded.id)
    assert.equal((await chainSync.read(paidLate)).swapId, late.id)
    assert.equal(await swaps.ofInvoice(invoice, current.publicId), null)
    assert.equal((await swaps.currentByInvoice([await chainSync.read(other)])).get(other.id)?.status, 'REFUNDED')
  })

  test('a swap is not deleted while it is polled, its invoice is open, or its status is unknown', async t => {
    const harness = await SwapHarness.startOn(t, engine)
    const { cleanup } = harness.chainSync.services
    const { store, clock } = harness.chainSync
    const [polled, unknown, open] = [
      await harness.start(await harness.invoice()),
      await harness.start(await harness.invoice()),
      await harness.start(await harness.invoice({ expiresInSecs: 80_000 })),
    ]
    for (const [swap, change] of [
      [polled, { nextPollAtMs: clock.nowMs() + 60 * DAY * 1000 }],
      [unknown, { providerStatus: 'DEPOSIT_HELD' }],
      [open, {}],
    ] as const) {
      const update = { ...swap, keepsInvoiceOpen: false, nextPollAtMs: null, statusRaw: null, ...change }
      await store.write(tx => tx.swaps.update(swap.id, update))
      await store.write(tx => tx.invoices.setKeptOpenBySwap(swap.invoiceId, false))
    }
    clock.advance(1_000)
    await store.write(tx => tx.chain.setSyncedThrough(clock.secs, clock.secs))
    await harness.chainSync.invoiceExpiry.expireDue(100)
    const invoices = await store.read(tx =>
      tx.invoices.byIds([polled, unknown, open].map(({ invoiceId }) => invoiceId)),
    )
    assert.deepEqual(
      invoices.map(({ status }) => status),
      ['expired', 'expired', 'pending'],
    )
    clock.advance(100 * DAY)
    await cleanup.pruneAbandonedSwaps()
    const kept = await store.read(tx => tx.swaps.byIds([polled.id, unknown.id, open.id]))
    assert.equal(kept.length, 3)
    const update = { ...unknown, providerStatus: 'PENDING_DEPOSIT', keepsInvoiceOpen: false, nextPollAtMs: null }
    await store.write(tx => tx.swaps.update(unknown.id, { ...update, statusRaw: null }))
    await cleanup.pruneAbandonedSwaps()
    assert.equal((await store.read(tx => tx.swaps.byIds([polled.id, unknown.id, open.id]))).length, 2)
  })

  test('an abandoned swap that cannot be deleted keeps no other from being deleted', async t => {
    const { url } = await engine.createDatabase(t)
    const harness = await SwapHarness.start(t, { container: { databaseUrl: url } })
    const { cleanup } = harness.chainSync.services
    const bad = await harness.start(await harness.invoice())
    const other = await harness.start(await harness.invoice())
    await harness.advance(POLLED_SECS)
    await harness.mine()
    harness.chainSync.clock.advance(45 * DAY)
    const repair = await poisonRow(url, { table: 'swaps', column: 'id', value: String(bad.id), on: 'DELETE' })
    const remaining = async () => {
      const found = await harness.chainSync.store.read(tx => tx.swaps.byIds([bad.id, other.id]))
      return found.map(({ id }) => id)
    }
    await cleanup.pruneAbandonedSwaps()
    assert.deepEqual(await remaining(), [bad.id])
    await repair()
    await cleanup.pruneAbandonedSwaps()
    assert.deepEqual(await remaining(), [])
  })
})
