import { invalidField } from '../error.ts'
import { MAX_DATE_SECS } from '../time.ts'
import { isInBlocks, MAX_ADDRESS_BLOCKS, parseAddressBlock } from './address-block.ts'
import { grants, isPermission, PERMISSION_NAMES, type Permission } from './permission.ts'

/** The rights of a scoped key. */
export const SCOPES = {
  'invoices:create': 'Create invoices, also with their own webhook',
  'invoices:read': 'List and read invoices with all that the shop gave, and their refunds',
  'invoices:write': 'Cancel and mark invoices',
  'events:read': 'Read the events of the account',
  'webhooks:write': 'Manage endpoints, send test events, and read and resend deliveries',
  'refunds:write': 'Create, read and cancel refunds, and mark them as sent',
  'links:read': 'List and read payment links',
  'links:write': 'Create, change and pause payment links',
  'withdrawals:read': 'Read withdrawals',
} as const
type OwnScope = keyof typeof SCOPES
/** A right of this API, or a permission by which a shop plugin uses the one of BTCPay. */
export type Scope = OwnScope | Permission

export const SCOPE_NAMES = Object.keys(SCOPES) as OwnScope[]
export const ALL_SCOPES: readonly Scope[] = [...SCOPE_NAMES, ...PERMISSION_NAMES]

/** The rights and limits of a scoped key. */
export interface KeyRights {
  readonly scopes: readonly Scope[]
  /** Unix seconds. Null: it never ends. */
  readonly expiresAt: number | null
  /** CIDR blocks, in canonical form. Null: any address. */
  readonly addresses: readonly string[] | null
}

export interface ApiKey {
  readonly id: number
  readonly publicId: string
  readonly name: string
  readonly last4: string
  /** Null: the key creates invoices, and can do nothing else. */
  readonly rights: KeyRights | null
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

export const MAX_API_KEYS = 100

/**
 * The rights as a key keeps them: with each block of addresses once, in canonical form.
 * @throws AppError `invalid_expires_at`, `invalid_addresses`
 */
export function checkedRights({ scopes, expiresAt, addresses }: KeyRights, now: number): KeyRights {
  if (expiresAt !== null && (expiresAt <= now || expiresAt > MAX_DATE_SECS))
    throw invalidField('expires_at', 'a time in the future, in Unix seconds, or null')
  return { scopes, expiresAt, addresses: addresses && checkedAddresses(addresses) }
}

function checkedAddresses(addresses: readonly string[]): string[] {
  const blocks = addresses.map(text => {
    const block = parseAddressBlock(text)
    if (block === null)
      throw invalidField('addresses', 'each an IPv4 or IPv6 address or a CIDR block, such as 203.0.113.0/24')
    return block
  })
  const distinct = [...new Set(blocks)]
  if (distinct.length < 1 || distinct.length > MAX_ADDRESS_BLOCKS)
    throw invalidField('addresses', `1 to ${MAX_ADDRESS_BLOCKS} addresses or CIDR blocks, or null`)
  return distinct
}

/** At `expiresAt` the key works no more. */
export function hasEnded({ rights }: Pick<ApiKey, 'rights'>, now: number): boolean {
  return rights !== null && rights.expiresAt !== null && rights.expiresAt <= now
}

/**
 * Why a key that is not revoked is refused.
 * @param client the address of the client; null, which is in no block: unknown
 */
export function keyRefusal(key: ApiKey, now: number, client: string | null): 'ended' | 'elsewhere' | null {
  if (hasEnded(key, now)) return 'ended'
  const addresses = key.rights?.addresses ?? null
  if (addresses !== null && (client === null || !isInBlocks(client, addresses))) return 'elsewhere'
  return null
}

/** Whether the key has one of the scopes. */
export function hasScope({ rights }: ApiKey, scopes: readonly Scope[]): boolean {
  return (rights?.scopes ?? []).some(scope => scopes.includes(scope))
}

/** The permissions of a key for shop plugins, in the order in which they were asked for. */
export function permissionsOf({ rights }: ApiKey): Permission[] {
  return (rights?.scopes ?? []).filter(isPermission)
}

/** Whether the key has one of the permissions; of no permissions: any one. */
export function hasPermission(key: ApiKey, permissions: readonly Permission[]): boolean {
  const held = permissionsOf(key)
  return permissions.length === 0 ? held.length > 0 : permissions.some(needed => grants(held, needed))
}
