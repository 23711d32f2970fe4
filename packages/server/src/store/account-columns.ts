import type { Selectable } from 'kysely'
import type { Account } from '../domain/account/account.ts'
import { num, numOrNull } from './mapping.ts'
import type { AccountsTable } from './tables.ts'

type AccountRow = Omit<Selectable<AccountsTable>, 'erased_at' | 'browsers_known_from'>

export function toAccount(row: AccountRow): Account {
  const deletionRequestedAt = numOrNull(row.deletion_requested_at)
  return {
    id: num(row.id),
    publicId: row.public_id,
    email: row.email,
    network: row.network,
    confirmations: num(row.confirmations),
    toleranceBps: num(row.tolerance_bps),
    plan: row.plan,
    planExpiresAt: numOrNull(row.plan_expires_at),
    viewingKeyId: numOrNull(row.viewing_key_id),
    ...expiryOf(row),
    createdAt: num(row.created_at),
    ...(deletionRequestedAt !== null && { deletionRequestedAt }),
  }
}

function expiryOf(row: AccountRow): Pick<Account, 'viewingKeyExpiry'> {
  const time = numOrNull(row.viewing_key_expires_at)
  const height = numOrNull(row.viewing_key_expiry_height)
  return time === null && height === null ? {} : { viewingKeyExpiry: { time, height } }
}

/** The account columns of a credential joined with its account. Prefixed, since both tables have some of the names. */
export const JOINED_ACCOUNT_COLUMNS = [
  'accounts.id as joined_id',
  'accounts.public_id as joined_public_id',
  'accounts.email as joined_email',
  'accounts.network as joined_network',
  'accounts.confirmations as joined_confirmations',
  'accounts.tolerance_bps as joined_tolerance_bps',
  'accounts.plan as joined_plan',
  'accounts.plan_expires_at as joined_plan_expires_at',
  'accounts.viewing_key_id as joined_viewing_key_id',
  'accounts.viewing_key_expires_at as joined_viewing_key_expires_at',
  'accounts.viewing_key_expiry_height as joined_viewing_key_expiry_height',
  'accounts.created_at as joined_created_at',
  'accounts.deletion_requested_at as joined_deletion_requested_at',
] as const

type JoinedAccountRow = {
  [Column in keyof AccountRow as `joined_${Column}`]: AccountRow[Column]
}

export function toJoinedAccount(row: JoinedAccountRow): Account {
  return toAccount({
    id: row.joined_id,
    public_id: row.joined_public_id,
    email: row.joined_email,
    network: row.joined_network,
    confirmations: row.joined_confirmations,
    tolerance_bps: row.joined_tolerance_bps,
    plan: row.joined_plan,
    plan_expires_at: row.joined_plan_expires_at,
    viewing_key_id: row.joined_viewing_key_id,
    viewing_key_expires_at: row.joined_viewing_key_expires_at,
    viewing_key_expiry_height: row.joined_viewing_key_expiry_height,
    created_at: row.joined_created_at,
    deletion_requested_at: row.joined_deletion_requested_at,
  })
}
