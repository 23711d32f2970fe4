import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_ZAT } from '../../domain/money.ts'
import { PAYOUT_TO_CHARS, WITHDRAWAL_STATUSES } from '../../domain/withdrawal.ts'
import { closed, Id, nullable, of, Txid, UnixSecs, word, Zat } from './invoice.ts'

export const Plan = of<Wire.Plan>()(
  Type.Object({
    name: Type.String(),
    monthly_invoice_limit: nullable(Type.Integer({ description: 'Null: none.' })),
    price_zat: Zat('What one period costs.'),
    period_days: Type.Integer({ description: 'How long a period is.' }),
  }),
)

export const Billing = of<Wire.Billing>()(
  Type.Object({
    plan: Type.String(),
    expires_at: nullable(UnixSecs('Null: for ever.')),
    invoices_this_month: Type.Object({
      used: Type.Integer(),
      limit: nullable(Type.Integer({ description: 'Null: none.' })),
      resets_at: UnixSecs('The first of the next month, UTC.'),
    }),
  }),
)

export const Subscribe = of<Wire.SubscribeRequest>()(
  Type.Object({ plan: Type.String({ description: 'A name of GET /v1/plans.' }) }, closed),
)

export const CreateWithdrawal = of<Wire.CreateWithdrawalRequest>()(
  Type.Object(
    {
      amount_zat: Type.Integer({ minimum: 1, maximum: Number(MAX_ZAT), description: 'What your wallet will pay.' }),
      fiat_currency: Type.String({
        pattern: '^[A-Z]{3}$',
        description: 'ISO 4217, one that this service pays out in.',
      }),
      payout_to: Type.String({ minLength: 1, maxLength: PAYOUT_TO_CHARS, description: 'Where the desk pays to.' }),
    },
    closed,
  ),
)

export const Withdrawal = of<Wire.Withdrawal>()(
  Type.Object({
    id: Id,
    status: word(WITHDRAWAL_STATUSES, 'Paid out is `completed`; with `needs_attention` the operator looks into it.'),
    amount_zat: Zat('What is to be deposited, exactly.'),
    fiat_currency: Type.String({ description: 'ISO 4217.' }),
    fiat_amount: Type.String({ description: 'Decimal: what is paid out.' }),
    rate: Type.String({ description: 'Decimal: units of the currency for one whole coin, before the spread.' }),
    payout_to: Type.String({ description: 'Masked.' }),
    deposit_address: Type.String(),
    zip321_uri: Type.String({ description: 'ZIP 321 payment request of the deposit.' }),
    expires_at: UnixSecs('Until then the rate holds and a deposit is in time.'),
    received_zat: Zat('What the chain shows at the deposit address, mempool included.'),
    txid: Txid,
    reference: nullable(Type.String({ description: 'Proof of the payout, once completed.' })),
    reason: nullable(Type.String({ description: 'Why it failed, or why it needs attention.' })),
    created_at: UnixSecs('When it was made.'),
    updated_at: UnixSecs('When its status last changed.'),
  }),
)
