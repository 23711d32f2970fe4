import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { paymentUri } from '../../domain/payment-uri.ts'
import type { Withdrawals, WithdrawalWithInvoice } from '../../services/withdrawal.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf } from '../auth.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../idempotency.ts'
import { IdParam, PageQuery, parsePage, responses } from '../schemas/common.ts'
import { CreateWithdrawal, Withdrawal } from '../schemas/withdrawal.ts'

export function withdrawalRoutes(app: App, { withdrawals, auth }: { withdrawals: Withdrawals; auth: Auth }): void {
  const common = { tags: ['withdrawals'], security: [{ session: [] }] }

  app.get(
    '/v1/account/withdrawals',
    {
      onRequest: auth.requireSession,
      schema: {
        ...common,
        summary: 'List the withdrawals, newest first',
        querystring: PageQuery,
        response: responses(Type.Array(Withdrawal)),
      },
    },
    async request => (await withdrawals.list(accountOf(request), parsePage(request.query))).map(present),
  )

  app.post(
    '/v1/account/withdrawals',
    {
      onRequest: auth.requireSession,
      schema: {
        ...common,
        summary: 'Create a withdrawal',
        description:
          'Uses the current rate. Pay exactly `amount_zat` to the deposit address before `expires_at`; the operator then ' +
          'pays `fiat_amount` to `payout_to`. A deposit mined more than ten block spacings after `expires_at` is not ' +
          'paid out at this rate; the withdrawal gets `needs_attention`. Accepts an `Idempotency-Key`.',
        headers: IdempotencyHeader,
        body: CreateWithdrawal,
        response: responses(Withdrawal),
      },
    },
    async request => {
      const { amount_zat, fiat_currency, payout_to } = request.body
      const created = await withdrawals.create(accountOf(request), {
        amountZat: BigInt(amount_zat),
        fiatCurrency: fiat_currency,
        payoutTo: payout_to,
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
      })
      return present(created)
    },
  )

  app.get(
    '/v1/account/withdrawals/:id',
    {
      onRequest: auth.requireSession,
      schema: { ...common, summary: 'Read a withdrawal', params: IdParam, response: responses(Withdrawal) },
    },
    async request => present(await withdrawals.read(accountOf(request), request.params.id)),
  )

  app.post(
    '/v1/account/withdrawals/:id/cancel',
    {
      onRequest: auth.requireSession,
      schema: {
        ...common,
        summary: 'Cancel a withdrawal',
        description: 'Possible only before a deposit. A deposit made after that is not lost: the operator reviews it.',
        params: IdParam,
        response: responses(Withdrawal),
      },
    },
    async request => present(await withdrawals.cancel(accountOf(request), request.params.id)),
  )
}

function present({ withdrawal, invoice, maskedPayoutTo }: WithdrawalWithInvoice): Wire.Withdrawal {
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
