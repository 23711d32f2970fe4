import { endpointBody } from '../../domain/notify/dialect.ts'
import type { Endpoint } from '../../domain/notify/endpoint.ts'
import {
  type GreenfieldMessage,
  greenfieldBody,
  greenfieldMessages,
  type MessagePayment,
  metadataOf,
  sendingIds,
  testInvoiceId,
  testPayment,
} from '../../domain/notify/greenfield-event.ts'
import { greenfieldPayment } from '../../domain/sale/greenfield-invoice.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { Event } from '../../ports/repository/notify/event.ts'
import type { Tx } from '../../ports/store.ts'
import { readTips } from '../sale/invoice-state.ts'

type Receiver = Pick<Endpoint, 'publicId' | 'accountId' | 'dialect' | 'greenfieldEvents'>

/**
 * The parts of an event that an endpoint gets, each in a separate delivery: one in our dialect, none or several in
 * BTCPay's. A part has the same number for every endpoint, whatever it has chosen.
 */
export function partsOf(
  { dialect, greenfieldEvents }: Receiver,
  { type, body }: Pick<Event, 'type' | 'body'>,
): number[] {
  if (dialect === 'zatgate' || type === 'test') return [0]
  const isChosen = ({ type: name }: GreenfieldMessage) => greenfieldEvents === null || greenfieldEvents.includes(name)
  return greenfieldMessages(type, body).flatMap((message, part) => (isChosen(message) ? [part] : []))
}

/** One attempt to deliver a part of an event. */
export interface Sending {
  readonly endpoint: Receiver
  readonly event: Event
  readonly delivery: { readonly publicId: string; readonly part: number; readonly originalId: string | null }
  /** Its number, 1 or more. */
  readonly attempt: number
  readonly attemptId: string
}

/** The body of an attempt. Null: the event has no such part any more. */
export async function bodyOf(tx: Tx, sending: Sending): Promise<string | null> {
  const { endpoint, event, delivery } = sending
  if (endpoint.dialect === 'zatgate') return endpointBody({ eventId: event.publicId, seq: event.seq, body: event.body })
  const isTest = event.type === 'test'
  const messages = greenfieldMessages(event.type, event.body, isTest ? endpoint.greenfieldEvents : null)
  const message = messages[delivery.part]
  const account = message ? await tx.accounts.byId(endpoint.accountId) : null
  if (!message || !account) return null
  const ids = { ...sendingIds(delivery, sending), webhookId: endpoint.publicId }
  const [invoice] = event.invoiceId === null ? [] : await tx.invoices.byIds([event.invoiceId])
  const about = { id: invoice?.publicId ?? testInvoiceId(event.publicId), metadata: metadataOf(event.body) }
  const paid = isTest ? testPayment(event.createdAt) : await paymentOf(tx, event, invoice)
  const terms = { ...ids, timestamp: event.createdAt, storeId: account.publicId }
  return greenfieldBody(message, terms, about, paid)
}

/** More than a transaction of a buyer has. */
const MAX_PAYMENTS = 100

/** The payment that an event names, as it stands now. */
async function paymentOf(tx: Tx, { body }: Event, invoice: Invoice | undefined): Promise<MessagePayment | null> {
  const { txid } = JSON.parse(body) as { txid?: string | null }
  if (!invoice || !txid) return null
  const payments = await tx.payments.newest(invoice.id, MAX_PAYMENTS)
  const payment =
    payments.find(row => row.txid === txid && row.location.at !== 'dropped') ?? payments.find(row => row.txid === txid)
  if (!payment) return null
  const { confirmedTip } = await readTips(tx)
  const closedAt = invoice.canceledAt ?? invoice.expiresAt
  return {
    payment: greenfieldPayment(payment, invoice, confirmedTip),
    afterExpiration: invoice.lateAt !== null && payment.seenAt >= closedAt,
  }
}
