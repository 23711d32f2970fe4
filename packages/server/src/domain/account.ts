import { DAY_SECS } from './time.ts'
import type { KeyExpiry } from './viewing-key.ts'

export const CONFIRMATIONS = { least: 0, most: 100, usual: 3 } as const

export type Network = 'main' | 'test' | 'regtest'

export interface Account {
  /** Inside only; the public name is `publicId`. */
  readonly id: number
  readonly publicId: string
  readonly email: string
  readonly network: Network
  readonly confirmations: number
  readonly plan: string
  /** Unix seconds; null: for ever. */
  readonly planExpiresAt: number | null
  /** The viewing key that new invoices are made under. */
  readonly viewingKeyId: number | null
  /** Absent: that key never expires. */
  readonly viewingKeyExpiry?: KeyExpiry
  readonly createdAt: number
}

export interface ApiKey {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
  readonly name: string
  readonly last4: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

export interface Session {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
  /** What the owner knows it by: a browser's name, or the name of a script's token. */
  readonly label: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt: number | null
  readonly endedAt: number | null
}

export const SESSION_SECS = 30 * DAY_SECS

/** Emails are one account whatever their case and the blanks around them. Null for what cannot be one, or shows as another. */
export function normaliseEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= 254 && /^[^\s\p{C}@<>",;:\\]{1,64}@[^\s\p{C}@<>",;:\\]+$/u.test(email) ? email : null
}
