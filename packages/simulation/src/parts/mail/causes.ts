import type { Causes, MailRow } from './ledger.ts'

/** The difference between the queued events and the changes of the same commit; null: none. @param mails one for each event */
export function causeProblem(mails: readonly MailRow[], before: Causes, after: Causes): string | null {
  const count = (about: string) => mails.filter(mail => mail.about === about).length
  const keys = added('keys', before, after)
  if (count('api_key_created') !== keys) return `${keys} new API keys, ${count('api_key_created')} mails about them`
  const revoked = added('revoked', before, after)
  if (count('api_key_revoked') < revoked) return `${revoked} revoked API keys, ${count('api_key_revoked')} mails`
  const sessions = added('sessions', before, after)
  if (count('session_token_issued') > sessions) return `${sessions} new sessions, but more mails about tokens`
  return deletionProblem(mails, before, after) ?? webhookProblem(mails, before, after)
}

/**
 * How many more the accounts have. Those that are being deleted lose theirs, which one mail tells, and the cleanup removes
 * keys that were revoked and sessions that ended long ago, of which no mail tells.
 */
function added(what: 'keys' | 'revoked' | 'sessions', before: Causes, after: Causes): number {
  const counts = [...after.accounts.values()].flatMap(account => {
    const earlier = before.accounts.get(account.email)
    const isLeaving = account.deletion !== null || account.erased !== null || (earlier?.deletion ?? null) !== null
    return isLeaving ? [] : [Math.max(0, Number(account[what] - (earlier?.[what] ?? 0n)))]
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The request of a deletion and its end are mailed to the owner of the account. */
function deletionProblem(mails: readonly MailRow[], before: Causes, after: Causes): string | null {
  for (const { email, deletion } of after.accounts.values()) {
    const earlier = before.accounts.get(email)?.deletion ?? null
    if (deletion === earlier) continue
    const about = deletion === null ? 'deletion_canceled' : 'deletion_requested'
    if (!mails.some(mail => mail.recipient === email && mail.about === about)) return `no mail to ${email}: ${about}`
  }
  return null
}

/** Each change of a webhook is mailed to the owner of its account. */
function webhookProblem(mails: readonly MailRow[], before: Causes, after: Causes): string | null {
  for (const email of new Set([...before.webhooks.keys(), ...after.webhooks.keys()])) {
    const [earlier, later] = [before.webhooks.get(email), after.webhooks.get(email)]
    const told = new Set(mails.filter(({ recipient }) => recipient === email).map(({ about }) => about))
    const isDeleted = before.accounts.has(email) && !after.accounts.has(email)
    if (earlier && !later && !isDeleted && !told.has('webhook_removed'))
      return `the webhook of ${email} was removed without a mail`
    if (!later) continue
    const urlChanged = earlier?.url !== later.url
    const secretChanged = earlier !== undefined && earlier.secret !== later.secret
    if (urlChanged && !told.has('webhook_url_set')) return `the webhook URL of ${email} was set without a mail`
    const secretTold = told.has('webhook_secret_rotated') || told.has('webhook_url_set')
    if (secretChanged && !secretTold) return `the webhook secret of ${email} was rotated without a mail`
  }
  return null
}

/** The subjects of mails, by what they are about. */
const SUBJECTS: Readonly<Record<string, RegExp>> = {
  code: /^Your zatgate (sign-in|confirmation) code$/,
  plan_ends: /^Your zatgate plan ends soon$/,
  limit_near: /^zatgate: 80 % of the monthly invoice limit is used$/,
  limit_reached: /^zatgate: the monthly invoice limit is reached$/,
  reorged_payments: /^zatgate: payments of [\d,]+ paid invoices? are missing$/,
  viewing_key_set: /^zatgate: the viewing key was set$/,
  api_key_created: /^zatgate: an API key was created$/,
  api_key_revoked: /^zatgate: an API key was revoked$/,
  webhook_url_set: /^zatgate: the webhook URL was set$/,
  webhook_failed: /^zatgate: your webhook failed$/,
  webhook_removed: /^zatgate: the webhook was removed$/,
  webhook_secret_rotated: /^zatgate: the webhook signing secret was rotated$/,
  endpoint_created: /^zatgate: an endpoint was created$/,
  endpoint_changed: /^zatgate: an endpoint was changed$/,
  endpoint_removed: /^zatgate: an endpoint was removed$/,
  endpoint_secret_rotated: /^zatgate: the signing secret of an endpoint was rotated$/,
  endpoint_failed: /^zatgate: events could not be delivered to an endpoint$/,
  endpoint_paused: /^zatgate: an endpoint is paused$/,
  session_token_issued: /^zatgate: a session token was issued$/,
  session_ended: /^zatgate: a session was ended$/,
  sessions_ended: /^zatgate: all sessions were ended$/,
  signed_in: /^zatgate: a new sign-in was made$/,
  confirmations_set: /^zatgate: the number of confirmations was changed$/,
  tolerance_set: /^zatgate: the tolerance of payments was changed$/,
  withdrawal_created: /^zatgate: a withdrawal was created$/,
  withdrawal_canceled: /^zatgate: a withdrawal was canceled$/,
  deletion_requested: /^zatgate: the deletion of the account was requested$/,
  deletion_canceled: /^zatgate: the deletion of the account was canceled$/,
}

/** Whether a mail that was sent can be the one in the queue. */
export function isSame(row: MailRow, mail: { to: string; subject: string; text: string }): boolean {
  if (row.recipient !== mail.to || !SUBJECTS[row.about]?.test(mail.subject)) return false
  // A mail about several events has the detail that was the last one when it was claimed.
  return row.detail === null || row.events - row.mailed_events > 1n || mail.text.includes(` ${row.detail}.`)
}
