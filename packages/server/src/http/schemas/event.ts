import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { Id, named, nullable, Txid, UnixSecs, wireSchema, Zat } from './common.ts'
import { InvoiceStatus } from './invoice.ts'
import { SwapStatus } from './swap.ts'
import { WithdrawalStatus } from './withdrawal.ts'

const SwapInEvent = wireSchema<Wire.SwapInEvent>()(
  named(
    'SwapInEvent',
    Type.Object({
      asset: Type.String({ description: 'Asset identifier.' }),
      blockchain: Type.String({ description: 'Origin chain code.' }),
      amount_in_formatted: Type.String({ description: 'Decimal.' }),
      status: SwapStatus,
    }),
  ),
)

/** Always null. Generators of clients fail on the type null alone and on a constant null, but know this form. */
const NoInvoice = Type.Unsafe<null>({
  type: ['string', 'null'],
  enum: [null],
  description: 'Null: the event is not about an invoice.',
})

const invoiceFields = {
  invoice_id: Id,
  status: InvoiceStatus,
  amount_zat: Zat('Requested amount.'),
  received_zat: Zat('Amount received, mempool included.'),
  overpaid_zat: Zat('Amount received above the requested amount.'),
  txid: Txid,
  swap: nullable(SwapInEvent),
}

/** The body of each webhook event, by type. */
export const EVENTS = {
  'invoice.paid': wireSchema<Wire.InvoicePaidEvent>()(
    named('InvoicePaidEvent', Type.Object({ type: Type.Literal('invoice.paid'), ...invoiceFields })),
  ),
  'invoice.underpaid': wireSchema<Wire.InvoiceUnderpaidEvent>()(
    named('InvoiceUnderpaidEvent', Type.Object({ type: Type.Literal('invoice.underpaid'), ...invoiceFields })),
  ),
  'swap.refunded': wireSchema<Wire.SwapRefundedEvent>()(
    named('SwapRefundedEvent', Type.Object({ type: Type.Literal('swap.refunded'), ...invoiceFields })),
  ),
  'swap.failed': wireSchema<Wire.SwapFailedEvent>()(
    named('SwapFailedEvent', Type.Object({ type: Type.Literal('swap.failed'), ...invoiceFields })),
  ),
  'swap.incomplete_deposit': wireSchema<Wire.SwapIncompleteDepositEvent>()(
    named(
      'SwapIncompleteDepositEvent',
      Type.Object({ type: Type.Literal('swap.incomplete_deposit'), ...invoiceFields }),
    ),
  ),
  'withdrawal.updated': wireSchema<Wire.WithdrawalUpdatedEvent>()(
    named(
      'WithdrawalUpdatedEvent',
      Type.Object({
        type: Type.Literal('withdrawal.updated'),
        invoice_id: NoInvoice,
        withdrawal_id: Id,
        status: WithdrawalStatus,
        amount_zat: Zat('Exact amount to deposit.'),
        fiat_currency: Type.String({ description: 'ISO 4217 code.' }),
        fiat_amount: Type.String({ description: 'Payout amount, decimal.' }),
      }),
    ),
  ),
  'plan.updated': wireSchema<Wire.PlanUpdatedEvent>()(
    named(
      'PlanUpdatedEvent',
      Type.Object({
        type: Type.Literal('plan.updated'),
        invoice_id: NoInvoice,
        plan: Type.String({ description: 'Name of the plan.' }),
        expires_at: UnixSecs('End of the plan; for Free its beginning, for a plan without end 253402300799.'),
      }),
    ),
  ),
  test: wireSchema<Wire.TestEvent>()(
    named('TestEvent', Type.Object({ type: Type.Literal('test'), invoice_id: NoInvoice })),
  ),
} as const
