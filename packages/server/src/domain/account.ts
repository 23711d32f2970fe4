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

export const SESSION_SECS = 30 * 86_400

/** The calendar month in UTC that an instant lies in, as `2026-11`. */
export function monthOf(unixSecs: number): string {
  return new Date(unixSecs * 1000).toISOString().slice(0, 7)
}

/** Unix seconds of the first instant of the next calendar month in UTC. */
export function nextMonthAt(unixSecs: number): number {
  const date = new Date(unixSecs * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000
}

/** Emails are one account whatever their case and the blanks around them. Null for what cannot be one, or shows as another. */
export function normaliseEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= 254 && /^[^\s\p{C}@<>",;:\\]{1,64}@[^\s\p{C}@<>",;:\\]+$/u.test(email) ? email : null
}
