import type { Plan } from '../account/plan.ts'
import { DAY_SECS, formatUtcMinute, startOfNextMonth } from '../time.ts'

/** Actions that the account's owner is notified of by email. */
export const EMAIL_NOTIFICATIONS = {
  viewing_key_set: 'the viewing key was set',
  api_key_created: 'an API key was created',
  api_key_revoked: 'an API key was revoked',
  webhook_url_set: 'the webhook URL was set',
  webhook_removed: 'the webhook was removed',
  webhook_secret_rotated: 'the webhook signing secret was rotated',
  endpoint_created: 'an endpoint was created',
  endpoint_changed: 'an endpoint was changed',
  endpoint_removed: 'an endpoint was removed',
  endpoint_secret_rotated: 'the signing secret of an endpoint was rotated',
  session_token_issued: 'a session token was issued',
  session_ended: 'a session was ended',
  sessions_ended: 'all sessions were ended',
  signed_in: 'a new sign-in was made',
  confirmations_set: 'the number of confirmations was changed',
  tolerance_set: 'the tolerance of payments was changed',
  withdrawal_created: 'a withdrawal was created',
  withdrawal_canceled: 'a withdrawal was canceled',
  email_changed: 'the email was changed',
  email_change_undone: 'the change of the email was undone',
  deletion_requested: 'the deletion of the account was requested',
  deletion_canceled: 'the deletion of the account was canceled',
} as const

export type EmailNotification = keyof typeof EMAIL_NOTIFICATIONS

/** The subject of a notice. */
export type NoticeKind =
  | EmailNotification
  | 'plan_ends'
  | 'limit_near'
  | 'limit_reached'
  | 'webhook_failed'
  | 'endpoint_failed'
  | 'endpoint_paused'

const NOTICE_INTERVAL_SECS = 600

/** After a mail of one kind, the later events of this kind are mailed together after this time, in seconds. */
export function noticeIntervalSecs(about: NoticeKind): number {
  return about === 'webhook_failed' || about === 'endpoint_failed' ? DAY_SECS : NOTICE_INTERVAL_SECS
}

/** The reminder of a plan that ends soon. @param planExpiresAt Unix seconds */
export function renewalReminder(
  owner: { readonly email: string },
  plan: string,
  planExpiresAt: number,
  createdAt: number,
) {
  const detail = `${plan} until ${formatUtcMinute(planExpiresAt)}`
  return { to: owner.email, about: 'plan_ends', detail, createdAt } as const
}

/** The mail about a monthly limit of invoices that is nearly or fully used. */
export function limitNotice(
  owner: { readonly email: string },
  use: 'near' | 'reached',
  { name, monthlyInvoiceLimit }: Plan,
  used: number,
  createdAt: number,
) {
  const until = formatUtcMinute(startOfNextMonth(createdAt))
  const detail = `${used} of the ${monthlyInvoiceLimit} invoices of the ${name} plan are used until ${until}`
  return { to: owner.email, about: use === 'near' ? 'limit_near' : 'limit_reached', detail, createdAt } as const
}

/** The mail about such an action. `detail` names the object, such as an API key. */
export function emailNotification(
  owner: { readonly email: string },
  about: EmailNotification,
  createdAt: number,
  detail: string | null = null,
) {
  return { to: owner.email, about, detail, createdAt }
}

/** The mail about deliveries that have failed for good. @param error of the last one */
export function webhookFailure(
  owner: { readonly email: string },
  { count, error }: { readonly count: number; readonly error: string },
  createdAt: number,
) {
  return { to: owner.email, about: 'webhook_failed', detail: error, events: count, createdAt } as const
}

/** The mail about an endpoint whose delivery has failed for good, or that is paused after days of failures. */
export function endpointFailure(
  owner: { readonly email: string },
  { host, error, isPaused }: { readonly host: string; readonly error: string; readonly isPaused: boolean },
  createdAt: number,
) {
  const about = isPaused ? 'endpoint_paused' : 'endpoint_failed'
  return { to: owner.email, about, detail: `${host}: ${error}`, createdAt } as const
}
