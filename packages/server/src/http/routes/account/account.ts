import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { CONFIRMATIONS } from '../../../domain/account/account.ts'
import { MAX_VIEWING_KEY_CHARS } from '../../../domain/account/viewing-key.ts'
import { invalidField } from '../../../domain/error.ts'
import { MAX_TOLERANCE_BPS } from '../../../domain/sale/invoice-fields.ts'
import type { AccountOverview, Accounts } from '../../../services/account/account.ts'
import type { ViewingKeys } from '../../../services/account/viewing-key.ts'
import type { App } from '../../app.ts'
import { type Auth, accountOf, actorOf } from '../../auth.ts'
import { Id, named, nullable, responses, stringEnum, UnixSecs, wireBody, wireObject } from '../../schema.ts'
import { MonthlyUsageSchema, presentMonthlyUsage } from './billing.ts'

const accountMembers = {
  id: Id,
  email: Type.String(),
  network: named('Network', stringEnum(['main', 'test', 'regtest'], 'Zcash network of the service.')),
  viewing_key_set: Type.Boolean(),
  confirmations: Type.Integer({
    description:
      'Confirmations required for a payment; 0 counts the mempool. A block is mined about every 75 seconds, from NU7 on about every 25.',
  }),
  tolerance_bps: Type.Integer({
    description: 'How much of an amount may be missing for `paid`, in hundredths of a percent.',
  }),
  plan: Type.String(),
  plan_expires_at: nullable(UnixSecs('Null: the plan does not expire.')),
  invoices_this_month: MonthlyUsageSchema,
  created_at: UnixSecs('Creation time.'),
}

const AccountSchema = wireObject<Wire.Account>()('Account', accountMembers)

const AccountWithFirstAddressSchema = wireObject<Wire.AccountWithFirstAddress>()('AccountWithFirstAddress', {
  ...accountMembers,
  first_address: Type.String({ description: 'First address of this key, to compare with the wallet.' }),
})

const UpdateAccountSchema = wireBody<Wire.UpdateAccountRequest>()('UpdateAccountRequest', {
  confirmations: Type.Optional(Type.Integer({ minimum: CONFIRMATIONS.min, maximum: CONFIRMATIONS.max })),
  tolerance_bps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_TOLERANCE_BPS,
      description: 'How much of an amount may be missing for `paid`, in hundredths of a percent.',
    }),
  ),
})

const SetViewingKeySchema = wireBody<Wire.SetViewingKeyRequest>()('SetViewingKeyRequest', {
  viewing_key: Type.String({
    minLength: 1,
    maxLength: MAX_VIEWING_KEY_CHARS,
    description: 'Unified viewing key (UFVK or UIVK, ZIP 316 Revision 0 or 2) with an Orchard item, not expired.',
  }),
})

function presentAccount(overview: AccountOverview): Wire.Account {
  const { account, plan, planExpiresAt } = overview
  return {
    id: account.publicId,
    email: account.email,
    network: account.network,
    viewing_key_set: account.viewingKeyId !== null,
    confirmations: account.confirmations,
    tolerance_bps: account.toleranceBps,
    plan: plan.name,
    plan_expires_at: planExpiresAt,
    invoices_this_month: presentMonthlyUsage(overview),
    created_at: account.createdAt,
  }
}

interface Deps {
  readonly accounts: Accounts
  readonly viewingKeys: ViewingKeys
  readonly auth: Auth
}

export function accountRoutes(app: App, { accounts, viewingKeys, auth }: Deps): void {
  const common = { tags: ['account'] }

  app.get(
    '/v1/account',
    {
      config: { rate: 'session', access: 'session' },
      schema: { ...common, operationId: 'getAccount', summary: 'Read the account', response: responses(AccountSchema) },
    },
    async request => presentAccount(await accounts.overview(accountOf(request))),
  )

  app.patch(
    '/v1/account',
    {
      config: {
        rate: 'session',
        access: 'session',
        errors: ['recent_sign_in_required', 'account_being_deleted', 'too_many_changes'],
      },
      schema: {
        ...common,
        operationId: 'updateAccount',
        summary: 'Set the confirmations and the tolerance',
        description:
          'Applies to invoices created from now on. Fewer confirmations or a higher tolerance than now need a recent sign-in.',
        body: UpdateAccountSchema,
        response: responses(AccountSchema),
      },
    },
    async request => {
      const { confirmations, tolerance_bps: toleranceBps } = request.body
      if (confirmations === undefined && toleranceBps === undefined)
        throw invalidField('confirmations', 'required, or tolerance_bps')
      const changes = {
        ...(confirmations !== undefined && { confirmations }),
        ...(toleranceBps !== undefined && { toleranceBps }),
      }
      const hasRecentSignIn = await auth.hasRecentSignIn(request)
      return presentAccount(await accounts.setTerms(accountOf(request), changes, actorOf(request), hasRecentSignIn))
    },
  )

  app.put(
    '/v1/account/viewing-key',
    {
      config: {
        rate: 'viewing-key',
        access: 'recent-session',
        errors: ['account_being_deleted', 'too_many_watched_keys', 'watched_key_capacity_reached', 'too_many_changes'],
      },
      schema: {
        ...common,
        operationId: 'setViewingKey',
        summary: 'Set the viewing key for new invoices',
        description:
          'An incoming viewing key is enough. Existing invoices stay watched under their own key; a plan limits the keys that are watched at a time (409 `too_many_watched_keys`), and so does the service (409 `watched_key_capacity_reached`). A ZIP 316 Revision 2 key can expire; an invoice cannot expire later than its key.',
        body: SetViewingKeySchema,
        response: responses(AccountWithFirstAddressSchema),
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
