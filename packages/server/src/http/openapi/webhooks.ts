import type * as Wire from '@zatgate/sdk/wire'
import { type TSchema, Type } from 'typebox'
import { type EventType, FURTHER_EVENT_TYPES } from '../../domain/notify/event.ts'
import { withdrawalMembers } from '../routes/payout/withdrawal.ts'
import { invoiceMembers } from '../routes/sale/invoice.ts'
import { refundMembers } from '../routes/sale/refund.ts'
import { swapMembers } from '../routes/sale/swap.ts'
import { Id, nullable, stringEnum, UnixSecs, wireObject } from '../schema.ts'
import { EVENT_EXAMPLES, EXAMPLE_SECRET } from './examples.ts'
import type { JsonObject } from './shared-schemas.ts'

const SwapInEventSchema = wireObject<Wire.SwapInEvent>()('SwapInEvent', {
  asset: Type.String({ description: 'Asset identifier.' }),
  ...swapMembers,
})

/** Always null. Generators of clients fail on the type null alone and on a constant null, but know this form. */
const NoInvoice = Type.Unsafe<null>({
  type: ['string', 'null'],
  enum: [null],
  description: 'Null: the event is not about an invoice.',
})

const PROGRESS_TYPES = FURTHER_EVENT_TYPES.filter(type => type !== 'refund.updated')

const invoiceFields = { invoice_id: Id, ...invoiceMembers('event'), swap: nullable(SwapInEventSchema) }

const progressBody = wireObject<Wire.InvoiceProgressEvent>()('InvoiceProgressEvent', {
  type: stringEnum(PROGRESS_TYPES, 'The account webhook gets none of these: they are for the feed and for endpoints.'),
  ...invoiceFields,
})

/** When each event is sent, and its body. */
const EVENTS: Readonly<Record<EventType, { readonly when: string; readonly body: TSchema }>> = {
  'invoice.paid': {
    when: 'The invoice is paid: its full amount is confirmed.',
    body: wireObject<Wire.InvoicePaidEvent>()('InvoicePaidEvent', {
      type: Type.Literal('invoice.paid'),
      ...invoiceFields,
    }),
  },
  'invoice.underpaid': {
    when: 'The invoice expired with a payment that is too small.',
    body: wireObject<Wire.InvoiceUnderpaidEvent>()('InvoiceUnderpaidEvent', {
      type: Type.Literal('invoice.underpaid'),
      ...invoiceFields,
    }),
  },
  'swap.refunded': {
    when: 'The swap provider refunded a swap. The invoice stays pending.',
    body: wireObject<Wire.SwapRefundedEvent>()('SwapRefundedEvent', {
      type: Type.Literal('swap.refunded'),
      ...invoiceFields,
    }),
  },
  'swap.failed': {
    when: 'A swap failed. The invoice stays pending.',
    body: wireObject<Wire.SwapFailedEvent>()('SwapFailedEvent', {
      type: Type.Literal('swap.failed'),
      ...invoiceFields,
    }),
  },
  'swap.incomplete_deposit': {
    when: 'The buyer deposited less than the quoted amount. The invoice stays pending.',
    body: wireObject<Wire.SwapIncompleteDepositEvent>()('SwapIncompleteDepositEvent', {
      type: Type.Literal('swap.incomplete_deposit'),
      ...invoiceFields,
    }),
  },
  'invoice.created': { when: 'The invoice was created.', body: progressBody },
  'invoice.payment_received': { when: 'A payment arrived, of any amount and at any time.', body: progressBody },
  'invoice.detected': { when: 'The full amount is seen, but not all of it is confirmed.', body: progressBody },
  'invoice.part_paid': { when: 'A payment arrived, and a part of the amount is still missing.', body: progressBody },
  'invoice.expired': { when: 'The invoice expired without a payment.', body: progressBody },
  'invoice.canceled': { when: 'The merchant canceled the invoice.', body: progressBody },
  'invoice.marked': { when: 'The merchant marked the invoice as settled or invalid by hand.', body: progressBody },
  'invoice.late_payment': { when: 'A payment arrived after the invoice had closed.', body: progressBody },
  'invoice.overpaid': { when: 'More than the amount has arrived, or still more.', body: progressBody },
  'invoice.reorged': {
    when: 'A reorganisation removed payments of a paid invoice. It stays paid and needs attention.',
    body: progressBody,
  },
  'swap.updated': { when: 'A swap was started, or has another status.', body: progressBody },
  'withdrawal.updated': {
    when: 'The status of a withdrawal changed.',
    body: wireObject<Wire.WithdrawalUpdatedEvent>()('WithdrawalUpdatedEvent', {
      type: Type.Literal('withdrawal.updated'),
      invoice_id: NoInvoice,
      withdrawal_id: Id,
      ...withdrawalMembers,
    }),
  },
  'refund.updated': {
    when: 'A refund was created, has an address, is sent or canceled.',
    body: wireObject<Wire.RefundUpdatedEvent>()('RefundUpdatedEvent', {
      type: Type.Literal('refund.updated'),
      invoice_id: Id,
      refund_id: Id,
      status: refundMembers.status,
      amount_zat: refundMembers.amount_zat,
      txid: refundMembers.txid,
      price: refundMembers.price,
      order_id: Type.Optional(Type.String({ description: "The shop's own number of the order." })),
    }),
  },
  'plan.updated': {
    when: 'The plan of the account changed.',
    body: wireObject<Wire.PlanUpdatedEvent>()('PlanUpdatedEvent', {
      type: Type.Literal('plan.updated'),
      invoice_id: NoInvoice,
      plan: Type.String({ description: 'Name of the plan.' }),
      expires_at: UnixSecs('End of the plan; for Free its beginning, for a plan without end 253402300799.'),
    }),
  },
  test: {
    when: 'The owner of the account requested a test delivery.',
    body: wireObject<Wire.TestEvent>()('TestEvent', { type: Type.Literal('test'), invoice_id: NoInvoice }),
  },
}

/** The headers of a delivery, and what they contain. */
const HEADERS: Readonly<Record<string, string>> = {
  'X-Service-Signature':
    'HMAC-SHA256 of the raw body in lower-case hex, keyed with the whole secret string as UTF-8. It covers no ' +
    'time, so check `webhook-signature` instead. The example is signed ' +
    `with \`${EXAMPLE_SECRET}\`, as compact JSON.`,
  'webhook-id': 'The same for every attempt of a delivery.',
  'webhook-timestamp': 'Time of the attempt in Unix seconds.',
  'webhook-signature':
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`, keyed with the decoded bytes of ' +
    'the secret after `whsec_`. The example has the same secret.',
}

function headersOf(type: string): JsonObject[] {
  const example = EVENT_EXAMPLES[type]?.headers ?? {}
  return Object.entries(HEADERS).map(([name, description]) => ({
    ...{ name, in: 'header', required: true, description, example: example[name.toLowerCase()] },
    schema: { type: 'string' },
  }))
}

const RESPONSES = {
  '2XX': { description: 'Respond within 5 seconds, and do slow work afterwards.' },
  default: {
    description:
      'Any other status, and no response within 5 seconds, is a failure: three more attempts follow, 10, 60 and 300 seconds after the end of the previous one.',
  },
}

/** The requests that the service sends to the webhook of an account. */
export function webhooks(): JsonObject {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([type, { when, body }]) => [
      type,
      {
        post: {
          operationId: `on${type.replace(/(^|[._])(\w)/g, (_all, _dot, letter: string) => letter.toUpperCase())}`,
          summary: when,
          description:
            'Verify a signature with the raw body before you parse it. The same event can arrive more than once.',
          tags: ['events'],
          security: [],
          parameters: headersOf(type),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: body, example: EVENT_EXAMPLES[type]?.body } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  )
}
