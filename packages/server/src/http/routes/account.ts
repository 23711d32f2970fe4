import type { Accounts } from '../../services/account.ts'
import type { ViewingKeys } from '../../services/viewing-key.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf, actorOf } from '../auth.ts'
import { presentAccount } from '../presenters/account.ts'
import { Account, AccountWithFirstAddress, SetViewingKey, UpdateAccount } from '../schemas/account.ts'
import { responses } from '../schemas/response.ts'

interface Deps {
  readonly accounts: Accounts
  readonly viewingKeys: ViewingKeys
  readonly auth: Auth
}

export function accountRoutes(app: App, { accounts, viewingKeys, auth }: Deps): void {
  const common = { tags: ['account'], security: [{ sessionAuth: [] }] }

  app.get(
    '/v1/account',
    {
      config: { rate: 'session' },
      onRequest: auth.requireSession,
      schema: { ...common, operationId: 'getAccount', summary: 'Read the account', response: responses(Account) },
    },
    async request => presentAccount(await accounts.overview(accountOf(request))),
  )

  app.patch(
    '/v1/account',
    {
      config: { rate: 'session', errors: ['recent_sign_in_required', 'account_being_deleted', 'too_many_changes'] },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'updateAccount',
        summary: 'Set the number of confirmations',
        description: 'Applies to invoices created from now on. Fewer than now need a recent sign-in.',
        body: UpdateAccount,
        response: responses(Account),
      },
    },
    async request => {
      const { confirmations } = request.body
      const hasRecentSignIn = await auth.hasRecentSignIn(request)
      return presentAccount(
        await accounts.setConfirmations(accountOf(request), confirmations, actorOf(request), hasRecentSignIn),
      )
    },
  )

  app.put(
    '/v1/account/viewing-key',
    {
      config: {
        rate: 'viewing-key',
        errors: [
          'recent_sign_in_required',
          'account_being_deleted',
          'too_many_watched_keys',
          'watched_key_capacity_reached',
          'too_many_changes',
        ],
      },
      onRequest: auth.requireRecentSignIn,
      schema: {
        ...common,
        operationId: 'setViewingKey',
        summary: 'Set the viewing key for new invoices',
        description:
          'An incoming viewing key is enough. Existing invoices stay watched under their own key; a plan limits the keys that are watched at a time (409 `too_many_watched_keys`), and so does the service (409 `watched_key_capacity_reached`). A ZIP 316 Revision 2 key can expire; an invoice cannot expire later than its key.',
        body: SetViewingKey,
        response: responses(AccountWithFirstAddress),
      },
    },
    async request => {
      const { account, firstAddress } = await viewingKeys.set(
        accountOf(request),
        request.body.viewing_key,
        actorOf(request),
      )
      return { ...presentAccount(await accounts.overview(account)), first_address: firstAddress }
    },
  )
}
