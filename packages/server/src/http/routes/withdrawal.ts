import { Type } from 'typebox'
import type { Withdrawals } from '../../services/withdrawal.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf, actorOf } from '../auth.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../idempotency.ts'
import { presentWithdrawal } from '../presenters/withdrawal.ts'
import { IdParam } from '../schemas/common.ts'
import { PageQuery, parsePage } from '../schemas/page.ts'
import { responses } from '../schemas/response.ts'
import { CreateWithdrawal, Withdrawal } from '../schemas/withdrawal.ts'

export function withdrawalRoutes(app: App, { withdrawals, auth }: { withdrawals: Withdrawals; auth: Auth }): void {
  const common = { tags: ['withdrawals'], security: [{ sessionAuth: [] }] }

  app.get(
    '/v1/account/withdrawals',
    {
      config: { rate: 'list' },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'listWithdrawals',
        summary: 'List the withdrawals, newest first',
        querystring: PageQuery,
        response: responses(Type.Array(Withdrawal)),
      },
    },
    async request => (await withdrawals.list(accountOf(request), parsePage(request.query))).map(presentWithdrawal),
  )

  app.post(
    '/v1/account/withdrawals',
    {
      config: {
        rate: 'session',
        errors: [
          'recent_sign_in_required',
          'billing_not_configured',
          'idempotency_key_reused',
          'account_being_deleted',
          'too_many_orders',
          'too_many_changes',
          'rate_unavailable',
        ],
      },
      onRequest: auth.requireRecentSignIn,
      schema: {
        ...common,
        operationId: 'createWithdrawal',
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
      config: { rate: 'session', errors: ['no_such_withdrawal'] },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'getWithdrawal',
        summary: 'Read a withdrawal',
        params: IdParam,
        response: responses(Withdrawal),
      },
    },
    async request => presentWithdrawal(await withdrawals.read(accountOf(request), request.params.id)),
  )

  app.post(
    '/v1/account/withdrawals/:id/cancel',
    {
      config: { rate: 'session', errors: ['no_such_withdrawal', 'withdrawal_not_cancelable'] },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'cancelWithdrawal',
        summary: 'Cancel a withdrawal',
        description: 'Possible only before a deposit. A deposit made after that is not lost: the operator reviews it.',
        params: IdParam,
        response: responses(Withdrawal),
      },
    },
    async request =>
      presentWithdrawal(await withdrawals.cancel(accountOf(request), request.params.id, actorOf(request))),
  )
}
