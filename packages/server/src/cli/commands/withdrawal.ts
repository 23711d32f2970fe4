import { formatZec } from '../../domain/money.ts'
import { formatUtc } from '../../domain/time.ts'
import { maskPayoutTo } from '../../domain/withdrawal.ts'
import type { Payouts } from '../../services/payout.ts'
import type { PayoutOrder } from '../../services/payout-order.ts'
import type { Context } from '../context.ts'
import { table } from '../output.ts'
import { withServices } from '../services.ts'
import { requireDatabase } from '../store.ts'

const MAX_LISTED = 200

interface Closing {
  readonly id: string
  readonly override: boolean
}

export async function list(context: Context): Promise<void> {
  const orders = await withPayouts(context, payouts => payouts.list(MAX_LISTED))
  context.out.result(
    orders.map(({ withdrawal, payoutTo, email }) => {
      return { ...toJson(withdrawal), email, payout_to: maskPayoutTo(payoutTo) }
    }),
    orders.length === 0
      ? ['no withdrawals yet']
      : table(
          ['id', 'account', 'status', 'deposited', 'amount', 'payout', 'to', 'created', 'being paid'],
          orders.map(({ withdrawal, payoutTo, email }) => [
            withdrawal.publicId,
            email,
            withdrawal.status,
            `${formatZec(withdrawal.receivedZat)} ZEC`,
            `${formatZec(withdrawal.amountZat)} ZEC`,
            `${withdrawal.fiatAmount} ${withdrawal.fiatCurrency}`,
            maskPayoutTo(payoutTo),
            formatUtc(withdrawal.createdAt),
            beingPaid(withdrawal),
          ]),
        ),
  )
}

export async function show({ id }: { readonly id: string }, context: Context): Promise<void> {
  const { withdrawal, payoutTo, email } = await withPayouts(context, payouts => payouts.read(id))
  const value = { ...toJson(withdrawal), email, payout_to: payoutTo }
  const lines = Object.entries(value).map(([name, member]) => `${name}: ${forPeople(name, member)}`)
  context.out.result(value, withdrawal.activePayout ? [...lines, `being paid ${beingPaid(withdrawal)}`] : lines)
}

export async function settle(
  { id, reference, override }: Closing & { readonly reference: string },
  context: Context,
): Promise<void> {
  const { withdrawal } = await withPayouts(context, payouts => payouts.markPaidOut(id, reference, { override }))
  context.out.result(toJson(withdrawal), [`${withdrawal.publicId} is marked as completed`])
}

export async function fail(
  { id, reason, override }: Closing & { readonly reason: string },
  context: Context,
): Promise<void> {
  const { withdrawal } = await withPayouts(context, payouts => payouts.markFailed(id, reason, { override }))
  context.out.result(toJson(withdrawal), [`${withdrawal.publicId} is marked as failed`])
}

function withPayouts<T>(context: Context, work: (payouts: Payouts) => Promise<T>): Promise<T> {
  const settings = context.config()
  requireDatabase(settings)
  if (settings.encryptionKeys.length === 0)
    throw new Error('ENCRYPTION_KEY is not set, and this DATA_DIR has no key of a sandbox')
  return withServices(context, ({ payouts }) => work(payouts))
}

/** A member of the JSON as a person reads it: amounts in ZEC, times in UTC. */
function forPeople(name: string, value: string | number | bigint | null): string {
  if (value === null) return ''
  if (name.endsWith('_zat')) return `${value} (${formatZec(BigInt(value))} ZEC)`
  return /_(at|since)$/.test(name) ? formatUtc(Number(value)) : String(value)
}

/** The provider that is paying a withdrawal and its start time; empty when no provider is paying. */
function beingPaid({ activePayout }: PayoutOrder['withdrawal']): string {
  return activePayout === null ? '' : `by ${activePayout.provider} since ${formatUtc(activePayout.since)}`
}

function toJson(withdrawal: PayoutOrder['withdrawal']) {
  return {
    id: withdrawal.publicId,
    status: withdrawal.status,
    amount_zat: withdrawal.amountZat,
    received_zat: withdrawal.receivedZat,
    fiat_currency: withdrawal.fiatCurrency,
    fiat_amount: withdrawal.fiatAmount,
    rate: withdrawal.rate,
    reference: withdrawal.reference,
    reason: withdrawal.reason,
    paying_provider: withdrawal.activePayout?.provider ?? null,
    paying_since: withdrawal.activePayout?.since ?? null,
    closed_by: withdrawal.closedBy,
    created_at: withdrawal.createdAt,
    updated_at: withdrawal.updatedAt,
  }
}
