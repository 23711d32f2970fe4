import type { Selectable } from 'kysely'
import type { Account } from '../domain/account.ts'
import { num, numOrNull } from './mapping.ts'
import type { AccountsTable } from './tables.ts'

export function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: num(row.id),
    publicId: row.public_id,
    email: row.email,
    network: row.network,
    confirmations: num(row.confirmations),
    plan: row.plan,
    planExpiresAt: numOrNull(row.plan_expires_at),
    viewingKeyId: numOrNull(row.viewing_key_id),
    ...expiryOf(row),
    createdAt: num(row.created_at),
  }
}

function expiryOf(row: Selectable<AccountsTable>): Pick<Account, 'viewingKeyExpiry'> {
  const time = numOrNull(row.viewing_key_expires_at)
  const height = numOrNull(row.viewing_key_expiry_height)
  return time === null && height === null ? {} : { viewingKeyExpiry: { time, height } }
}

/** The account's columns beside those of a credential joined to it, which shares some of their names. */
export const OWNER_COLUMNS = [
  'accounts.id as owner_id',
  'accounts.public_id as owner_public_id',
  'accounts.email as owner_email',
  'accounts.network as owner_network',
  'accounts.confirmations as owner_confirmations',
  'accounts.plan as owner_plan',
  'accounts.plan_expires_at as owner_plan_expires_at',
  'accounts.viewing_key_id as owner_viewing_key_id',
  'accounts.viewing_key_expires_at as owner_viewing_key_expires_at',
  'accounts.viewing_key_expiry_height as owner_viewing_key_expiry_height',
  'accounts.created_at as owner_created_at',
] as const

type OwnerRow = { [Column in keyof Selectable<AccountsTable> as `owner_${Column}`]: Selectable<AccountsTable>[Column] }

export function toOwner(row: OwnerRow): Account {
  return toAccount({
    id: row.owner_id,
    public_id: row.owner_public_id,
    email: row.owner_email,
    network: row.owner_network,
    confirmations: row.owner_confirmations,
    plan: row.owner_plan,
    plan_expires_at: row.owner_plan_expires_at,
    viewing_key_id: row.owner_viewing_key_id,
    viewing_key_expires_at: row.owner_viewing_key_expires_at,
    viewing_key_expiry_height: row.owner_viewing_key_expiry_height,
    created_at: row.owner_created_at,
  })
}
