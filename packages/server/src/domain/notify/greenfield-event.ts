import { memberTexts, RawJson, stringify } from '../raw-json.ts'
import { type GreenfieldPayment, PAYMENT_METHOD } from '../sale/greenfield-invoice.ts'
import { dueAmount } from '../sale/invoice.ts'
import type { InvoiceMark } from '../sale/invoice-fields.ts'
import type { EventType } from './event.ts'

/** The events of invoices by their names in BTCPay's API. */
export const GREENFIELD_EVENTS = [
  'InvoiceCreated',
  'InvoiceReceivedPayment',
  'InvoiceProcessing',
  'InvoiceExpired',
  'InvoiceSettled',
  'InvoiceInvalid',
  'InvoicePaymentSettled',
  'InvoiceExpiredPaidPartial',
  'InvoicePaidAfterExpiration',
  'InvoiceRefund',
] as const
export type GreenfieldEvent = (typeof GREENFIELD_EVENTS)[number]

/** Null: there is no such event. */
export function parseGreenfieldEvent(name: string): GreenfieldEvent | null {
  return GREENFIELD_EVENTS.find(event => event === name) ?? null
}

/** A message that an event of an invoice makes. */
export interface GreenfieldMessage {
  readonly type: GreenfieldEvent
  /** The members of its type, without a payment. */
  readonly members: Readonly<Record<string, boolean | string>>
  /** It has the payment that the event names. */
  readonly hasPayment: boolean
}

/** The members of an event's body that decide its messages. */
interface EventBody {
  readonly status?: string
  readonly amount_zat?: number
  readonly received_zat?: number
  readonly overpaid_zat?: number
  readonly open_amount?: boolean
  readonly min_amount_zat?: number
  readonly tolerance_bps?: number
  readonly canceled_at?: number
  readonly marked_as?: InvoiceMark
}

interface MessageRule {
  readonly on: EventType
  readonly type: GreenfieldEvent
  readonly when: (event: EventBody) => boolean
  readonly members?: (event: EventBody) => GreenfieldMessage['members']
  readonly hasPayment?: true
}

const always = () => true
/** A merchant's mark stands: no later payment, expiry or cancellation gives the invoice a new state. */
const isUnmarked = ({ marked_as: mark }: EventBody) => mark === undefined
const overPaid = ({ overpaid_zat: overpaid = 0 }: EventBody) => overpaid > 0
const isOpenToExpire = (event: EventBody) => isUnmarked(event) && event.canceled_at === undefined

/** In the order of the messages of one event, which is that of BTCPay. */
const RULES: readonly MessageRule[] = [
  { on: 'invoice.created', type: 'InvoiceCreated', when: always },
  { on: 'invoice.payment_received', type: 'InvoiceReceivedPayment', when: always, hasPayment: true },
  {
    on: 'invoice.detected',
    type: 'InvoiceProcessing',
    when: isUnmarked,
    members: event => ({ overPaid: overPaid(event) }),
  },
  { on: 'invoice.paid', type: 'InvoicePaymentSettled', when: always, hasPayment: true },
  {
    on: 'invoice.paid',
    type: 'InvoiceSettled',
    when: isUnmarked,
    members: event => ({ manuallyMarked: false, overPaid: overPaid(event) }),
  },
  // A canceled invoice has been reported as invalid, and a later part of its amount changes nothing of that.
  {
    on: 'invoice.underpaid',
    type: 'InvoiceExpired',
    when: isOpenToExpire,
    members: () => ({ partiallyPaid: true }),
  },
  { on: 'invoice.underpaid', type: 'InvoiceExpiredPaidPartial', when: isOpenToExpire },
  {
    on: 'invoice.expired',
    type: 'InvoiceExpired',
    when: isUnmarked,
    members: () => ({ partiallyPaid: false }),
  },
  {
    on: 'invoice.late_payment',
    type: 'InvoicePaidAfterExpiration',
    when: event => isUnmarked(event) && isWhole(event),
  },
  { on: 'invoice.canceled', type: 'InvoiceInvalid', when: isUnmarked, members: () => ({ manuallyMarked: true }) },
  {
    on: 'invoice.marked',
    type: 'InvoiceSettled',
    when: event => event.marked_as === 'settled',
    members: event => ({ manuallyMarked: true, overPaid: overPaid(event) }),
  },
  {
    on: 'invoice.marked',
    type: 'InvoiceInvalid',
    when: event => event.marked_as === 'invalid',
    members: () => ({ manuallyMarked: true }),
  },
  { on: 'refund.updated', type: 'InvoiceRefund', when: event => event.status === 'awaiting_address' },
]

/** Whether the received amount is all that is required. */
function isWhole(event: EventBody): boolean {
  const { amount_zat: amount = 0, min_amount_zat: min = 1, open_amount: isOpen = false } = event
  const terms = {
    amountZat: BigInt(isOpen ? min : amount),
    openAmount: isOpen,
    toleranceBps: event.tolerance_bps ?? null,
  }
  return dueAmount(terms, BigInt(event.received_zat ?? 0)) === 0n
}

/**
 * The messages of an event, in their order. Each type occurs at most once.
 * @param body of the event
 * @param chosen the types that the endpoint gets; null: all. A test is sent whatever it has chosen
 */
export function greenfieldMessages(
  type: EventType,
  body: string,
  chosen: readonly GreenfieldEvent[] | null = null,
): GreenfieldMessage[] {
  if (type === 'test') return [testMessage(chosen)]
  const rules = RULES.filter(({ on, type: name }) => on === type && (chosen === null || chosen.includes(name)))
  if (rules.length === 0) return []
  const event: EventBody = JSON.parse(body)
  return rules.filter(({ when }) => when(event)).map(rule => messageOf(rule, event))
}

/** A test looks like the event that a shop waits for, if the endpoint gets it. */
function testMessage(chosen: readonly GreenfieldEvent[] | null): GreenfieldMessage {
  const wanted = chosen === null || chosen.includes('InvoiceSettled') ? 'InvoiceSettled' : chosen[0]
  const rule = RULES.find(({ type }) => type === wanted)
  return rule ? messageOf(rule, {}) : { type: 'InvoiceSettled', members: {}, hasPayment: false }
}

function messageOf({ type, members, hasPayment }: MessageRule, event: EventBody): GreenfieldMessage {
  return { type, members: members?.(event) ?? {}, hasPayment: hasPayment === true }
}

/** The types of our own events that can make these messages. @param chosen null: all */
export function eventTypesOf(chosen: readonly GreenfieldEvent[] | null): EventType[] {
  const rules = RULES.filter(({ type }) => chosen === null || chosen.includes(type))
  return [...new Set(rules.map(({ on }) => on))]
}

/** One sending of a message. */
export interface GreenfieldSending {
  readonly deliveryId: string
  readonly webhookId: string
  /** That of the first sending. */
  readonly originalDeliveryId: string
  readonly isRedelivery: boolean
  /** Unix seconds. */
  readonly timestamp: number
  readonly storeId: string
}

/** The payment of a message, and whether it came after the invoice had closed. */
export interface MessagePayment {
  readonly payment: GreenfieldPayment
  readonly afterExpiration: boolean
}

/** The ids of one attempt. @param originalId of a delivery that repeats another one; else null */
export function sendingIds(
  { publicId, originalId }: { readonly publicId: string; readonly originalId: string | null },
  { attempt, attemptId }: { readonly attempt: number; readonly attemptId: string },
): Pick<GreenfieldSending, 'deliveryId' | 'originalDeliveryId' | 'isRedelivery'> {
  const deliveryId = attempt === 1 ? publicId : attemptId
  const originalDeliveryId = originalId ?? publicId
  return { deliveryId, originalDeliveryId, isRedelivery: deliveryId !== originalDeliveryId }
}

/**
 * The body of a message. The metadata keep their bytes.
 * @param invoice `metadata` is the text of a JSON object; null: it has none
 */
export function greenfieldBody(
  { type, members, hasPayment }: GreenfieldMessage,
  { deliveryId, webhookId, originalDeliveryId, isRedelivery, timestamp, storeId }: GreenfieldSending,
  invoice: { readonly id: string; readonly metadata: string | null },
  paid: MessagePayment | null,
): string {
  return stringify({
    ...{ deliveryId, webhookId, originalDeliveryId, isRedelivery, type, timestamp, storeId },
    invoiceId: invoice.id,
    ...members,
    ...(hasPayment && paid && { afterExpiration: paid.afterExpiration, paymentMethodId: PAYMENT_METHOD }),
    ...(hasPayment && paid && { payment: paid.payment }),
    metadata: new RawJson(invoice.metadata ?? '{}'),
  })
}

/** The text of the metadata in the body of an event; null: it has none. */
export function metadataOf(body: string): string | null {
  return memberTexts(body).get('metadata') ?? null
}

/** The id of an invoice that does not exist, for a test. @param id makes it unique */
export function testInvoiceId(id: string): string {
  return `__test__${id}__test__`
}

/** A payment that does not exist, for a test. */
export function testPayment(timestamp: number): MessagePayment {
  const payment = {
    id: `${'0'.repeat(64)}-0`,
    receivedDate: timestamp,
    value: '0.00000001',
    fee: '0',
    status: 'Settled',
    destination: 'test',
  } as const
  return { payment, afterExpiration: false }
}
