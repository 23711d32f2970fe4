import { isPrintable, withNormalWidth, withoutMarksAround } from '../text.ts'
import type { KeyExpiry } from './viewing-key.ts'

export const CONFIRMATIONS = { min: 0, max: 100, default: 3 } as const

/** The terms of new invoices that an account sets. */
export interface SaleTerms {
  /** Blocks until a payment counts. */
  readonly confirmations: number
  /** How much of an amount may be missing for `paid`, in hundredths of a percent. */
  readonly toleranceBps: number
}

export function saleTermsOf({ confirmations, toleranceBps }: SaleTerms): SaleTerms {
  return { confirmations, toleranceBps }
}

/** Fewer confirmations make double spending easier, and a higher tolerance takes less money: both need a code of the owner. */
export function needsRecentSignIn(before: SaleTerms, { confirmations, toleranceBps }: SaleTerms): boolean {
  return confirmations < before.confirmations || toleranceBps > before.toleranceBps
}

export type Network = 'main' | 'test' | 'regtest'

export interface Account extends SaleTerms {
  /** Internal id; the API shows `publicId`. */
  readonly id: number
  readonly publicId: string
  readonly email: string
  readonly network: Network
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
 * Trims and lower-cases an email, so that every spelling belongs to one account: characters are composed (NFC) and of
 * normal width, and the domain is in ASCII. Null for invalid text and for text with invisible characters inside.
 */
export function normaliseEmail(text: string): string | null {
  const email = withNormalWidth(withoutMarksAround(text)).trim().toLowerCase().normalize('NFC')
  const isValid =
    email.length <= MAX_EMAIL_CHARS &&
    isPrintable(email) &&
    /^[^\s\p{C}@<>",;:\\]{1,64}@[^\s\p{C}@<>",;:\\]+$/u.test(email)
  if (!isValid) return null
  const [name = '', domain = ''] = email.split('@')
  const ascii = asciiDomain(domain)
  return ascii !== null && name.length + 1 + ascii.length <= MAX_EMAIL_CHARS ? `${name}@${ascii}` : null
}

/** A domain in the ASCII form of IDNA, by which some browsers send it. One that is ASCII already stays as it is. */
function asciiDomain(domain: string): string | null {
  if (/^[!-~]+$/.test(domain)) return domain
  if (!/^[\p{L}\p{M}\p{Nd}.\-\u3002\uff61]+$/u.test(domain)) return null
  const host = URL.parse(`http://${domain}`)?.hostname ?? ''
  // A URL reads a name of numbers as an IP address.
  return /^[a-z0-9.-]*[a-z][a-z0-9.-]*$/.test(host) ? host : null
}
