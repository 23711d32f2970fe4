import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { SESSION_SECS } from './account.ts'

/**
 * Bearer credentials: a prefix that says what it is, 32 random bytes in base62, and a CRC-32 of what stands before it,
 * so that a mistyped one, or one of another service, is refused without a look at the database.
 */
const CREDENTIAL_PREFIXES = { apiKey: 'zg_', session: 'zgs_' } as const
export type CredentialKind = keyof typeof CREDENTIAL_PREFIXES

export const SECRET_BYTES = 32
export const MAX_API_KEYS = 100
export const MAX_NAME_LENGTH = 100

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Digits that 2^256 and 2^32 need in base 62. */
const SECRET_DIGITS = 43
const CHECKSUM_DIGITS = 6
const BODY = new RegExp(`^[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`)

/** The credential that holds `secret` (32 random bytes). */
export function makeCredential(kind: CredentialKind, secret: Uint8Array): string {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`a credential holds ${SECRET_BYTES} bytes`)
  const stem = CREDENTIAL_PREFIXES[kind] + base62(BigInt(`0x${Buffer.from(secret).toString('hex')}`), SECRET_DIGITS)
  return stem + checksum(stem)
}

/** Whether `text` could be a credential of this kind at all. */
export function isCredential(kind: CredentialKind, text: string): boolean {
  const prefix = CREDENTIAL_PREFIXES[kind]
  if (!text.startsWith(prefix) || !BODY.test(text.slice(prefix.length))) return false
  return text.endsWith(checksum(text.slice(0, -CHECKSUM_DIGITS)))
}

/** All that is stored of a credential. SHA-256 without salt or stretching is enough: 256 random bits are not guessed. */
export function credentialHash(credential: string): Uint8Array {
  return createHash('sha256').update(credential).digest()
}

/** A session that begins now, for whoever holds `token`. Unix seconds. */
export function sessionFor(token: string, whose: { publicId: string; accountId: number; label: string }, now: number) {
  return { ...whose, hash: credentialHash(token), createdAt: now, expiresAt: now + SESSION_SECS }
}

/** What its owner tells it by. */
export function last4(credential: string): string {
  return credential.slice(-4)
}

function checksum(stem: string): string {
  return base62(BigInt(crc32(stem)), CHECKSUM_DIGITS)
}

function base62(value: bigint, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text
  return text
}
