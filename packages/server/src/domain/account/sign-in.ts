import { withAsciiDigits } from '../text.ts'
import { DAY_SECS } from '../time.ts'

/**
 * The purpose of a mailed one-time code: to sign in, to reauthenticate in a session (`confirm`), or to change the email, for
 * which the present and the new address each get one.
 */
export type CodePurpose = 'sign_in' | 'confirm' | 'present_email' | 'new_email'

/** The purposes of codes with ten digits in every case. */
export const LONG_CODE_PURPOSES: ReadonlySet<CodePurpose> = new Set<CodePurpose>(['present_email', 'new_email'])

/**
 * `longDigits` are those of codes for a change of the email, of codes for unknown browsers while the budget of wrong
 * codes is spent, and of codes for the known browsers of an email after too many wrong ones in them.
 */
export const SIGN_IN_CODE = { digits: 6, longDigits: 10, lifetimeSecs: 600 } as const

/** A link of the operator's command. It signs in once, as a mailed code does. `path` is followed by its secret. */
export const SIGN_IN_LINK = { path: '/sign-in/link', lifetimeSecs: 600 } as const

/** How long a session counts as recently authenticated after a code. Sensitive changes require it. */
export const RECENT_AUTHENTICATION_SECS = 600

/** How long a browser is known after a sign-in to an account, and of how many accounts. Browsers keep cookies for 400 days. */
export const KNOWN_BROWSER = { lifetimeSecs: 365 * DAY_SECS, maxAccounts: 5 } as const

/** The queues of codes to mail, the first one first. */
export const CODE_QUEUES = ['browser', 'account', 'unknown'] as const
export type CodeQueue = (typeof CODE_QUEUES)[number]

/** A uniformly distributed number of `digits` decimal digits, at most 9. Higher draws would favour the lowest numbers. */
function generateDigits(bytes: (count: number) => Uint8Array, digits: number): string {
  const numbers = 10 ** digits
  const unbiasedRange = Math.floor(2 ** 32 / numbers) * numbers
  for (;;) {
    const value = Buffer.from(bytes(4)).readUInt32BE()
    if (value < unbiasedRange) return (value % numbers).toString().padStart(digits, '0')
  }
}

/** Generates a uniformly distributed code. @param bytes returns `count` random bytes */
export function generateCode(bytes: (count: number) => Uint8Array): string {
  return generateDigits(bytes, SIGN_IN_CODE.digits)
}

/** Generates a code that cannot be guessed in any number of attempts that the limits allow. */
export function generateLongCode(bytes: (count: number) => Uint8Array): string {
  const half = SIGN_IN_CODE.longDigits / 2
  return generateDigits(bytes, half) + generateDigits(bytes, half)
}

/** The input of a code's hash. It includes the row's id, so that equal codes have different hashes. */
export function codeHashInput(id: number, code: string): string {
  return `${id} ${code}`
}

/** Characters of a typed code with all that surrounds its digits. */
const MAX_CODE_CHARS = 64

/**
 * Parses a code as users type or paste it: with spaces, dashes or invisible characters, and in the digits of any script.
 * Null for invalid text.
 */
export function parseCode(text: string): string | null {
  if (text.length > MAX_CODE_CHARS) return null
  const digits = withAsciiDigits(text.replace(/[\s\p{Cf}\p{Pd}\u2212]/gu, ''))
  const lengths: readonly number[] = [SIGN_IN_CODE.digits, SIGN_IN_CODE.longDigits]
  return /^[0-9]+$/.test(digits) && lengths.includes(digits.length) ? digits : null
}
