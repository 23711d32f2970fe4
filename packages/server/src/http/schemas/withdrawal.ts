import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_ZAT } from '../../domain/money.ts'
import { MAX_PAYOUT_TO_CHARS, WITHDRAWAL_STATUSES } from '../../domain/withdrawal.ts'
import { Id, named, noExtraFields, nullable, stringEnum, Txid, UnixSecs, wireSchema, Zat } from './common.ts'

export const CreateWithdrawal = wireSchema<Wire.CreateWithdrawalRequest>()(
  named(
    'CreateWithdrawalRequest',
    Type.Object(
      {
        amount_zat: Type.Integer({ minimum: 1, maximum: Number(MAX_ZAT), description: 'Amount to deposit, in zat.' }),
        fiat_currency: Type.String({
          pattern: '^[A-Z]{3}$',
          description: 'ISO 4217 code of a currency that this service pays out.',
        }),
        payout_to: Type.String({
          minLength: 1,
          maxLength: MAX_PAYOUT_TO_CHARS,
          description: 'Payout destination, for example a bank account.',
        }),
      },
      noExtraFields,
    ),
  ),
)

export const WithdrawalStatus = wireSchema<Wire.WithdrawalStatus>()(
  named(
    'WithdrawalStatus',
    stringEnum(
      WITHDRAWAL_STATUSES,
      '`completed`: the payout is made. `needs_attention`: the operator reviews the withdrawal.',
    ),
  ),
)

export const Withdrawal = wireSchema<Wire.Withdrawal>()(
  named(
    'Withdrawal',
    Type.Object({
      id: Id,
      status: WithdrawalStatus,
      amount_zat: Zat('Exact amount to deposit.'),
      fiat_currency: Type.String({ description: 'ISO 4217 code.' }),
      fiat_amount: Type.String({ description: 'Payout amount, decimal.' }),
      rate: Type.String({ description: 'Price of 1 ZEC in the currency before the spread, decimal.' }),
      payout_to: Type.String({ description: 'Payout destination, masked.' }),
      deposit_address: Type.String(),
      zip321_uri: Type.String({ description: 'ZIP 321 payment request for the deposit.' }),
      expires_at: UnixSecs('Deadline of the deposit; the rate is fixed until then.'),
      received_zat: Zat('Amount received at the deposit address, mempool included.'),
      txid: Txid,
      reference: nullable(Type.String({ description: 'Payout reference; null until completed.' })),
      reason: nullable(Type.String({ description: 'Why the withdrawal failed or needs attention.' })),
      created_at: UnixSecs('Creation time.'),
      updated_at: UnixSecs('Time of the last status change.'),
    }),
  ),
)
