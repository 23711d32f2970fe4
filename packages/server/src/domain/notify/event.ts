import { FREE_PLAN, type PlanAssignment } from '../account/plan.ts'
import type { Zat } from '../money.ts'
import type { WithdrawalStatus } from '../payout/withdrawal.ts'
import { stringify } from '../raw-json.ts'
import type { Invoice } from '../sale/invoice.ts'
import { TEXT_MEMBERS } from '../sale/invoice-text.ts'
import { type InvoiceOf, viewInvoice } from '../sale/invoice-views.ts'
import type { Refund } from '../sale/refund.ts'
import { MAX_DATE_SECS } from '../time.ts'

/** The types that the account's webhook gets. */
export const WEBHOOK_EVENT_TYPES = [
  'invoice.paid',
  'invoice.underpaid',
  'swap.refunded',
  'swap.failed',
  'swap.incomplete_deposit',
  'withdrawal.updated',
  'plan.updated',
  'test',
] as const
/** Those beside them, which a reader of the feed or an endpoint chooses. */
export const FURTHER_EVENT_TYPES = [
  'invoice.created',
  'invoice.payment_received',
  'invoice.detected',
  'invoice.part_paid',
  'invoice.expired',
  'invoice.canceled',
  'invoice.marked',
  'invoice.late_payment',
  'invoice.overpaid',
  'invoice.reorged',
  'refund.updated',
  'swap.updated',
] as const
export const EVENT_TYPES = [...WEBHOOK_EVENT_TYPES, ...FURTHER_EVENT_TYPES] as const
export type EventType = (typeof EVENT_TYPES)[number]

export function isWebhookEvent(type: EventType): boolean {
  return (WEBHOOK_EVENT_TYPES as readonly EventType[]).includes(type)
}

/** An event of an account. A feed, an endpoint and the webhook get exactly the bytes of `body`. */
export interface NewEvent {
  readonly accountId: number
  readonly invoiceId: number | null
  readonly type: EventType
  readonly body: string
  readonly createdAt: number
  /** An event of the invoice is delivered to this URL too. */
  readonly webhookUrl?: string | null
}

export interface EventSwap {
  readonly asset: string
  readonly blockchain: string
  readonly amountInFormatted: string
  readonly status: string
}

/** The body of an invoice or swap event, a `WebhookEvent` of the wire types. It is serialised once, here. */
export function invoiceEventBody(
  type: EventType,
  invoice: InvoiceOf<'event'> & Pick<Invoice, 'publicId'>,
  swap: EventSwap | null,
): string {
  return stringify({
    type,
    invoice_id: invoice.publicId,
    ...viewInvoice('event', invoice),
    swap: swap && {
      asset: swap.asset,
      blockchain: swap.blockchain,
      amount_in_formatted: swap.amountInFormatted,
      status: swap.status,
    },
  })
}

/** The body of an event of an invoice whose texts are erased. Its other members stay as they are. */
export function withoutTexts(body: string): string {
  const members = Object.entries(JSON.parse(body)).filter(([name]) => !TEXT_MEMBERS.includes(name))
  return JSON.stringify(Object.fromEntries(members))
}

/** An event of a sale. @param swap the one that pays it, or that the event is about */
export function invoiceEvent(type: EventType, invoice: Invoice, swap: EventSwap | null, createdAt: number): NewEvent {
  const { accountId, id: invoiceId, webhookUrl } = invoice
  return { accountId, invoiceId, type, body: invoiceEventBody(type, invoice, swap), createdAt, webhookUrl }
}

/**
 * The event that the account has this plan from now on. `expires_at` is always a time: for Free the time of the change,
 * for another plan without end the last second of the year 9999.
 */
export function planUpdatedEvent(
  accountId: number,
  { plan, planExpiresAt }: PlanAssignment,
  createdAt: number,
): NewEvent {
  const type = 'plan.updated'
  const endless = plan === FREE_PLAN ? createdAt : MAX_DATE_SECS
  const body = JSON.stringify({ type, invoice_id: null, plan, expires_at: planExpiresAt ?? endless })
  return { accountId, invoiceId: null, type, body, createdAt }
}

export interface EventWithdrawal {
  /** The merchant's account. */
  readonly accountId: number
  readonly publicId: string
  readonly status: WithdrawalStatus
  readonly amountZat: Zat
  readonly fiatCurrency: string
  /** Decimal. */
  readonly fiatAmount: string
}

/** The event that a refund was created, has an address, is sent or canceled. Its body has no address and no link. */
export function refundUpdatedEvent(refund: Refund, invoice: Invoice, createdAt: number): NewEvent {
  const type = 'refund.updated'
  const body = JSON.stringify({
    type,
    invoice_id: invoice.publicId,
    refund_id: refund.publicId,
    status: refund.status,
    amount_zat: Number(refund.amountZat),
    txid: refund.txid,
    ...(refund.price && { price: refund.price }),
    ...(invoice.orderId !== null && { order_id: invoice.orderId }),
  })
  const { webhookUrl } = invoice
  return { accountId: refund.accountId, invoiceId: refund.invoiceId, type, body, createdAt, webhookUrl }
}

/** The event that the withdrawal has a new status. */
export function withdrawalUpdatedEvent(withdrawal: EventWithdrawal, createdAt: number): NewEvent {
  const type = 'withdrawal.updated'
  const body = JSON.stringify({
    type,
    invoice_id: null,
    withdrawal_id: withdrawal.publicId,
    status: withdrawal.status,
    amount_zat: Number(withdrawal.amountZat),
    fiat_currency: withdrawal.fiatCurrency,
    fiat_amount: withdrawal.fiatAmount,
  })
  return { accountId: withdrawal.accountId, invoiceId: null, type, body, createdAt }
}
