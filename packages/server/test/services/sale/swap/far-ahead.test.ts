import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { NO_METRICS } from '../../../../src/ports/metrics.ts'
import type { Swap } from '../../../../src/ports/repository/sale/swap.ts'
import type { SwapProvider, SwapStatusResponse } from '../../../../src/ports/swap-provider.ts'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { type DatabaseEngine, onBothDatabases } from '../../../harness/databases.ts'
import { SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const YEAR_MS = 365 * 24 * HOUR_MS

/** How the provider dates its reports. */
interface Dating {
  aheadMs: number
  /** How far ahead the next report is. Null: it is not. */
  nextAheadMs: number | null
  /** An old report that it repeats once. */
  replay: SwapStatusResponse | null
}

async function openHarness(t: TestContext, engine: DatabaseEngine) {
  const database = await engine.createDatabase(t)
  const dating: Dating = { aheadMs: 0, nextAheadMs: null, replay: null }
  const counted: string[] = []
  const logged: string[] = []
  const reports: SwapStatusResponse[] = []
  const harness = await SwapHarness.start(t, { container: { databaseUrl: database.url } })
  const { provider } = harness.test
  const swapProvider: SwapProvider = {
    ...provider,
    async status(deposit, signal) {
      const response = await provider.status(deposit, signal)
      const dated = response && {
        ...response,
        updatedAtMs: response.updatedAtMs + (dating.nextAheadMs ?? dating.aheadMs),
      }
      const { replay } = dating
      Object.assign(dating, { nextAheadMs: null, replay: null })
      if (dated) reports.push(dated)
      return replay ?? dated
    },
  }
  const { log } = harness.chainSync.infrastructure
  harness.chainSync.startServices({
    swapProvider,
    metrics: { ...NO_METRICS, swapReportAhead: () => void counted.push('ahead') },
    log: { ...log, warn: (...line: unknown[]) => void logged.push(String(line.at(-1))) },
  })
  const status = async (swap: Swap) => (await harness.read(swap)).status
  const eventTypes = async () => (await database.events(harness.chainSync.account.id)).map(({ type }) => type)
  return { harness, dating, counted, logged, reports, status, eventTypes }
}

onBothDatabases(engine => {
  test('one report dated a year ahead does not make later ones older', async t => {
    const { harness, dating, counted, logged, status, eventTypes } = await openHarness(t, engine)
    const invoice = await harness.invoice()
    const swap = await harness.start(invoice)
    dating.nextAheadMs = YEAR_MS
    await harness.advance(5)
    assert.equal(counted.length, 1)
    assert.match(logged.join(), /minutes ahead/)

    harness.drive(swap, 'PROCESSING')
    await harness.advance(1_000)
    assert.equal(await status(swap), 'PROCESSING')
    assert.equal(await harness.chainSync.status(invoice), 'pending')
    harness.drive(swap, 'REFUNDED')
    await harness.advance(120)
    assert.deepEqual(await eventTypes(), ['swap.refunded'])
  })

  test('a provider whose clock is an hour ahead completes a swap, and is logged once', async t => {
    const { harness, dating, logged, status } = await openHarness(t, engine)
    dating.aheadMs = HOUR_MS
    const invoice = await harness.invoice()
    const swap = await harness.start(invoice)
    for (const outcome of ['KNOWN_DEPOSIT_TX', 'PROCESSING'] as const) {
      harness.drive(swap, outcome)
      await harness.advance(20)
      assert.equal(await status(swap), outcome)
    }
    await harness.advance(1_000)
    assert.equal(await harness.chainSync.status(invoice), 'pending')
    harness.drive(swap, 'SUCCESS', true)
    await harness.advance(60)
    await harness.mine()
    assert.deepEqual([await status(swap), await harness.chainSync.status(invoice)], ['SUCCESS', 'paid'])
    assert.equal(logged.filter(line => line.includes('minutes ahead')).length, 1)
  })

  test('an old report of a provider whose clock is an hour ahead does not replace a newer one', async t => {
    const { harness, dating, reports, status } = await openHarness(t, engine)
    dating.aheadMs = HOUR_MS
    const swap = await harness.start(await harness.invoice())
    await harness.advance(5)
    const [pending] = reports
    assert.equal(pending?.status, 'PENDING_DEPOSIT')
    harness.drive(swap, 'PROCESSING')
    await harness.advance(5)
    assert.equal(await status(swap), 'PROCESSING')
    for (let i = 0; i < 3; i++) {
      dating.replay = pending
      await harness.advance(5)
      assert.equal(dating.replay, null)
      assert.equal(await status(swap), 'PROCESSING')
    }
  })

  test('an old report of a right time does not replace one that is dated ahead', async t => {
    const { harness, dating, reports, status } = await openHarness(t, engine)
    const swap = await harness.start(await harness.invoice())
    await harness.advance(5)
    const [pending] = reports
    await harness.advance(400)
    harness.drive(swap, 'PROCESSING')
    dating.nextAheadMs = YEAR_MS
    await harness.advance(15)
    dating.replay = pending ?? null
    await harness.advance(15)
    assert.deepEqual([dating.replay, await status(swap)], [null, 'PROCESSING'])
  })

  test('a clock that was a year ahead and then is an hour ahead holds reports up for ten minutes at most', async t => {
    const { harness, dating, status } = await openHarness(t, engine)
    const swap = await harness.start(await harness.invoice())
    dating.nextAheadMs = YEAR_MS
    dating.aheadMs = HOUR_MS
    await harness.advance(5)
    harness.drive(swap, 'PROCESSING')
    await harness.advance(615)
    assert.equal(await status(swap), 'PROCESSING')
  })

  test('a final status with a time far ahead counts', async t => {
    const { harness, dating, status } = await openHarness(t, engine)
    const swap = await harness.start(await harness.invoice())
    harness.drive(swap, 'FAILED')
    dating.nextAheadMs = 6 * MINUTE_MS
    await harness.advance(5)
    assert.equal(await status(swap), 'FAILED')
  })

  test('a time a minute ahead is an error of clocks, which is not counted', async t => {
    const { harness, dating, counted, status } = await openHarness(t, engine)
    const swap = await harness.start(await harness.invoice())
    harness.drive(swap, 'PROCESSING')
    dating.nextAheadMs = MINUTE_MS
    await harness.advance(5)
    assert.deepEqual([await status(swap), counted], ['PROCESSING', []])
  })

  test('a time far ahead that an earlier version has stored does not freeze its swap', async t => {
    const { harness, status, eventTypes } = await openHarness(t, engine)
    const swap = await harness.start(await harness.invoice())
    const { clock, store } = harness.chainSync
    const stored: Swap = {
      ...swap,
      status: 'KNOWN_DEPOSIT_TX',
      updatedAtMs: clock.nowMs() + YEAR_MS,
      lastReportAt: clock.secs,
    }
    const update = { ...stored, keepsInvoiceOpen: true, nextPollAtMs: clock.nowMs(), statusRaw: null }
    await store.write(tx => tx.swaps.update(swap.id, update))
    harness.drive(swap, 'REFUNDED')
    await harness.advance(60)
    assert.equal(await status(swap), 'REFUNDED')
    assert.deepEqual(await eventTypes(), ['swap.refunded'])
  })
})
