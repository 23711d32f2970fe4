import { isPrintable } from './text.ts'
import type { KeyExpiry } from './viewing-key.ts'

export const CONFIRMATIONS = { min: 0, max: 100, default: 3 } as const

/** Fewer confirmations make double spending easier, so they need a code of the owner. */
export function needsRecentSignIn(before: number, confirmations: number): boolean {
  return confirmations < before
}

export type Network = 'main' | 'test' | 'regtest'

export interface Account {
  /** Internal id; the API shows `publicId`. */
  readonly id: number
  readonly publicId: string
  readonly email: string
  readonly network: Network
  readonly confirmations: number
  readonly plan: string
  /** Unix seconds; null: never. */
  readonly planExpiresAt: number | null
  /** The viewing key of new invoices. */
  readonly viewingKeyId: number | null
  /** Absent when that key never expires. */
  readonly viewingKeyExpiry?: KeyExpiry
  readonly createdAt: number
  /** Unix seconds. Absent unless the account is being deleted. */
  readonly deletionRequestedAt?: number
}

export const MAX_EMAIL_CHARS = 254

/**
 * Trims and lower-cases an email, so that every spelling belongs to one account. Null for invalid text and for text with
 * invisible characters.
 */
export function normaliseEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= MAX_EMAIL_CHARS &&
    isPrintable(email) &&
    /^[^\s\p{C}@<>",;:\\]{1,64}@[^\s\p{C}@<>",;:\\]+$/u.test(email)
    ? email
    : null
}
