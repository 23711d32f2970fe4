import { DAY_SECS } from '../time.ts'
import { SIGN_IN_CODE } from './sign-in.ts'

const HOUR_SECS = 3_600

/** A limit of one thing that is done with mailed codes. */
export interface CodeBudget {
  /**
   * The thing that is counted, and the answer beyond the limit:
   * - `requests` for a code are refused with `too_many_codes` and the time to wait.
   * - `mails` of codes for unknown browsers are dropped. A refusal would show which emails have an account.
   * - `attempts` are codes entered, right ones included. Further ones are refused with `bad_code`.
   * - After `wrong codes`, those of six digits are refused with `bad_code`, and further ones are mailed with ten digits,
   *   which cannot be guessed.
   */
  readonly counts: 'requests' | 'mails' | 'attempts' | 'wrong codes'
  /** Known browsers have signed in to the account of the email before. Unknown ones cannot spend their budgets. */
  readonly browsers: 'known' | 'unknown' | 'all'
  /** The key with this limit. `service`: one limit for all, in fixed windows; the other windows slide. */
  readonly per: 'code' | 'email' | 'browser' | 'client' | 'network56' | 'network48' | 'service'
  readonly max: number
  readonly windowSecs: number
}

/**
 * All budgets that decide whether a code is requested, mailed and tried. Requests are counted by purpose, and checked in
 * this order.
 *
 * With 5 attempts per code, strangers have at most 100 guesses a day for one email, among 1,000,000 codes, from any number of
 * addresses. One customer of a network operator often has an IPv6 /56 or /48. A copied cookie of a known browser gets no
 * more guesses, and does not lock the owner out.
 */
export const CODE_BUDGETS = {
  email_hour: { counts: 'requests', browsers: 'unknown', per: 'email', max: 10, windowSecs: HOUR_SECS },
  email_day: { counts: 'requests', browsers: 'unknown', per: 'email', max: 20, windowSecs: DAY_SECS },
  client: { counts: 'requests', browsers: 'unknown', per: 'client', max: 100, windowSecs: HOUR_SECS },
  network56: { counts: 'requests', browsers: 'unknown', per: 'network56', max: 200, windowSecs: HOUR_SECS },
  network48: { counts: 'requests', browsers: 'unknown', per: 'network48', max: 400, windowSecs: HOUR_SECS },
  requests: { counts: 'requests', browsers: 'unknown', per: 'service', max: 100_000, windowSecs: HOUR_SECS },

  known_browser_hour: { counts: 'requests', browsers: 'known', per: 'browser', max: 10, windowSecs: HOUR_SECS },
  known_browser_day: { counts: 'requests', browsers: 'known', per: 'browser', max: 20, windowSecs: DAY_SECS },
  known_email_hour: { counts: 'requests', browsers: 'known', per: 'email', max: 20, windowSecs: HOUR_SECS },
  known_email_day: { counts: 'requests', browsers: 'known', per: 'email', max: 40, windowSecs: DAY_SECS },
  browser: { counts: 'requests', browsers: 'known', per: 'service', max: 10_000, windowSecs: HOUR_SECS },

  /** To emails with an account, and to those without. */
  account: { counts: 'mails', browsers: 'unknown', per: 'service', max: 3_000, windowSecs: HOUR_SECS },
  unknown: { counts: 'mails', browsers: 'unknown', per: 'service', max: 3_000, windowSecs: HOUR_SECS },

  attempts: { counts: 'attempts', browsers: 'all', per: 'code', max: 5, windowSecs: SIGN_IN_CODE.lifetimeSecs },
  wrong_codes: { counts: 'wrong codes', browsers: 'unknown', per: 'service', max: 200, windowSecs: DAY_SECS },
  known_wrong_codes: { counts: 'wrong codes', browsers: 'known', per: 'email', max: 10, windowSecs: DAY_SECS },
} as const satisfies Record<string, CodeBudget>

type BudgetName = keyof typeof CODE_BUDGETS
/** The budgets of the whole service. The store and the metrics know them by these names. */
export type SharedBudget = {
  [Name in BudgetName]: (typeof CODE_BUDGETS)[Name]['per'] extends 'service' ? Name : never
}[BudgetName]

/** The budgets that a request for a code must keep, before the one of the whole service. */
export function requestBudgets(isKnownBrowser: boolean): readonly CodeBudget[] {
  const browsers = isKnownBrowser ? 'known' : 'unknown'
  return Object.values<CodeBudget>(CODE_BUDGETS).filter(
    budget => budget.counts === 'requests' && budget.browsers === browsers && budget.per !== 'service',
  )
}

/** How much of `count` a budget grants, and whether this takes the last of it. */
export function grant(budget: CodeBudget, used: number, count: number): { granted: number; isLast: boolean } {
  const granted = Math.max(0, Math.min(count, budget.max - used))
  return { granted, isLast: granted > 0 && used + granted >= budget.max }
}

export function isSpent({ max }: CodeBudget, used: number): boolean {
  return used >= max
}

/** The current window of a budget of the whole service. @param now Unix seconds */
export function windowOf({ windowSecs }: CodeBudget, now: number): { startsAt: number; endsAt: number } {
  const startsAt = now - (now % windowSecs)
  return { startsAt, endsAt: startsAt + windowSecs }
}

/** How long requests for codes are stored: the longest window in which they are counted. */
export const CODE_REQUEST_RETENTION_SECS = DAY_SECS

/** The wider networks of an IPv6 client, given by its /64. Null for other clients. */
export function widerNetworks(client: string): { network56: string; network48: string } | null {
  const groups = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)\/64$/.exec(client)
  if (!groups) return null
  const [, network48, subnet = ''] = groups
  const network56 = (Number.parseInt(subnet, 16) & 0xff00).toString(16)
  return { network56: `${network48}:${network56}/56`, network48: `${network48}/48` }
}
