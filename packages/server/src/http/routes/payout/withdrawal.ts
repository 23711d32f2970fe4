import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_ZAT } from '../../../domain/money.ts'
import { MAX_PAYOUT_TO_CHARS, WITHDRAWAL_STATUSES } from '../../../domain/payout/withdrawal.ts'
import { paymentUri } from '../../../domain/sale/payment-uri.ts'
import type { Withdrawals, WithdrawalWithInvoice } from '../../../services/payout/withdrawal.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf } from '../../auth.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../../idempotency.ts'
import {
  Id,
  IdParam,
  named,
  nullable,
  PageQuery,
  parsePage,
  responses,
  stringEnum,
  Txid,
  UnixSecs,
  wireBody,
  wireObject,
  Zat,
} from '../../schema.ts'

/** Members of a withdrawal in responses and events. */
export const withdrawalMembers = {
  status: named(
    'WithdrawalStatus',
    stringEnum(
      WITHDRAWAL_STATUSES,
      '`completed`: the payout is made. `needs_attention`: the operator reviews the withdrawal.',
    ),
  ),
  amount_zat: Zat('Exact amount to deposit.'),
  fiat_currency: Type.String({ description: 'ISO 4217 code.' }),
  fiat_amount: Type.String({ description: 'Payout amount, decimal.' }),
}

const CreateWithdrawalSchema = wireBody<Wire.CreateWithdrawalRequest>()('CreateWithdrawalRequest', {
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
})

const WithdrawalSchema = wireObject<Wire.Withdrawal>()('Withdrawal', {
  id: Id,
  ...withdrawalMembers,
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
})

function presentWithdrawal({ withdrawal, invoice, maskedPayoutTo }: WithdrawalWithInvoice): Wire.Withdrawal {
  return {
    id: withdrawal.publicId,
    status: withdrawal.status,
    amount_zat: Number(withdrawal.amountZat),
    fiat_currency: withdrawal.fiatCurrency,
    fiat_amount: withdrawal.fiatAmount,
    rate: withdrawal.rate,
    payout_to: maskedPayoutTo,
    deposit_address: invoice.address,
    zip321_uri: paymentUri(invoice.address, withdrawal.amountZat, withdrawal.publicId),
    expires_at: invoice.expiresAt,
    received_zat: Number(invoice.receivedZat),
    txid: invoice.txid,
    reference: withdrawal.reference,
    reason: withdrawal.reason,
    created_at: withdrawal.createdAt,
    updated_at: withdrawal.updatedAt,
  }
}

export function withdrawalRoutes(app: App, { withdrawals }: { withdrawals: Withdrawals }): void {
  const common = { tags: ['withdrawals'] }

  app.get(
    '/v1/account/withdrawals',
    {
      config: { rate: 'list', access: { scopes: ['withdrawals:read'], or: 'session' } },
      schema: {
        ...common,
        operationId: 'listWithdrawals',
        summary: 'List the withdrawals, newest first',
        querystring: PageQuery,
        response: responses(Type.Array(WithdrawalSchema)),
      },
    },
    async request => (await withdrawals.list(accountOf(request), parsePage(request.query))).map(presentWithdrawal),
  )

  app.post(
    '/v1/account/withdrawals',
    {
      config: {
        rate: 'session',
        access: 'recent-session',
        errors: [
          'billing_not_configured',
          'idempotency_key_reused',
          'account_being_deleted',
          'too_many_orders',
          'too_many_changes',
          'rate_unavailable',
        ],
      },
      schema: {
        ...common,
        operationId: 'createWithdrawal',
        summary: 'Create a withdrawal',
        description:
          'Uses the current rate. Pay exactly `amount_zat` to the deposit address before `expires_at`; the operator then ' +
          'pays `fiat_amount` to `payout_to`. A deposit mined more than ten block spacings after `expires_at` is not ' +
          'paid out at this rate; the withdrawal gets `needs_attention`. Accepts an `Idempotency-Key`.',
        headers: IdempotencyHeader,
        body: CreateWithdrawalSchema,
        response: responses(WithdrawalSchema),
      },
    },
    async request => {
      const { amount_zat, fiat_currency, payout_to } = request.body
      const order = {
        amountZat: BigInt(amount_zat),
        fiatCurrency: fiat_currency,
        payoutTo: payout_to,
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
      }
      return presentWithdrawal(await withdrawals.create(accountOf(request), order, actorOf(request)))
    },
  )

  app.get(
    '/v1/account/withdrawals/:id',
    {
      config: {
        rate: 'session',
        access: { scopes: ['withdrawals:read'], or: 'session' },
        errors: ['no_such_withdrawal'],
      },
      schema: {
        ...common,
        operationId: 'getWithdrawal',
        summary: 'Read a withdrawal',
        params: IdParam,
        response: responses(WithdrawalSchema),
      },
    },
    async request => presentWithdrawal(await withdrawals.read(accountOf(request), request.params.id)),
  )

  app.post(
    '/v1/account/withdrawals/:id/cancel',
    {
      config: {
        rate: 'session',
        access: 'session',
        errors: ['no_such_withdrawal', 'withdrawal_not_cancelable', 'too_many_changes'],
      },
      schema: {
        ...common,
        operationId: 'cancelWithdrawal',
        summary: 'Cancel a withdrawal',
        description: 'Possible only before a deposit. A deposit made after that is not lost: the operator reviews it.',
        params: IdParam,
        response: responses(WithdrawalSchema),
      },
    },
    async request =>
      presentWithdrawal(await withdrawals.cancel(accountOf(request), request.params.id, actorOf(request))),
  )
}
