import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { WEBHOOK_SECRET_PREFIX } from '../notify/webhook.ts'
import { requirePrintableLine } from '../text.ts'

/**
 * Bearer credentials: a prefix for the kind, 32 random bytes in base62, and a CRC-32 of both. Mistyped credentials and
 * those of other services are refused without a database read.
 */
const CREDENTIAL_PREFIXES = { apiKey: 'zg_', scopedKey: 'zgk_', session: 'zgs_' } as const
export type CredentialKind = keyof typeof CREDENTIAL_PREFIXES

const CREDENTIAL_KINDS = Object.keys(CREDENTIAL_PREFIXES) as CredentialKind[]

export const SECRET_BYTES = 32
export const MAX_NAME_LENGTH = 100

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Base-62 digits of a number below 2^256, and of one below 2^32. */
const SECRET_DIGITS = 43
const CHECKSUM_DIGITS = 6
const BODY = new RegExp(`^[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`)

/** Formats `secret` (32 random bytes) as a credential. */
export function formatCredential(kind: CredentialKind, secret: Uint8Array): string {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`a credential holds ${SECRET_BYTES} bytes`)
  const stem = CREDENTIAL_PREFIXES[kind] + base62(BigInt(`0x${Buffer.from(secret).toString('hex')}`), SECRET_DIGITS)
  return stem + checksum(stem)
}

/** Whether `text` has the prefix, length and checksum of a credential of this kind. */
export function isWellFormedCredential(kind: CredentialKind, text: string): boolean {
  const prefix = CREDENTIAL_PREFIXES[kind]
  if (!text.startsWith(prefix) || !BODY.test(text.slice(prefix.length))) return false
  return text.endsWith(checksum(text.slice(0, -CHECKSUM_DIGITS)))
}

const CREDENTIAL_NOUNS: readonly (readonly [prefix: string, noun: string])[] = [
  [CREDENTIAL_PREFIXES.apiKey, 'an API key'],
  [CREDENTIAL_PREFIXES.scopedKey, 'a scoped API key'],
  [CREDENTIAL_PREFIXES.session, 'a session token'],
  [WEBHOOK_SECRET_PREFIX, 'a webhook secret'],
]
/** The beginnings of secrets that this service makes. */
export const SECRET_PREFIXES: readonly string[] = CREDENTIAL_NOUNS.map(([prefix]) => prefix)
const VIEWING_KEY = /^u(?:view|ivk|vf|vi)(?:test|regtest)?1/

/** The kind that the prefix of `text` names; null for none. */
export function credentialKindOf(text: string): CredentialKind | null {
  return CREDENTIAL_KINDS.find(kind => text.startsWith(CREDENTIAL_PREFIXES[kind])) ?? null
}

/** Says why `text`, which was not accepted, is no valid credential of these kinds. It repeats nothing of it. */
export function refusedCredential(kinds: readonly CredentialKind[], text: string): string {
  const other = VIEWING_KEY.test(text) ? 'a viewing key' : 'no credential of this service'
  const noun = CREDENTIAL_NOUNS.find(([prefix]) => text.startsWith(prefix))?.[1] ?? other
  const kind = credentialKindOf(text)
  if (kind === null || !kinds.includes(kind)) return `this is ${noun}`
  if (!isWellFormedCredential(kind, text)) return `this is ${noun}, but incomplete or mistyped: copy it again`
  return kind === 'session' ? 'the token is unknown, expired or ended' : 'the key is unknown or revoked'
}

/** The stored hash of a credential. SHA-256 without salt or stretching suffices for 256 random bits. */
export function credentialHash(credential: string): Uint8Array {
  return hash('sha256', credential, 'buffer')
}

/** The part of a credential that is shown to its owner. */
export function last4(credential: string): string {
  return credential.slice(-4)
}

/** @throws AppError `invalid_<field>` for a name that is blank, too long or not printable */
export function checkCredentialName(field: 'name' | 'label', name: string): void {
  requirePrintableLine(field, name, MAX_NAME_LENGTH)
}

function checksum(stem: string): string {
  return base62(BigInt(crc32(stem)), CHECKSUM_DIGITS)
}

function base62(value: bigint, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text
  return text
}
