import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ProviderPause } from '../../../../src/adapters/oneclick/pause.ts'
import type { AppError } from '../../../../src/domain/error.ts'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

test('a 429 of the provider stops all requests to it for its time, and starts say when to try again', async t => {
  const harness = await SwapHarness.start(t)
  const { clock } = harness.chainSync
  await harness.start(await harness.invoice())
  harness.test.oneclick.script.add('status', 'too_many_requests', 1)
  await harness.advance(5)
  const sent = harness.test.sent.length
  const invoice = await harness.invoice()
  for (let i = 0; i < 8; i++)
    await assert.rejects(
      harness.start(invoice),
      (error: AppError) => error.code === 'swap_provider_unavailable' && (error.retryAfterSecs ?? 0) > 0,
    )
  assert.equal(harness.test.sent.length, sent)
  // The provider has asked for a second.
  clock.advance(1)
  assert.equal((await harness.start(invoice)).status, 'PENDING_DEPOSIT')
})

test('Retry-After is read as seconds or as a date, and bounds the pause to five minutes', () => {
  const clock = new ManualClock()
  const pause = new ProviderPause(clock)
  const date = (secs: number) => new Date((clock.secs + secs) * 1000).toUTCString()
  for (const [header, secs] of [
    ['7', 7],
    ['0', 1],
    ['99999999', 300],
    [date(60), 60],
    [date(-60), 1],
    [date(86_400), 300],
    ['soon', 30],
    ['-5', 30],
    ['9'.repeat(100), 30],
    [undefined, 30],
  ] as const) {
    pause.begin(header)
    assert.equal(pause.secsLeft, secs, header)
  }
})
