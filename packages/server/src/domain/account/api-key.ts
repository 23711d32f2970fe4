/** The rights of a scoped key. */
export const SCOPES = {
  'invoices:create': 'Create invoices, also with a webhook of their own',
  'invoices:read': 'Read an invoice with all that the shop gave',
  'invoices:write': 'Cancel invoices',
  'events:read': 'Read the events of the account',
  'webhooks:write': 'Manage endpoints, and send their events again',
} as const
export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

export interface ApiKey {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
  readonly name: string
  readonly last4: string
  /** Null: the key creates invoices, and can do nothing else. */
  readonly scopes: readonly Scope[] | null
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

export const MAX_API_KEYS = 100
