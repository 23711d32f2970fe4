import { createHmac } from 'node:crypto'
import { fairShares, RESPONSE_BYTES_KEPT } from '../domain/delivery.ts'
import { ATTEMPT_TIMEOUT_MS, finishAttempt, type SendingProgress, startAttempt } from '../domain/delivery-schedule.ts'
import { WEBHOOK_SECRET_PREFIX, webhookSecretSealContext } from '../domain/webhook.ts'
import type { Clock } from '../ports/clock.ts'
import type { HttpClient, HttpResponse } from '../ports/http-client.ts'
import { HttpClientError } from '../ports/http-client.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { FinishedAttempt, OpenDelivery, StartedAttempt } from '../ports/repository/delivery.ts'
import type { Webhook } from '../ports/repository/webhook.ts'
import type { Store, Tx } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'

/** A logged attempt to make now, with the secret that signs it. */
export interface DeliveryJob extends StartedAttempt {
  readonly sealedSecret: Uint8Array
}

/** How many more attempts may run. */
export interface FreeSlots {
  readonly total: number
  forAccount(accountId: number): number
  /** Ids of accounts without a free slot. */
  readonly fullAccountIds: readonly number[]
  /**
   * Whether this process is making an attempt of the delivery, or has made one whose result is neither recorded nor being
   * recorded. A stall can outlast the lease of its own attempt.
   */
  isAttempting(publicId: string): boolean
}

export interface Deliveries {
  /**
   * Records ended attempts and claims due deliveries for the free slots, in one transaction. Returned attempts are
   * counted before any byte is sent. `nextDueAtMs` is the time of the next due delivery in Unix milliseconds.
   */
  recordAndClaim(
    ended: readonly FinishedAttempt[],
    slots: FreeSlots,
  ): Promise<{ jobs: DeliveryJob[]; nextDueAtMs: number | null }>
  /** Makes an attempt and returns its outcome. Never rejects. */
  attempt(job: DeliveryJob): Promise<FinishedAttempt>
  /** Number of deliveries that are not finished. */
  countOpen(): Promise<number>
}

/** Frameworks may respond to webhooks with whole pages. A larger response is an error. */
const MAX_RESPONSE_BYTES = 1_048_576
const INTERRUPTED = 'interrupted: the service stopped before the response arrived'

export function createDeliveries(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly webhookHttp: HttpClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}): Deliveries {
  const { store, vault, webhookHttp, clock, random, log } = deps

  async function recordEnded(tx: Tx, ended: readonly FinishedAttempt[]): Promise<number[]> {
    if (ended.length === 0) return []
    const failed = ended.filter(({ progress }) => progress.state === 'waiting').map(({ accountId }) => accountId)
    await tx.deliveries.lockWebhooks(failed)
    await tx.deliveries.finishAttempts(ended)
    return failed
  }

  /** Claims due deliveries of locked webhooks. */
  async function claimDue(
    tx: Tx,
    webhooks: readonly Webhook[],
    slots: FreeSlots,
    nowMs: number,
  ): Promise<DeliveryJob[]> {
    const limits = fairShares(
      webhooks.map(({ accountId }) => slots.forAccount(accountId)),
      slots.total,
    )
    const requested = webhooks.map(({ accountId }, index) => ({ accountId, limit: limits[index] ?? 0 }))
    const listed = await tx.deliveries.listDue(requested, nowMs)
    const due = listed.filter(({ publicId }) => !slots.isAttempting(publicId))
    const steps = due.map(delivery => ({ delivery, next: startAttempt(delivery.progress, nowMs) }))
    await tx.deliveries.markInterrupted(due.filter(isInterrupted).map(idOf), INTERRUPTED)
    await tx.deliveries.markFailed(
      steps.flatMap(({ delivery, next }) => (next.state === 'failed' ? [delivery.id] : [])),
    )
    const byAccount = new Map(webhooks.map(webhook => [webhook.accountId, webhook]))
    const jobs = steps.flatMap(({ delivery, next }) => {
      const webhook = byAccount.get(delivery.accountId)
      return webhook && next.state === 'sending' ? [toJob(delivery, next, webhook, nowMs)] : []
    })
    // Another process may have recorded a late success of an attempt whose lease has ended.
    const started = await tx.deliveries.startAttempts(jobs)
    return jobs.filter(({ delivery }) => started.has(delivery.id))
  }

  function toJob(
    delivery: OpenDelivery,
    progress: SendingProgress,
    { url, sealedSecret }: Webhook,
    nowMs: number,
  ): DeliveryJob {
    return { publicId: random.uuid(), delivery, progress, url, sealedSecret, startedAt: Math.floor(nowMs / 1000) }
  }

  function headersOf({ delivery, sealedSecret }: DeliveryJob): Record<string, string> {
    const secret = Buffer.from(vault.open(sealedSecret, webhookSecretSealContext(delivery.accountId))).toString()
    return {
      'content-type': 'application/json',
      'user-agent': 'zatgate-webhooks/1',
      ...signatures(secret, delivery.publicId, Math.floor(clock.nowMs() / 1000), delivery.body),
    }
  }

  async function send(job: DeliveryJob): Promise<HttpResponse> {
    return webhookHttp.send({
      method: 'POST',
      url: job.url,
      headers: headersOf(job),
      body: job.delivery.body,
      deadlineMs: ATTEMPT_TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      keepBytes: RESPONSE_BYTES_KEPT,
    })
  }

  return {
    recordAndClaim: (ended, slots) =>
      store.write(async tx => {
        const nowMs = clock.nowMs()
        const failed = await recordEnded(tx, ended)
        const webhooks =
          slots.total > 0 ? await tx.deliveries.lockDueWebhooks(nowMs, slots.total, slots.fullAccountIds) : []
        const jobs = webhooks.length > 0 ? await claimDue(tx, webhooks, slots, nowMs) : []
        await tx.deliveries.reschedule([...failed, ...webhooks.map(({ accountId }) => accountId)])
        return { jobs, nextDueAtMs: await tx.deliveries.nextDueAtMs(nowMs) }
      }),

    async attempt(job) {
      const startedMs = clock.nowMs()
      const { response, error } = await send(job).then(
        response => ({ response, error: statusProblem(response.status) }),
        (error: unknown) => {
          if (error instanceof HttpClientError) return { response: error.partial, error: error.message }
          log.error({ delivery: job.delivery.id, err: error }, 'a webhook could not be sent')
          return { response: null, error: 'internal error' }
        },
      )
      const endedMs = clock.nowMs()
      return {
        publicId: job.publicId,
        deliveryPublicId: job.delivery.publicId,
        accountId: job.delivery.accountId,
        progress: finishAttempt(job.progress, error === null, endedMs),
        statusCode: response?.status ?? null,
        error,
        durationMs: Math.max(0, endedMs - startedMs),
        response: response && textOf(response.body),
      }
    },

    countOpen: () => store.query(tx => tx.deliveries.countOpen()),
  }
}

/**
 * `X-Service-Signature`: hex HMAC-SHA256 of the body, keyed with the whole secret as UTF-8. The other headers follow
 * Standard Webhooks and are keyed with the decoded bytes of the secret.
 */
function signatures(secret: string, id: string, atSecs: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64')
  const signed = createHmac('sha256', key).update(`${id}.${atSecs}.${body}`).digest('base64')
  return {
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(atSecs),
    'webhook-signature': `v1,${signed}`,
  }
}

function statusProblem(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`
  return `answered ${status}`
}

/** PostgreSQL's `text` cannot store NUL. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\0', '\ufffd')
}

function isInterrupted({ progress }: OpenDelivery): boolean {
  return progress.state === 'sending'
}

function idOf({ id }: OpenDelivery): number {
  return id
}
