import { createHmac } from 'node:crypto'
import {
  ANSWER_BYTES_KEPT,
  begin,
  DEADLINE_MS,
  SECRET_PREFIX,
  type Sending,
  secretPlace,
  settle,
  shares,
} from '../domain/webhook.ts'
import type { Outbound, OutboundAnswer } from '../ports/http-client.ts'
import { OutboundError } from '../ports/http-client.ts'
import type { BegunAttempt, EndedAttempt, OpenDelivery, Webhook } from '../ports/repository/webhook.ts'
import type { Clock, Log, Random, Rows, Store, Vault } from '../ports.ts'

/** An attempt that is logged and to be made now, with what it is signed by. */
export interface Job extends BegunAttempt {
  readonly sealedSecret: Uint8Array
}

/** How much more may be under way. */
export interface Room {
  readonly total: number
  of(accountId: number): number
  /** Accounts whose room is used up. */
  readonly full: readonly number[]
}

export interface Deliveries {
  /**
   * Writes how attempts ended and takes up what is due, as far as there is room, all in one transaction: the attempts
   * that it gives are counted before a byte is sent. With them comes when something is due next, in Unix milliseconds.
   */
  turn(ended: readonly EndedAttempt[], room: Room): Promise<{ jobs: Job[]; nextDueAtMs: number | null }>
  /** Makes an attempt and says how it ended; never rejects. */
  attempt(job: Job): Promise<EndedAttempt>
  /** Deliveries that are not over. */
  countOpen(): Promise<number>
}

/** Frameworks answer webhooks with whole pages; more than that is no answer. */
const MAX_ANSWER_BYTES = 1_048_576
const INTERRUPTED = 'interrupted: the service stopped before the answer came'

export function createDeliveries(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly outbound: Outbound
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}): Deliveries {
  const { store, vault, outbound, clock, random, log } = deps

  async function record(rows: Rows, ended: readonly EndedAttempt[]): Promise<number[]> {
    if (ended.length === 0) return []
    const failed = ended.filter(({ progress }) => progress.state === 'waiting').map(({ accountId }) => accountId)
    await rows.deliveries.hold(failed)
    await rows.deliveries.end(ended)
    return failed
  }

  /** Takes up due deliveries of held webhooks. */
  async function takeUp(rows: Rows, webhooks: readonly Webhook[], room: Room, nowMs: number): Promise<Job[]> {
    const split = shares(
      webhooks.map(({ accountId }) => room.of(accountId)),
      room.total,
    )
    const asked = webhooks.map(({ accountId }, index) => ({ accountId, limit: split[index] ?? 0 }))
    const due = await rows.deliveries.due(asked, nowMs)
    const steps = due.map(delivery => ({ delivery, next: begin(delivery.progress, nowMs) }))
    await rows.deliveries.interrupt(due.filter(isInterrupted).map(idOf), INTERRUPTED)
    await rows.deliveries.fail(steps.flatMap(({ delivery, next }) => (next.state === 'failed' ? [delivery.id] : [])))
    const byAccount = new Map(webhooks.map(webhook => [webhook.accountId, webhook]))
    const jobs = steps.flatMap(({ delivery, next }) => {
      const webhook = byAccount.get(delivery.accountId)
      return webhook && next.state === 'sending' ? [toJob(delivery, next, webhook, nowMs)] : []
    })
    await rows.deliveries.begin(jobs)
    return jobs
  }

  function toJob(delivery: OpenDelivery, progress: Sending, { url, sealedSecret }: Webhook, nowMs: number): Job {
    return { publicId: random.uuid(), delivery, progress, url, sealedSecret, beganAt: Math.floor(nowMs / 1000) }
  }

  function headersOf({ delivery, sealedSecret }: Job): Record<string, string> {
    const secret = Buffer.from(vault.open(sealedSecret, secretPlace(delivery.accountId))).toString()
    return {
      'content-type': 'application/json',
      'user-agent': 'zatgate-webhooks/1',
      ...signatures(secret, delivery.publicId, Math.floor(clock.nowMs() / 1000), delivery.body),
    }
  }

  async function send(job: Job): Promise<OutboundAnswer> {
    return outbound.send({
      method: 'POST',
      url: job.url,
      headers: headersOf(job),
      body: job.delivery.body,
      deadlineMs: DEADLINE_MS,
      maxBytes: MAX_ANSWER_BYTES,
      keepBytes: ANSWER_BYTES_KEPT,
    })
  }

  return {
    turn: (ended, room) =>
      store.write(async rows => {
        const nowMs = clock.nowMs()
        const touched = await record(rows, ended)
        const webhooks = room.total > 0 ? await rows.deliveries.holdDue(nowMs, room.total, room.full) : []
        const jobs = webhooks.length > 0 ? await takeUp(rows, webhooks, room, nowMs) : []
        await rows.deliveries.reschedule([...touched, ...webhooks.map(({ accountId }) => accountId)])
        return { jobs, nextDueAtMs: await rows.deliveries.nextDueAtMs(nowMs) }
      }),

    async attempt(job) {
      const beganMs = clock.nowMs()
      const { answer, error } = await send(job).then(
        answer => ({ answer, error: statusFault(answer.status) }),
        (error: unknown) => {
          if (error instanceof OutboundError) return { answer: error.partial, error: error.message }
          log.error({ delivery: job.delivery.id, err: error }, 'a webhook could not be sent')
          return { answer: null, error: 'internal error' }
        },
      )
      const endedMs = clock.nowMs()
      return {
        publicId: job.publicId,
        deliveryId: job.delivery.id,
        accountId: job.delivery.accountId,
        progress: settle(job.progress, error === null, endedMs),
        statusCode: answer?.status ?? null,
        error,
        durationMs: Math.max(0, endedMs - beganMs),
        answer: answer && textOf(answer.body),
      }
    },

    countOpen: () => store.glance(rows => rows.deliveries.countOpen()),
  }
}

/**
 * `X-Service-Signature`: hex HMAC-SHA256 of the body, keyed with the whole secret as UTF-8. The others are those of
 * Standard Webhooks, keyed with the bytes that the secret stands for.
 */
function signatures(secret: string, id: string, atSecs: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signed = createHmac('sha256', key).update(`${id}.${atSecs}.${body}`).digest('base64')
  return {
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(atSecs),
    'webhook-signature': `v1,${signed}`,
  }
}

function statusFault(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`
  return `answered ${status}`
}

/** PostgreSQL's text holds no NUL. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\0', '\ufffd')
}

function isInterrupted({ progress }: OpenDelivery): boolean {
  return progress.state === 'sending'
}

function idOf({ id }: OpenDelivery): number {
  return id
}
