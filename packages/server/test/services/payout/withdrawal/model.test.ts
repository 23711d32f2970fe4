import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../../../src/domain/error.ts'
import { WITHDRAWAL_STATUSES, type WithdrawalStatus } from '../../../../src/domain/payout/withdrawal.ts'
import { createBillingHarness } from '../../../harness/billing.ts'
import { fixedRates } from '../../../harness/container.ts'
import { readEvents, sqliteStore } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const AMOUNT = 100n

/** Allowed next statuses of each status. */
const EDGES: Readonly<Record<WithdrawalStatus, readonly WithdrawalStatus[]>> = {
  awaiting_deposit: ['deposit_detected', 'payout_processing', 'canceled', 'expired', 'needs_attention'],
  deposit_detected: ['awaiting_deposit', 'payout_processing', 'expired', 'needs_attention'],
  payout_processing: ['completed', 'failed', 'needs_attention'],
  completed: ['needs_attention'],
  canceled: ['needs_attention'],
  expired: ['needs_attention'],
  failed: ['needs_attention'],
  needs_attention: ['completed', 'failed'],
}

const WORDS = ['vanish', 'mine', 'reorg', 'cancel', 'settle', 'fail'] as const
type Move =
  | { readonly do: 'deposit'; readonly zat: bigint }
  | { readonly do: 'wait'; readonly secs: number }
  | { readonly do: (typeof WORDS)[number] }

const moves = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('deposit' as const), zat: fc.constantFrom(1n, 40n, 60n, 100n, 101n) }),
    fc.record({ do: fc.constant('wait' as const), secs: fc.constantFrom(10, 900) }),
    fc.record({ do: fc.constantFrom(...WORDS) }),
  ),
  { minLength: 3, maxLength: 14 },
)

/** One path to each final status, so that each status is reached regardless of the random choices. */
const full = { do: 'deposit', zat: AMOUNT } as const
const PATHS: readonly (readonly Move[])[] = [
  [full, { do: 'mine' }, { do: 'settle' }],
  [full, { do: 'mine' }, { do: 'fail' }],
  [{ do: 'cancel' }],
  [{ do: 'wait', secs: 900 }],
  [{ do: 'deposit', zat: 101n }],
  [full, { do: 'mine' }, { do: 'reorg' }, { do: 'settle' }],
]

test('in any order of actions of chain, merchant and operator, each change sends exactly one event', async t => {
  const clock = new ManualClock()
  const { store, file } = await sqliteStore(t)
  // The smallest unit has a value, so that small orders are valid.
  const rates = fixedRates(clock, '999999999')
  const harness = await createBillingHarness(t, { store, clock, rates })
  const reached = new Set<WithdrawalStatus>()

  await fc.assert(
    fc.asyncProperty(moves, async (path: readonly Move[]) => {
      const account = await harness.merchant()
      const request = { amountZat: AMOUNT, fiatCurrency: 'USD', payoutTo: 'a bank account', idempotencyKey: undefined }
      const { withdrawal, invoice } = await harness.withdrawals.create(account, request)
      const id = withdrawal.publicId
      const unmined: string[] = []
      const make: Record<(typeof WORDS)[number], () => Promise<unknown>> = {
        vanish: async () => {
          const txid = unmined.pop()
          if (txid !== undefined) await harness.vanish(txid)
        },
        mine: async () => {
          await harness.mine()
          unmined.length = 0
        },
        reorg: () => harness.reorg(4),
        cancel: () => harness.withdrawals.cancel(account, id),
        settle: () => harness.payouts.markPaidOut(id, 'paid'),
        fail: () => harness.payouts.markFailed(id, 'refused'),
      }
      for (const move of path) {
        if (move.do === 'deposit') unmined.push(await harness.deposit(invoice, move.zat))
        else if (move.do === 'wait') {
          clock.advance(move.secs)
          await harness.seeThrough()
        } else {
          await make[move.do]().catch(refused)
        }
      }
      await harness.mine()

      const sent = readEvents(file, account.id).map(({ status }) => status as WithdrawalStatus)
      const { status } = (await harness.withdrawals.read(account, id)).withdrawal
      assert.equal(sent.at(-1) ?? 'awaiting_deposit', status)
      sent.reduce((from: WithdrawalStatus, to) => {
        assert.ok(EDGES[from].includes(to), `${from} → ${to} in ${sent.join(', ')}`)
        return to
      }, 'awaiting_deposit')
      for (const one of [...sent, 'awaiting_deposit'] as const) reached.add(one)
    }),
    { numRuns: 120, examples: PATHS.map((path): [readonly Move[]] => [path]) },
  )
  assert.deepEqual(reached, new Set(WITHDRAWAL_STATUSES))
})

/** Expects a conflict for steps that the order's status does not allow. */
function refused(error: unknown): void {
  if (!(error instanceof AppError) || error.kind !== 'conflict') throw error
}
