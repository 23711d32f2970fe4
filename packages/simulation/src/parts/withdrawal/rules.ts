import { transitionsOf } from '../../run/part.ts'

/** The status changes that the contract allows. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  awaiting_deposit: ['deposit_detected', 'payout_processing', 'canceled', 'expired', 'needs_attention'],
  deposit_detected: ['awaiting_deposit', 'payout_processing', 'expired', 'needs_attention'],
  payout_processing: ['completed', 'failed', 'needs_attention'],
  needs_attention: ['completed', 'failed'],
  canceled: ['needs_attention'],
  expired: ['needs_attention'],
  completed: ['needs_attention'],
  failed: ['needs_attention'],
}

/** All allowed changes, for the coverage. */
export const WITHDRAWAL_TRANSITIONS = transitionsOf('withdrawal', STEPS)

export function isAllowedStep(before: string, after: string): boolean {
  return STEPS[before]?.includes(after) ?? false
}

/** Orders with these statuses change only when coins arrive, or a person acts. */
export const ENDS: ReadonlySet<string> = new Set(['completed', 'canceled', 'expired', 'failed', 'needs_attention'])

/** The value in a currency with two decimal places, less the spread, rounded down. @param rate decimal, per ZEC */
export function expectedFiat(amountZat: bigint, rate: string, spreadBps: number): string {
  const [whole = '0', fraction = ''] = rate.split('.')
  const scale = 10n ** BigInt(fraction.length)
  const cents = (amountZat * BigInt(whole + fraction) * BigInt(10_000 - spreadBps)) / (scale * 10n ** 10n)
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

/** A deposit mined this number of block intervals after the order's expiry is still paid out at the order's rate. */
export const GRACE_BLOCKS = 10
