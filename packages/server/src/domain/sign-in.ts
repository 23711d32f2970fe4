import { AppError } from './error.ts'
import { withAsciiDigits } from './text.ts'
import { DAY_SECS } from './time.ts'

const HOUR_SECS = 3_600

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
export const SIGN_IN_CODE = { digits: 6, longDigits: 10, lifetimeSecs: 600, maxAttempts: 5 } as const

/** A link of the operator's command. It signs in once, as a mailed code does. `path` is followed by its secret. */
export const SIGN_IN_LINK = { path: '/sign-in/link', lifetimeSecs: 600 } as const

/** How long a session counts as recently authenticated after a code. Sensitive changes require it. */
export const RECENT_AUTHENTICATION_SECS = 600

export function recentSignInRequiredError(): AppError {
  return new AppError('forbidden', 'recent_sign_in_required', 'recent sign-in required', {
    extra: { detail: 'enter a new code in the dashboard, or use a session token issued for scripts' },
  })
}

/** How long a browser is known after a sign-in to an account, and of how many accounts. Browsers keep cookies for 400 days. */
export const KNOWN_BROWSER = { lifetimeSecs: 365 * DAY_SECS, maxAccounts: 5 } as const

/** Whose requests for codes a limit counts. Requests of known browsers and of unknown ones never count together. */
type CodeLimitScope = 'email' | 'browser' | 'client' | 'network56' | 'network48'

/** A limit of the codes requested per email, browser or client. */
export interface CodeRequestLimit {
  readonly per: CodeLimitScope
  readonly max: number
  readonly windowSecs: number
}

/**
 * Limits of code requests from browsers that have not signed in to the account. With 5 attempts per code, an attacker has
 * at most 100 guesses a day for one email, among 1,000,000 codes, from any number of addresses. One customer of a network
 * operator often has an IPv6 /56 or /48.
 */
const UNKNOWN_BROWSER_LIMITS: readonly CodeRequestLimit[] = [
  { per: 'email', max: 10, windowSecs: HOUR_SECS },
  { per: 'email', max: 20, windowSecs: DAY_SECS },
  { per: 'client', max: 100, windowSecs: HOUR_SECS },
  { per: 'network56', max: 200, windowSecs: HOUR_SECS },
  { per: 'network48', max: 400, windowSecs: HOUR_SECS },
]

/** Limits of code requests from browsers that have signed in to the account. Others cannot spend them. */
const KNOWN_BROWSER_LIMITS: readonly CodeRequestLimit[] = [
  { per: 'browser', max: 10, windowSecs: HOUR_SECS },
  { per: 'browser', max: 20, windowSecs: DAY_SECS },
  { per: 'email', max: 20, windowSecs: HOUR_SECS },
  { per: 'email', max: 40, windowSecs: DAY_SECS },
]

/**
 * Wrong codes of an email's known browsers. Further codes for them have ten digits, which cannot be guessed, so a copied
 * cookie neither gets more guesses nor locks the owner out. Unknown browsers do not count here.
 */
export const KNOWN_BROWSER_WRONG_CODES = { max: 10, windowSecs: DAY_SECS } as const

/** The limits that a request for a code must keep. */
export function codeRequestLimits(isKnownBrowser: boolean): readonly CodeRequestLimit[] {
  return isKnownBrowser ? KNOWN_BROWSER_LIMITS : UNKNOWN_BROWSER_LIMITS
}

/** The queues of codes to mail, the first one first. */
export const CODE_QUEUES = ['browser', 'account', 'unknown'] as const
export type CodeQueue = (typeof CODE_QUEUES)[number]

/**
 * Budgets that all clients share, per window. A spent budget refuses or drops its own kind only:
 * codes requested by known browsers, codes mailed to accounts for unknown browsers, codes mailed to emails without an
 * account, requests of unknown browsers that are stored, and wrong codes that unknown browsers enter.
 */
export const SIGN_IN_BUDGETS = {
  browser: { max: 10_000, windowSecs: HOUR_SECS },
  account: { max: 3_000, windowSecs: HOUR_SECS },
  unknown: { max: 3_000, windowSecs: HOUR_SECS },
  requests: { max: 100_000, windowSecs: HOUR_SECS },
  wrong_codes: { max: 200, windowSecs: DAY_SECS },
} as const
export type SignInBudget = keyof typeof SIGN_IN_BUDGETS

/** The start of the budget's current window. @param now Unix seconds */
export function budgetWindow(budget: SignInBudget, now: number): { startsAt: number; endsAt: number } {
  const { windowSecs } = SIGN_IN_BUDGETS[budget]
  const startsAt = now - (now % windowSecs)
  return { startsAt, endsAt: startsAt + windowSecs }
}

/** How long requests for codes are stored: the longest window. */
export const CODE_REQUEST_RETENTION_SECS = DAY_SECS

/** The wider networks of an IPv6 client, given by its /64. Null for other clients. */
export function widerNetworks(client: string): { network56: string; network48: string } | null {
  const groups = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)\/64$/.exec(client)
  if (!groups) return null
  const [, network48, subnet = ''] = groups
  const network56 = (Number.parseInt(subnet, 16) & 0xff00).toString(16)
  return { network56: `${network48}:${network56}/56`, network48: `${network48}/48` }
}

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
