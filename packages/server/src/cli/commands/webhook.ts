import type { Account } from '../../domain/account/account.ts'
import { formatCount } from '../../domain/count.ts'
import { AppError } from '../../domain/error.ts'
import { type Endpoint, MAX_RECOVERY_SECS } from '../../domain/notify/endpoint.ts'
import { DAY_SECS, formatUtc } from '../../domain/time.ts'
import { nowSecs } from '../../ports/clock.ts'
import type { Endpoints } from '../../services/notify/endpoint.ts'
import type { Webhooks } from '../../services/notify/webhook.ts'
import { type Since, UsageError } from '../argument.ts'
import type { Context } from '../context.ts'
import { withServices } from '../services.ts'

/** The outcome of a target, as `--json` prints it, and as a line. */
interface Outcome {
  readonly result: Readonly<Record<string, string | number | null>>
  readonly line: string
}

export async function resendWebhooks(
  { email, since }: { readonly email: string; readonly since: Since },
  context: Context,
): Promise<void> {
  const { from, outcomes } = await withServices(context, async ({ accounts, webhooks, endpoints }, { clock }) => {
    const now = nowSecs(clock)
    const from = 'at' in since ? since.at : now - since.agoSecs
    if (from < now - MAX_RECOVERY_SECS)
      throw new UsageError(
        `--since must be at most ${MAX_RECOVERY_SECS / DAY_SECS} days ago: older deliveries are not kept`,
      )
    const account = await accounts.findByEmail(email)
    const outcomes = [await resendToWebhook(webhooks, account, from)]
    for (const endpoint of await endpoints.list(account))
      outcomes.push(await recover(endpoints, account, endpoint, from))
    return { from, outcomes }
  })
  context.out.result({ email, since: from, targets: outcomes.map(({ result }) => result) }, [
    `since ${formatUtc(from)}; the running service sends what is queued`,
    ...outcomes.map(({ line }) => line),
  ])
}

async function resendToWebhook(webhooks: Webhooks, account: Account, from: number): Promise<Outcome> {
  const outcome = (state: string, text: string, counts: { resent: number; left: number } = { resent: 0, left: 0 }) => ({
    result: { target: 'webhook', state, ...counts },
    line: `webhook: ${text}`,
  })
  try {
    const { resent, left } = await webhooks.resendFailed(account, from)
    if (resent === 0) return outcome('nothing', 'no failed events')
    const queued = `${failedEvents(resent)} queued again`
    const rest = left > 0 ? `, ${formatCount(left)} left: repeat the command once these are delivered` : ''
    return outcome('queued', queued + rest, { resent, left })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'webhook_not_set') return outcome('not_set', 'the account has none')
    if (error.code === 'too_many_deliveries') return outcome('full', error.message)
    throw error
  }
}

/** An endpoint is not sent what happened before it was created. */
async function recover(endpoints: Endpoints, account: Account, endpoint: Endpoint, from: number): Promise<Outcome> {
  const { publicId, url, enabled, pausedAt, createdAt } = endpoint
  const outcome = (state: string, text: string, firstSeq: number | null = null) => ({
    result: { target: publicId, host: new URL(url).host, state, first_seq: firstSeq },
    line: `endpoint ${new URL(url).host} (${publicId}): ${text}`,
  })
  if (!enabled) return outcome('disabled', 'disabled, so nothing is sent: enable it first')
  if (pausedAt !== null) return outcome('paused', 'paused, so nothing is sent: resume it in the dashboard')
  const first = await endpoints.recover(account, publicId, Math.max(from, createdAt))
  if (first === null) return outcome('nothing', 'no events since then')
  return outcome('queued', 'all events since then that it has not received are sent in order', first)
}

function failedEvents(count: number): string {
  return `${formatCount(count)} failed ${count === 1 ? 'event' : 'events'}`
}
