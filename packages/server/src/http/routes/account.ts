import type * as Wire from '@zatgate/sdk/wire'
import type { AccountOverview, Accounts } from '../../services/account.ts'
import type { ViewingKeys } from '../../services/viewing-key.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf } from '../auth.ts'
import { Account, AccountWithFirstAddress, SetViewingKey, UpdateAccount } from '../schemas/account.ts'
import { responses } from '../schemas/common.ts'

interface Deps {
  readonly accounts: Accounts
  readonly viewingKeys: ViewingKeys
  readonly auth: Auth
}

export function accountRoutes(app: App, { accounts, viewingKeys, auth }: Deps): void {
  const common = { tags: ['account'], security: [{ session: [] }] }

  app.get(
    '/v1/account',
    {
      onRequest: auth.requireSession,
      schema: { ...common, summary: 'Read the account', response: responses(Account) },
    },
    async request => present(await accounts.overview(accountOf(request))),
  )

  app.patch(
    '/v1/account',
    {
      onRequest: auth.requireSession,
      schema: {
        ...common,
        summary: 'Set the number of confirmations',
        description: 'Applies to invoices created from now on.',
        body: UpdateAccount,
        response: responses(Account),
      },
    },
    async request => present(await accounts.setConfirmations(accountOf(request), request.body.confirmations)),
  )

  app.put(
    '/v1/account/viewing-key',
    {
      onRequest: auth.requireSession,
      schema: {
        ...common,
        summary: 'Set the viewing key for new invoices',
        description:
          'An incoming viewing key is enough. Existing invoices stay watched under their own key. A ZIP 316 Revision 2 key can expire; an invoice cannot expire later than its key.',
        body: SetViewingKey,
        response: responses(AccountWithFirstAddress),
      },
    },
    async request => {
      const { account, firstAddress } = await viewingKeys.set(accountOf(request), request.body.viewing_key)
      return { ...present(await accounts.overview(account)), first_address: firstAddress }
    },
  )
}

function present({ account, plan, planExpiresAt, usedThisMonth, resetsAt }: AccountOverview): Wire.Account {
  return {
    id: account.publicId,
    email: account.email,
    network: account.network,
    viewing_key_set: account.viewingKeyId !== null,
    confirmations: account.confirmations,
    plan: plan.name,
    plan_expires_at: planExpiresAt,
    invoices_this_month: { used: usedThisMonth, limit: plan.monthlyInvoiceLimit, resets_at: resetsAt },
    created_at: account.createdAt,
  }
}
