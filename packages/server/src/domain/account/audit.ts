import { EMAIL_NOTIFICATIONS, type EmailNotification } from '../notify/email-notification.ts'
import { DAY_SECS } from '../time.ts'
import { RECENT_AUTHENTICATION_SECS } from './sign-in.ts'

/** The person or service that made a change, and the client's network. */
export interface Actor {
  /** `visitor`: someone who has not signed in. `service`: the service itself. */
  readonly by: 'owner' | 'api_key' | 'visitor' | 'operator' | 'service'
  /** Public id of the owner's session, or of the API key. */
  readonly session: string | null
  /** The /24 of an IPv4 address or the /48 of an IPv6 address: tells providers apart, not households. */
  readonly network: string | null
  /** Short name of the client's program, such as `Firefox on Linux`. */
  readonly client: string | null
}

export const SERVICE: Actor = { by: 'service', session: null, network: null, client: null }
export const OPERATOR: Actor = { by: 'operator', session: null, network: null, client: null }

/** Recorded changes, as sentences. Those that are mailed to the owner too have the same name there. */
export const AUDIT_KINDS = {
  ...EMAIL_NOTIFICATIONS,
  sign_in_requested: 'a sign-in code was requested',
  sign_in_link_created: 'a sign-in link was created',
  sign_in_failed: 'a wrong sign-in code was entered',
  confirmation_failed: 'a wrong confirmation code was entered',
  signed_out: 'a session signed out',
  account_erased: 'an account was deleted',
  plan_assigned: 'a plan was assigned',
  store_changed: 'the store profile was changed',
  endpoint_recovered: 'undelivered events were sent to an endpoint again',
  payment_link_created: 'a payment link was created',
  payment_link_changed: 'a payment link was changed',
  keypad_created: 'a keypad was created',
  keypad_revoked: 'a keypad was revoked',
  refund_created: 'a refund was created',
  refund_canceled: 'a refund was canceled',
  refund_sent: 'a refund was marked as sent',
  invoice_texts_erased: 'descriptions and metadata of old invoices were erased',
  withdrawal_settled: 'a withdrawal was marked as paid out',
  withdrawal_failed: 'a withdrawal was marked as failed',
  counters_advanced: 'the address counters were advanced after a restore',
  encryption_key_rotated: 'a rotation of the encryption key was started',
  rescan_started: 'a rescan was started',
  chain_accepted: 'the recorded chain was restarted at a block',
} as const
export type AuditKind = keyof typeof AUDIT_KINDS

/** Entries that anyone can cause who knows the email of an account. Further ones are not recorded. */
export const VISITOR_LIMIT = { max: 50, windowSecs: DAY_SECS } as const
/**
 * Changes by an owner. Further ones are refused, so that the log stays complete. A session spends its own limit, and of
 * the account's at most a fifth: a stolen one leaves the rest to the others. The API keys of an account have the same
 * limits for themselves. In the ten minutes after a mailed code a
 * session has another limit, which begins with the code and which no other session spends.
 */
export const OWNER_LIMITS = {
  session: { max: 1_000, windowSecs: DAY_SECS },
  account: { max: 5_000, windowSecs: DAY_SECS },
  code: { max: 200, windowSecs: RECENT_AUTHENTICATION_SECS },
} as const

/** A limit of changes since a time, in Unix seconds. */
interface ChangeLimit {
  readonly per: 'session' | 'account'
  readonly max: number
  readonly since: number
  readonly retryAfterSecs: number
}

/**
 * The limits that a change by an owner must keep.
 * @param recentUntil until when the session counts as recently authenticated, in Unix seconds
 */
export function changeLimits(recentUntil: number, now: number): readonly ChangeLimit[] {
  const { session, account, code } = OWNER_LIMITS
  if (recentUntil > now)
    return [
      { per: 'session', max: code.max, since: recentUntil - code.windowSecs - 1, retryAfterSecs: recentUntil - now },
    ]
  return [
    { per: 'session', max: session.max, since: now - session.windowSecs, retryAfterSecs: session.windowSecs },
    { per: 'account', max: account.max, since: now - account.windowSecs, retryAfterSecs: account.windowSecs },
  ]
}

/** Never refused: they protect the account, and something else limits their number. */
const PROTECTIVE: ReadonlySet<AuditKind> = new Set<AuditKind>([
  'signed_in',
  'confirmation_failed',
  'session_ended',
  'signed_out',
  'sessions_ended',
  'email_change_undone',
  'deletion_canceled',
  'api_key_revoked',
  'webhook_removed',
  'endpoint_removed',
])

/** Changes that an owner can make while the account is being deleted, in addition to the protective ones. */
const DURING_DELETION: ReadonlySet<AuditKind> = new Set<AuditKind>([
  'deletion_requested',
  // They end what keeps the account.
  'refund_sent',
  'refund_canceled',
  'withdrawal_canceled',
])

export function isLimited(actor: Actor, kind: AuditKind): boolean {
  return (actor.by === 'owner' || actor.by === 'api_key') && !PROTECTIVE.has(kind)
}

/** Whether the change must not be made while the account is being deleted. */
export function endsWithDeletion(actor: Actor, kind: AuditKind): boolean {
  return isLimited(actor, kind) && !DURING_DELETION.has(kind)
}

export function isAuditKind(text: string): text is AuditKind {
  return Object.hasOwn(AUDIT_KINDS, text)
}

export function isMailed(kind: AuditKind): kind is EmailNotification {
  return Object.hasOwn(EMAIL_NOTIFICATIONS, kind)
}
