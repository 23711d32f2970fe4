import { isIPv6 } from 'node:net'

/** A one-time code, mailed: to sign in, or to confirm in a session that it is still its owner who asks. */
export type CodePurpose = 'sign_in' | 'confirm'

export const CODE = { digits: 6, secs: 600, tries: 5 } as const

/** How long after a code a session may change what only its owner should. */
export const FRESH_SECS = 600

export interface RequestLimit {
  readonly per: 'email' | 'client' | 'all'
  readonly most: number
  readonly windowSecs: number
}

/**
 * Codes that may be asked for. Each has 5 tries, so an email can be guessed at 100 times a day, in 1,000,000 codes,
 * from however many addresses.
 */
export const REQUEST_LIMITS: readonly RequestLimit[] = [
  { per: 'email', most: 10, windowSecs: 3_600 },
  { per: 'email', most: 20, windowSecs: 86_400 },
  { per: 'client', most: 100, windowSecs: 3_600 },
  { per: 'all', most: 3_000, windowSecs: 3_600 },
]

/** How long a request for a code is remembered: the longest window. */
export const REMEMBER_SECS = Math.max(...REQUEST_LIMITS.map(limit => limit.windowSecs))

const CODES = 10 ** CODE.digits
/** The largest multiple of CODES in 32 bits; what lies beyond would favour the first codes. */
const FAIR = Math.floor(2 ** 32 / CODES) * CODES

/** A code of uniformly random digits. `bytes` gives so many random bytes. */
export function drawCode(bytes: (count: number) => Uint8Array): string {
  for (;;) {
    const drawn = Buffer.from(bytes(4)).readUInt32BE()
    if (drawn < FAIR) return (drawn % CODES).toString().padStart(CODE.digits, '0')
  }
}

/** What is hashed of a code, bound to its row: the hash of one says nothing about another. */
export function boundCode(id: number, code: string): string {
  return `${id} ${code}`
}

/** A code as people type or paste it, with blanks or a dash inside. Null for what cannot be one. */
export function readCode(text: string): string | null {
  const digits = text.replace(/[\s\u2010-\u2015-]/g, '')
  return /^[0-9]+$/.test(digits) && digits.length === CODE.digits ? digits : null
}

/** What one client is counted by: its IPv4 address, or the /64 that an IPv6 user has to himself. */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  return isIPv6(address) ? `${first64(address)}/64` : address
}

function first64(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length
  const all = [...groups, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...rest]
  return all
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}
