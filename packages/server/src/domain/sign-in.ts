/** The purpose of a mailed one-time code: to sign in, or to reauthenticate within a session (`confirm`). */
export type CodePurpose = 'sign_in' | 'confirm'

export const SIGN_IN_CODE = { digits: 6, lifetimeSecs: 600, maxAttempts: 5 } as const

/** How long a session counts as recently authenticated after a code. Sensitive changes require it. */
export const RECENT_AUTHENTICATION_SECS = 600

/** A limit of the codes requested per email, per client, or in total. */
export interface CodeRequestLimit {
  readonly per: 'email' | 'client' | 'all'
  readonly max: number
  readonly windowSecs: number
}

/**
 * Limits of code requests. With 5 attempts per code, an attacker has at most 100 guesses a day for one email, among
 * 1,000,000 codes, from any number of addresses.
 */
export const CODE_REQUEST_LIMITS: readonly CodeRequestLimit[] = [
  { per: 'email', max: 10, windowSecs: 3_600 },
  { per: 'email', max: 20, windowSecs: 86_400 },
  { per: 'client', max: 100, windowSecs: 3_600 },
  { per: 'all', max: 3_000, windowSecs: 3_600 },
]

/** How long requests for codes are stored: the longest window. */
export const CODE_REQUEST_RETENTION_SECS = Math.max(...CODE_REQUEST_LIMITS.map(limit => limit.windowSecs))

const CODES = 10 ** SIGN_IN_CODE.digits
/** The largest multiple of CODES in 32 bits. Values from here on are rejected, since they would favour the lowest codes. */
const UNBIASED_RANGE = Math.floor(2 ** 32 / CODES) * CODES

/** Generates a uniformly distributed code. @param bytes returns `count` random bytes */
export function generateCode(bytes: (count: number) => Uint8Array): string {
  for (;;) {
    const value = Buffer.from(bytes(4)).readUInt32BE()
    if (value < UNBIASED_RANGE) return (value % CODES).toString().padStart(SIGN_IN_CODE.digits, '0')
  }
}

/** The input of a code's hash. It includes the row's id, so that equal codes have different hashes. */
export function codeHashInput(id: number, code: string): string {
  return `${id} ${code}`
}

/** Parses a code as users type or paste it, with spaces or dashes. Null for invalid text. */
export function parseCode(text: string): string | null {
  const digits = text.replace(/[\s\u2010-\u2015-]/g, '')
  return /^[0-9]+$/.test(digits) && digits.length === SIGN_IN_CODE.digits ? digits : null
}
