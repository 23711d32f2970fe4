import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import {
  hasDeposit,
  isFinalSwapStatus,
  isSwapStatus,
  SWAP_STATUSES,
  type SwapStatus,
} from '../../../../src/domain/sale/swap.ts'
import type { Swap } from '../../../../src/ports/repository/sale/swap.ts'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

type Step = { readonly word: string } | { readonly secs: number } | 'coins' | 'restart'

/** A step: the provider reports a status, the coins arrive, the services restart, or time passes. */
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<string>(...SWAP_STATUSES, 'A_NEW_WORD').map(status => ({ word: status })) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 400 }).map(secs => ({ secs })) },
    { weight: 1, arbitrary: fc.constant('coins' as const) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  ),
  { minLength: 1, maxLength: 7 },
)

const EVENTS: Readonly<Partial<Record<SwapStatus, string>>> = {
  INCOMPLETE_DEPOSIT: 'swap.incomplete_deposit',
  REFUNDED: 'swap.refunded',
  FAILED: 'swap.failed',
}

/** A model of the expected result of a sequence of steps. */
class Expected {
  status: SwapStatus = 'PENDING_DEPOSIT'
  coins = false
  readonly events: string[] = []

  report(status: string): void {
    if (isFinalSwapStatus(this.status) || !isSwapStatus(status)) return
    this.status = status
    const event = EVENTS[status]
    if (event && !this.events.includes(event)) this.events.push(event)
  }

  pay(): void {
    if (!this.coins) this.events.push('invoice.paid')
    this.coins = true
  }

  /** The provider has reported a deposit. */
  get depositReported(): boolean {
    return hasDeposit(this.status) && !isFinalSwapStatus(this.status)
  }
}

async function apply(harness: SwapHarness, swap: Swap, expected: Expected, step: Step): Promise<void> {
  if (step === 'restart') return harness.restart()
  if (step === 'coins') {
    if (!expected.coins) harness.test.oneclick.deliver(swap.depositAddress)
    expected.pay()
    return harness.mine()
  }
  if ('secs' in step) return harness.advance(step.secs)
  harness.drive(swap, step.word)
  await harness.advance(60)
  expected.report(step.word)
}

async function assertAsExpected(
  harness: SwapHarness,
  swap: Swap,
  invoice: Invoice,
  expected: Expected,
): Promise<Invoice> {
  const now = await harness.chainSync.read(invoice)
  assert.equal((await harness.read(swap)).status, expected.status)
  assert.equal(now.status === 'paid', expected.coins)
  if (expected.depositReported) assert.equal(now.keptOpenBySwap, true)
  return now
}

test('for any provider behaviour, only coins pay the invoice, each event is sent once, and a deposit keeps it open', async t => {
  const harness = await SwapHarness.start(t)
  await fc.assert(
    fc.asyncProperty(steps, async sequence => {
      let invoice = await harness.invoice()
      const swap = await harness.start(invoice)
      const before = (await harness.sentEvents()).length
      const expected = new Expected()
      for (const step of sequence) {
        const hadDeposit = expected.depositReported && invoice.status === 'pending'
        await apply(harness, swap, expected, step)
        invoice = await assertAsExpected(harness, swap, invoice, expected)
        if (hadDeposit && expected.depositReported && !expected.coins) assert.equal(invoice.status, 'pending')
      }
      const events = (await harness.sentEvents()).slice(before).map(({ type }) => type)
      assert.deepEqual(events, expected.events)
      // Ends polling of this swap before the next run.
      harness.drive(swap, 'FAILED')
      await harness.advance(60)
    }),
    { numRuns: 12 },
  )
})
