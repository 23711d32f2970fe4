import { ZAT_PER_ZEC, type Zat } from './money.ts'

/**
 * A withdrawal is an order: the merchant's wallet pays a deposit address under the operator's viewing key, and a desk
 * pays the merchant out. The service holds viewing keys, so it moves nothing itself.
 */
export const WITHDRAWAL_STATUSES = [
  'awaiting_deposit',
  'deposit_detected',
  'payout_processing',
  'completed',
  'canceled',
  'expired',
  'failed',
  'needs_attention',
] as const
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number]

/** Who completed or failed an order: a person by command, or the payout provider by its answer. */
export type ClosedBy = 'operator' | 'provider'

/** What can happen to an order. A deposit is what the chain shows at the order's address, all of it. */
export type WithdrawalStep =
  | {
      readonly step: 'deposit'
      readonly receivedZat: Zat
      readonly confirmed: boolean
      readonly closed: boolean
      /** A part of it was mined too late for the order's rate, see `depositCutoff`. Counts once it is confirmed. */
      readonly late: boolean
    }
  | { readonly step: 'cancel' }
  | { readonly step: 'settle' }
  | { readonly step: 'fail' }
  /** The provider reports a payout of an order that was already closed: the merchant may have been paid twice. */
  | { readonly step: 'paid_after_close' }

export interface Order {
  readonly status: WithdrawalStatus
  readonly amountZat: Zat
  /** What the chain has last shown at the order's address. */
  readonly receivedZat: Zat
  /** What had been received when the operator settled or failed the order; only more than that is news. */
  readonly closedAtZat: Zat | null
}

/** A step that the order's status does not allow. */
export class IllegalStep extends Error {
  readonly status: WithdrawalStatus
  readonly step: WithdrawalStep['step']

  constructor(status: WithdrawalStatus, step: WithdrawalStep['step']) {
    super(`a withdrawal that is ${status} cannot take the step ${step}`)
    this.name = 'IllegalStep'
    this.status = status
    this.step = step
  }
}

/**
 * The status after a step.
 *
 * - A deposit is a fact and never illegal: what does not fit the order (too little at its end, too much, late, after a
 *   side exit, taken back by a reorganisation) becomes `needs_attention`, so that no coin vanishes from sight.
 * - Cancel is for orders without a deposit, be it a part; settle and fail are the operator's word on an order with one.
 *
 * @throws IllegalStep
 */
export function after(order: Order, step: WithdrawalStep): WithdrawalStatus {
  switch (step.step) {
    case 'deposit':
      return afterDeposit(order, step)
    case 'cancel':
      if (order.status === 'awaiting_deposit' && order.receivedZat === 0n) return 'canceled'
      break
    case 'settle':
      if (order.status === 'payout_processing' || order.status === 'needs_attention') return 'completed'
      break
    case 'fail':
      if (order.status === 'payout_processing' || order.status === 'needs_attention') return 'failed'
      break
    case 'paid_after_close':
      if (order.status === 'completed' || order.status === 'failed') return 'needs_attention'
      break
  }
  throw new IllegalStep(order.status, step.step)
}

function afterDeposit(
  { status, amountZat, closedAtZat }: Order,
  { receivedZat, confirmed, closed, late }: Extract<WithdrawalStep, { step: 'deposit' }>,
): WithdrawalStatus {
  switch (status) {
    case 'awaiting_deposit':
    case 'deposit_detected':
      if (receivedZat > amountZat) return 'needs_attention'
      if (receivedZat === amountZat) {
        if (confirmed) return late ? 'needs_attention' : 'payout_processing'
        return closed ? 'needs_attention' : 'deposit_detected'
      }
      if (closed) return receivedZat > 0n ? 'needs_attention' : 'expired'
      return 'awaiting_deposit'
    case 'payout_processing':
      return receivedZat === amountZat && confirmed ? status : 'needs_attention'
    case 'canceled':
    case 'expired':
      return receivedZat > 0n ? 'needs_attention' : status
    case 'completed':
    case 'failed':
      return receivedZat > (closedAtZat ?? amountZat) ? 'needs_attention' : status
    case 'needs_attention':
      return status
  }
}

/** Block spacings after an order's expiry in which its deposit may still be mined. */
const MINING_GRACE_BLOCKS = 10

/**
 * The latest time, in Unix seconds, of a block that holds a deposit in time. A deposit that is mined later is not paid
 * out at the order's rate: whoever holds a transaction back until the rate has moved would own a free option.
 *
 * The time of a block is its miner's claim, within the bounds of consensus: later than the median of the 11 blocks
 * before it, and at most 90 minutes after that median. It may decide here because the decision only hands the order to
 * a person. A block dated too late pays nothing and loses nothing; one dated too early gains a few minutes.
 *
 * @param expiresAt Unix seconds
 * @param spacingSecs seconds between blocks at the height of the deposit
 */
export function depositCutoff(expiresAt: number, spacingSecs: number): number {
  return expiresAt + MINING_GRACE_BLOCKS * spacingSecs
}

/** The last digits and letters stay readable, so that the merchant knows the account without it being shown. */
export function maskPayout(payoutTo: string): string {
  return payoutTo.length <= 8 ? '••••' : `${payoutTo.slice(0, 2)}••••${payoutTo.slice(-4)}`
}

/**
 * What `amountZat` is worth at `rate` (fiat per ZEC) less `spreadBps` hundredths of a percent, rounded down to
 * `decimals`; exact, in decimal strings.
 */
export function fiatAmount(amountZat: Zat, rate: string, spreadBps: number, decimals: number): string {
  const [whole = '', fraction = ''] = rate.split('.')
  const numerator = amountZat * BigInt(whole + fraction) * BigInt(10_000 - spreadBps) * 10n ** BigInt(decimals)
  const units = numerator / (ZAT_PER_ZEC * 10_000n * 10n ** BigInt(fraction.length))
  const digits = units.toString().padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

export const PAYOUT_TO_CHARS = 512
/** Of a payout's reference, and of the reason why one failed. */
export const NOTE_CHARS = 200

/** Where `payout_to` rests, sealed: a withdrawal has the id of the invoice that takes its deposit. */
export function payoutPlace(invoiceId: number) {
  return { table: 'withdrawals', column: 'payout_to', row: invoiceId } as const
}
