import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NO_METRICS } from '../../../src/ports/metrics.ts'
import type { Swap } from '../../../src/ports/repository/swap.ts'
import type { SwapProvider } from '../../../src/ports/swap-provider.ts'
import { closeNoteScanner } from '../../harness/chain-sync.ts'
import { SwapHarness } from '../../harness/swap.ts'

after(closeNoteScanner)

const YEAR_MS = 365 * 86_400_000

/** A harness whose provider can date its next report ahead. */
async function openHarness(t: Parameters<typeof SwapHarness.start>[0]) {
  let aheadMs = 0
  let refused = 0
  const logged: string[] = []
  const harness = await SwapHarness.start(t)
  const { provider } = harness.test
  const swapProvider: SwapProvider = {
    ...provider,
    async status(deposit, signal) {
      const response = await provider.status(deposit, signal)
      const dated = response && { ...response, updatedAtMs: response.updatedAtMs + aheadMs }
      aheadMs = 0
      return dated
    },
  }
  const { log } = harness.chainSync.infrastructure
  harness.chainSync.startServices({
    swapProvider,
    metrics: { ...NO_METRICS, swapReportRefused: () => void refused++ },
    log: { ...log, warn: (...line: unknown[]) => void logged.push(String(line.at(-1))) },
  })
  return {
    harness,
    logged,
    dateNextReport: (ms: number) => {
      aheadMs = ms
    },
    refused: () => refused,
  }
}

test('one report dated a year ahead is refused, and the swap keeps its invoice open and is refunded as reported', async t => {
  const { harness, dateNextReport, refused, logged } = await openHarness(t)
  const invoice = await harness.invoice()
  const swap = await harness.start(invoice)
  dateNextReport(YEAR_MS)
  await harness.advance(5)
  assert.equal(refused(), 1)
  assert.match(logged.join(), /its time is minutes ahead/)

  harness.drive(swap, 'PROCESSING')
  await harness.advance(1_000)
  assert.equal((await harness.read(swap)).status, 'PROCESSING')
  assert.equal(await harness.chainSync.status(invoice), 'pending')
  harness.drive(swap, 'REFUNDED')
  await harness.advance(120)
  assert.deepEqual(
    (await harness.sentEvents()).map(({ type }) => type),
    ['swap.refunded'],
  )
})

test('a final status with a time far ahead is refused too', async t => {
  const { harness, dateNextReport } = await openHarness(t)
  const swap = await harness.start(await harness.invoice())
  harness.drive(swap, 'FAILED')
  dateNextReport(6 * 60_000)
  await harness.advance(5)
  assert.equal((await harness.read(swap)).status, 'PENDING_DEPOSIT')
  await harness.advance(20)
  assert.equal((await harness.read(swap)).status, 'FAILED')
})

test('a time a minute ahead is an error of clocks, and its report counts', async t => {
  const { harness, dateNextReport, refused } = await openHarness(t)
  const swap = await harness.start(await harness.invoice())
  harness.drive(swap, 'PROCESSING')
  dateNextReport(60_000)
  await harness.advance(5)
  assert.deepEqual([(await harness.read(swap)).status, refused()], ['PROCESSING', 0])
})

test('a time far ahead that an earlier version has stored does not freeze its swap', async t => {
  const { harness } = await openHarness(t)
  const invoice = await harness.invoice()
  const swap = await harness.start(invoice)
  const stored: Swap = { ...swap, status: 'KNOWN_DEPOSIT_TX', updatedAtMs: harness.chainSync.clock.nowMs() + YEAR_MS }
  const nextPollAtMs = harness.chainSync.clock.nowMs()
  await harness.chainSync.store.write(tx =>
    tx.swaps.update(swap.id, { ...stored, keepsInvoiceOpen: true, nextPollAtMs, statusRaw: null }),
  )
  harness.drive(swap, 'REFUNDED')
  await harness.advance(60)
  assert.equal((await harness.read(swap)).status, 'REFUNDED')
  assert.deepEqual(
    (await harness.sentEvents()).map(({ type }) => type),
    ['swap.refunded'],
  )
})
