import { backoffMs } from '../backoff.ts'

/** Attempts for each mail, except one with the link that undoes a change of the email: that one is tried as long as the link works. */
const MAX_ATTEMPTS = 8
/** The delay between attempts doubles from one minute to at most one hour. */
const BACKOFF = { firstMs: 60_000, maxMs: 3_600_000 }

/** When a mail is tried again after its attempts so far. Both times are in Unix seconds. */
export function nextMailAttemptAt(now: number, attempts: number): number {
  return now + backoffMs(attempts, BACKOFF) / 1000
}

/** Whether the present attempt is the last one. */
export function isLastAttempt({ attempts }: { readonly attempts: number }): boolean {
  return attempts >= MAX_ATTEMPTS
}

/** Whether there were more attempts than a mail gets: it was sent or given up, and only its end could not be stored. */
export function isGivenUp({ about, attempts }: { readonly about: string; readonly attempts: number }): boolean {
  return about !== 'email_undo' && attempts > MAX_ATTEMPTS
}
