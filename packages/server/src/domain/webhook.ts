import { DAY_SECS } from './time.ts'

/** Attempts of a delivery, the first included. */
export const ATTEMPTS = 4

/** A receiver has answered in full by then, or the attempt has failed. */
export const DEADLINE_MS = 5_000

/** How long after the end of a failed attempt the next one begins: after the first, the second, the third. */
export const RETRY_AFTER_MS = [10_000, 60_000, 300_000] as const

export type DeliveryState = Progress['state']

/** Not yet sent, or failed and to be sent again at `dueAtMs`. */
export interface Waiting {
  readonly state: 'waiting'
  /** Attempts made: 0 to 3. */
  readonly attempts: number
  /** Unix milliseconds. */
  readonly dueAtMs: number
}

/**
 * An attempt is under way. Should the process that makes it die, nobody will say how it ended: then it counts as one
 * that failed at its deadline, and `dueAtMs` is when the next is due. So the lease of a delivery and the schedule of
 * its retries are one and the same time.
 */
export interface Sending {
  readonly state: 'sending'
  /** Attempts begun: 1 to 4. */
  readonly attempts: number
  readonly dueAtMs: number
}

export interface Ended {
  readonly state: 'delivered' | 'failed' | 'canceled'
  readonly attempts: number
}

export type Progress = Waiting | Sending | Ended

/** A delivery that somebody must still do something about. */
export type Open = Waiting | Sending

export class IllegalAttempt extends Error {
  constructor(progress: Progress, what: string) {
    super(`a delivery that is ${progress.state} after ${progress.attempts} attempts cannot ${what}`)
    this.name = 'IllegalAttempt'
  }
}

/**
 * Takes up a delivery that is due: the next attempt, or the end when the last one was interrupted.
 * @throws IllegalAttempt when it is not due at `nowMs`
 */
export function begin(open: Open, nowMs: number): Sending | Ended {
  if (open.dueAtMs > nowMs) throw new IllegalAttempt(open, `begin ${open.dueAtMs - nowMs} ms early`)
  if (open.attempts >= ATTEMPTS) return { state: 'failed', attempts: open.attempts }
  const attempts = open.attempts + 1
  return { state: 'sending', attempts, dueAtMs: nowMs + DEADLINE_MS + retryAfterMs(attempts) }
}

/** What an attempt that ended at `endedAtMs` makes of its delivery. */
export function settle(sending: Sending, succeeded: boolean, endedAtMs: number): Waiting | Ended {
  const { attempts } = sending
  if (succeeded) return { state: 'delivered', attempts }
  if (attempts >= ATTEMPTS) return { state: 'failed', attempts }
  return { state: 'waiting', attempts, dueAtMs: endedAtMs + retryAfterMs(attempts) }
}

/** After the last attempt nothing is due; the first pause serves as the time after which it is taken for lost. */
function retryAfterMs(attempts: number): number {
  return RETRY_AFTER_MS[attempts - 1] ?? RETRY_AFTER_MS[0]
}

/** Deliveries of one account that wait or are under way, from which its owner's tests and resends are refused. */
export const MOST_WAITING = 1_000

/** How many deliveries of one account may be under way at once: unknown receivers get little, good ones more. */
export const ROOM = { first: 2, most: 32 } as const

/** The account's room after an attempt: one more for each success, half for each failure, never none. */
export function roomAfter(room: number, succeeded: boolean): number {
  return succeeded ? Math.min(ROOM.most, room + 1) : Math.max(1, Math.floor(room / 2))
}

/** Splits `total` places among accounts in their order, none more than its room and none left out. */
export function shares(rooms: readonly number[], total: number): number[] {
  const fair = Math.max(1, Math.floor(total / Math.max(1, rooms.length)))
  let left = total
  return rooms.map(room => {
    const share = Math.min(room, fair, left)
    left -= share
    return share
  })
}

/** Deliveries and their attempts are kept so long. */
export const LOG_SECS = 30 * DAY_SECS

/** Of an answer's body, so much is kept for the owner to see. */
export const ANSWER_BYTES_KEPT = 4_096

/** The text that receivers sign with: the prefix and base64 of 32 random bytes (https://www.standardwebhooks.com). */
export const SECRET_PREFIX = 'whsec_'

/** Where an account's secret rests, sealed. */
export function secretPlace(accountId: number) {
  return { table: 'webhooks', column: 'secret', row: accountId } as const
}

export const TEST_BODY = '{"type":"test","invoice_id":null}'

export const MAX_URL_CHARS = 2_048

/** What is wrong with a webhook URL, in words; null when nothing is. Where it leads is judged at each connection. */
export function webhookUrlFault(text: string, allowHttp: boolean): string | null {
  if (text.length > MAX_URL_CHARS) return `at most ${MAX_URL_CHARS} characters`
  if (/[\s\p{Cc}]/u.test(text)) return 'no blanks or control characters'
  const url = URL.parse(text)
  if (!url) return 'must be an absolute URL, such as https://shop.example/webhook'
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must start with https://'
  if (!/^https?:\/\//i.test(text)) return 'must be an absolute URL, such as https://shop.example/webhook'
  if (url.username !== '' || url.password !== '') return 'no user name or password'
  if (text.includes('#')) return 'no fragment'
  return null
}
