import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { CONFIRMATIONS } from '../../domain/account.ts'
import { MAX_VIEWING_KEY_CHARS } from '../../domain/viewing-key.ts'
import { MonthlyUsage } from './billing.ts'
import { Id, named, noExtraFields, nullable, stringEnum, UnixSecs, wireSchema } from './common.ts'

const accountMembers = {
  id: Id,
  email: Type.String(),
  network: named('Network', stringEnum(['main', 'test', 'regtest'], 'Zcash network of the service.')),
  viewing_key_set: Type.Boolean(),
  confirmations: Type.Integer({
    description:
      'Confirmations required for a payment; 0 counts the mempool. A block is mined about every 75 seconds, from NU7 on about every 25.',
  }),
  plan: Type.String(),
  plan_expires_at: nullable(UnixSecs('Null: the plan does not expire.')),
  invoices_this_month: MonthlyUsage,
  created_at: UnixSecs('Creation time.'),
}

export const Account = wireSchema<Wire.Account>()(named('Account', Type.Object(accountMembers)))

export const AccountWithFirstAddress = wireSchema<Wire.AccountWithFirstAddress>()(
  named(
    'AccountWithFirstAddress',
    Type.Object({
      ...accountMembers,
      first_address: Type.String({ description: 'First address of this key, to compare with the wallet.' }),
    }),
  ),
)

export const UpdateAccount = wireSchema<Wire.UpdateAccountRequest>()(
  named(
    'UpdateAccountRequest',
    Type.Object(
      { confirmations: Type.Integer({ minimum: CONFIRMATIONS.min, maximum: CONFIRMATIONS.max }) },
      noExtraFields,
    ),
  ),
)

export const SetViewingKey = wireSchema<Wire.SetViewingKeyRequest>()(
  named(
    'SetViewingKeyRequest',
    Type.Object(
      {
        viewing_key: Type.String({
          minLength: 1,
          maxLength: MAX_VIEWING_KEY_CHARS,
          description: 'Unified viewing key (UFVK or UIVK, ZIP 316 Revision 0 or 2) with an Orchard item, not expired.',
        }),
      },
      noExtraFields,
    ),
  ),
)
