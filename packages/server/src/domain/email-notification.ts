import { utcMinute } from './time.ts'

/** Actions that the account's owner is notified of by email. */
export const NOTICES = {
  viewing_key_set: 'the viewing key was set',
  api_key_created: 'an API key was created',
  api_key_revoked: 'an API key was revoked',
  webhook_url_set: 'the webhook URL was set',
  webhook_removed: 'the webhook was removed',
  webhook_secret_rotated: 'the webhook signing secret was rotated',
  session_token_issued: 'a session token was issued',
} as const
export type Notice = keyof typeof NOTICES

/** The reminder of a plan that ends soon. @param planExpiresAt Unix seconds */
export function planEnds(owner: { readonly email: string }, plan: string, planExpiresAt: number, createdAt: number) {
  const detail = `${plan} until ${utcMinute(planExpiresAt)}`
  return { to: owner.email, about: 'plan_ends', detail, createdAt } as const
}

/** The mail about such an action. `detail` names the object, such as an API key. */
export function notice(
  owner: { readonly email: string },
  about: Notice,
  createdAt: number,
  detail: string | null = null,
) {
  return { to: owner.email, about, detail, createdAt }
}
