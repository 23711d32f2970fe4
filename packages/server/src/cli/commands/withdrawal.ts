import { formatZec } from '../../domain/money.ts'
import { maskPayoutTo } from '../../domain/payout/withdrawal.ts'
import { formatUtc } from '../../domain/time.ts'
import type { Withdrawal } from '../../ports/repository/payout/withdrawal.ts'
import type { Payouts } from '../../services/payout/payout.ts'
import type { Context } from '../context.ts'
import { table } from '../output.ts'
import { withServices } from '../services.ts'
import { requireDatabase } from '../store.ts'

const MAX_LISTED = 200

export async function list(context: Context): Promise<void> {
  const orders = await withPayouts(context, payouts => payouts.list(MAX_LISTED))
  context.out.result(
    orders.map(({ withdrawal, payoutTo, email }) => {
      return { ...toJson(withdrawal), email, payout_to: maskPayoutTo(payoutTo) }
    }),
    orders.length === 0
      ? ['no withdrawals yet']
      : table(
          ['id', 'account', 'status', 'deposited', 'amount', 'payout', 'to', 'created'],
          orders.map(({ withdrawal, payoutTo, email }) => [
            withdrawal.publicId,
            email,
            withdrawal.status,
            `${formatZec(withdrawal.receivedZat)} ZEC`,
            `${formatZec(withdrawal.amountZat)} ZEC`,
            `${withdrawal.fiatAmount} ${withdrawal.fiatCurrency}`,
            maskPayoutTo(payoutTo),
            formatUtc(withdrawal.createdAt),
          ]),
        ),
  )
}

export async function show({ id }: { readonly id: string }, context: Context): Promise<void> {
  const { withdrawal, payoutTo, email } = await withPayouts(context, payouts => payouts.read(id))
  const value = { ...toJson(withdrawal), email, payout_to: payoutTo }
  const lines = Object.entries(value).map(([name, member]) => `${name}: ${forPeople(name, member)}`)
  context.out.result(value, lines)
}

export async function settle(
  { id, reference }: { readonly id: string; readonly reference: string },
  context: Context,
): Promise<void> {
  const withdrawal = await withPayouts(context, payouts => payouts.markPaidOut(id, reference))
  context.out.result(toJson(withdrawal), [`${withdrawal.publicId} is marked as completed`])
}

export async function fail(
  { id, reason }: { readonly id: string; readonly reason: string },
  context: Context,
): Promise<void> {
  const withdrawal = await withPayouts(context, payouts => payouts.markFailed(id, reason))
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
  return name.endsWith('_at') ? formatUtc(Number(value)) : String(value)
}

function toJson(withdrawal: Withdrawal) {
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
    created_at: withdrawal.createdAt,
    updated_at: withdrawal.updatedAt,
  }
}
