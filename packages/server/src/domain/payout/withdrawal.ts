import { formatFixed, formatZec, ZAT_PER_ZEC, type Zat } from '../money.ts'

/**
 * A withdrawal is an order: the merchant's wallet pays a deposit address under the operator's viewing key, and the
 * withdrawal operator pays the merchant out. The service holds only viewing keys and cannot spend.
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

/** The deposit of an order, as the chain shows it. */
interface DepositStep {
  readonly step: 'deposit'
  /** The total at the order's address. */
  readonly receivedZat: Zat
  readonly confirmed: boolean
  readonly closed: boolean
  /** A part was mined too late for the order's rate, see `depositCutoff`. Relevant once it is confirmed. */
  readonly late: boolean
}

/** A step of an order: by the chain, by the merchant (`cancel`), or by the operator (`settle`, `fail`). */
export type WithdrawalStep = DepositStep | { readonly step: 'cancel' | 'settle' | 'fail' }

export interface WithdrawalOrder {
  readonly status: WithdrawalStatus
  readonly amountZat: Zat
  /** The total at the order's address, as last seen on the chain. */
  readonly receivedZat: Zat
  /** The total received when the order was closed. Only a higher total reopens the question. */
  readonly receivedAtCloseZat: Zat | null
}

/** A step that the order's status does not allow. */
export class IllegalStepError extends Error {
  readonly status: WithdrawalStatus
  readonly step: WithdrawalStep['step']

  constructor(status: WithdrawalStatus, step: WithdrawalStep['step']) {
    super(`a withdrawal that is ${status} cannot take the step ${step}`)
    this.name = 'IllegalStepError'
    this.status = status
    this.step = step
  }
}

/**
 * The status after a step.
 *
 * - A deposit is always accepted. A deposit that does not match the order (too little at its end, too much, late, after
 *   cancellation or failure, removed by a reorganisation) leads to `needs_attention`, so that no coins are overlooked.
 * - Only orders without any deposit can be canceled. `settle` and `fail` close an order with a deposit.
 *
 * @throws IllegalStepError
 */
export function statusAfter(order: WithdrawalOrder, step: WithdrawalStep): WithdrawalStatus {
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
  }
  throw new IllegalStepError(order.status, step.step)
}

function afterDeposit(
  { status, amountZat, receivedAtCloseZat }: WithdrawalOrder,
  { receivedZat, confirmed, closed, late }: DepositStep,
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
      return receivedZat > (receivedAtCloseZat ?? amountZat) ? 'needs_attention' : status
    case 'needs_attention':
      return status
  }
}

/** Why the deposit leads the order to `needs_attention`, for its owner and the operator. */
export function attentionReason(order: WithdrawalOrder, { receivedZat, closed, late }: DepositStep): string {
  const { status, amountZat } = order
  const received = `${formatZec(receivedZat)} ZEC`
  switch (status) {
    case 'canceled':
    case 'expired':
      return `${received} arrived after the order was ${status}`
    case 'completed':
    case 'failed':
      return `${received} arrived in all, more than when the order was closed`
  }
  if (receivedZat !== amountZat) {
    const end = receivedZat < amountZat && closed ? ' before its end' : ''
    return `${received} arrived${end}, the order is for ${formatZec(amountZat)} ZEC`
  }
  if (late) return 'the deposit was mined after the order’s rate had ended'
  return 'the deposit is not confirmed: a reorganisation may have removed it'
}

/** A deposit may be mined up to this number of block spacings after the order's expiry. */
const MINING_GRACE_BLOCKS = 10

/**
 * The latest block time, in Unix seconds, of a deposit in time. A deposit that is mined later is not paid out at the
 * order's rate; otherwise a merchant could hold the transaction back until the rate has moved, as a free option.
 *
 * Miners choose block times within the bounds of consensus: later than the median of the 11 blocks before, and at most 90
 * minutes after that median. This is acceptable here because a late deposit only sends the order to the operator: a block
 * time that is too late loses no coins, and one that is too early gains a few minutes.
 *
 * @param expiresAt Unix seconds
 * @param spacingSecs seconds between blocks at the height of the deposit
 */
export function depositCutoff(expiresAt: number, spacingSecs: number): number {
  return expiresAt + MINING_GRACE_BLOCKS * spacingSecs
}

/** Masks a payout destination. The last characters stay readable, so that the merchant recognises it. */
export function maskPayoutTo(payoutTo: string): string {
  const characters = Array.from(payoutTo)
  if (characters.length <= 8) return '••••'
  return `${characters.slice(0, 2).join('')}••••${characters.slice(-4).join('')}`
}

/**
 * The value of `amountZat` at `rate` (fiat per ZEC), less `spreadBps` hundredths of a percent, rounded down to `decimals`
 * places. Exact, with decimal strings.
 */
export function fiatAmount(amountZat: Zat, rate: string, spreadBps: number, decimals: number): string {
  return formatFixed(fiatUnits(amountZat, rate, spreadBps, decimals), decimals)
}

/** As `fiatAmount`, in the smallest unit of the currency. */
export function fiatUnits(amountZat: Zat, rate: string, spreadBps: number, decimals: number): bigint {
  const [whole = '', fraction = ''] = rate.split('.')
  const numerator = amountZat * BigInt(whole + fraction) * BigInt(10_000 - spreadBps) * 10n ** BigInt(decimals)
  return numerator / (ZAT_PER_ZEC * 10_000n * 10n ** BigInt(fraction.length))
}

export const MAX_PAYOUT_TO_CHARS = 512

/** The seal context of `payout_to`. A withdrawal has the id of the invoice that receives its deposit. */
export function payoutSealContext(invoiceId: number) {
  return { table: 'withdrawals', column: 'payout_to', row: invoiceId } as const
}

/** `0.5 ZEC for 12.34 EUR`: an order without its payout details. */
export function describeOrder(order: {
  readonly amountZat: Zat
  readonly fiatAmount: string
  readonly fiatCurrency: string
}): string {
  return `${formatZec(order.amountZat)} ZEC for ${order.fiatAmount} ${order.fiatCurrency}`
}
