import { type Dialect, endpointHeaders, type Secrets } from '../../domain/notify/dialect.ts'
import { endpointSecretSealContext, MAX_OPEN_OF_ENDPOINT } from '../../domain/notify/endpoint.ts'
import {
  afterFailure,
  choices,
  type EndpointProgress,
  leaseUntilMs,
  NO_FAILURES,
  nextLookMs,
} from '../../domain/notify/endpoint-progress.ts'
import { endpointReference } from '../../domain/set-aside.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HttpClient } from '../../ports/http-client.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { DueEndpoint, DuePage, FollowingEndpoint } from '../../ports/repository/notify/endpoint.ts'
import type { OpenEndpointDelivery } from '../../ports/repository/notify/endpoint-delivery.ts'
import type { Event } from '../../ports/repository/notify/event.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import { bisect, type SetAsides } from '../set-aside.ts'
import { type AttemptResult, makeAttempt } from './attempt.ts'
import { mailEndpointFailure } from './delivery-failure.ts'
import { bodyOf, partsOf } from './endpoint-message.ts'
import { nextEvent } from './endpoint-next.ts'

/** An attempt that is logged and is to be made now. */
export interface EndpointJob {
  readonly attemptId: string
  readonly deliveryId: string
  readonly endpointId: string
  readonly event: Event
  readonly dialect: Dialect
  readonly body: string
  readonly url: string
  readonly secrets: Secrets
  /** Its number, 1 or more. */
  readonly attempt: number
}

/** Delivers events to endpoints, one at a time to each, in the order of the events. */
export interface EndpointDeliveries {
  /** Makes endpoints due whose accounts have new events. @returns whether there may be more */
  wake(): Promise<boolean>
  /** Endpoints to look at now. */
  listDue(page: DuePage): Promise<DueEndpoint[]>
  /**
   * Begins the next attempt at each of these endpoints. None at those with nothing to send, and those that another process
   * is at. One that fails alone is set aside.
   */
  claim(endpoints: readonly DueEndpoint[]): Promise<EndpointJob[]>
  /** Makes an attempt. Never rejects. */
  attempt(job: EndpointJob): Promise<AttemptResult>
  /** Records the result of an attempt. One whose lease is over, and which another process has repeated, is logged only. */
  record(job: EndpointJob, result: AttemptResult): Promise<void>
  /** When to look again, in Unix milliseconds; null: after the next event. */
  nextDueAtMs(): Promise<number | null>
  /** Tries the endpoints again that are set aside. @returns whether there may be more */
  retrySetAside(): Promise<boolean>
}

const WOKEN_AT_ONCE = 200
const INTERRUPTED = 'interrupted: the service stopped before the response arrived'

export function createEndpointDeliveries(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly webhookHttp: HttpClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly setAsides: SetAsides
}): EndpointDeliveries {
  const { store, vault, webhookHttp, clock, random, log, setAsides } = deps

  const jitter = () => (random.bytes(1)[0] ?? 0) / 255

  function openSecrets(endpoint: FollowingEndpoint, nowMs: number): Secrets {
    const open = (sealed: Uint8Array) =>
      Buffer.from(vault.open(sealed, endpointSecretSealContext(endpoint.accountId))).toString()
    const { sealedSecret, earlierSealedSecret, earlierSecretUntil } = endpoint
    const isSigning = earlierSealedSecret !== null && (earlierSecretUntil ?? 0) * 1000 > nowMs
    return isSigning ? [open(sealedSecret), open(earlierSealedSecret)] : [open(sealedSecret)]
  }

  /** Writes what a failed attempt makes of the endpoint. @returns its new state */
  async function fail(
    tx: Tx,
    endpoint: FollowingEndpoint,
    delivery: OpenEndpointDelivery,
    { error, nowMs, eventType, statusCode, isInterrupted }: Failure,
  ): Promise<EndpointProgress> {
    const { seq, attempts, isPassed, createdAt } = delivery
    // Only a persistent endpoint tries the next event while one fails.
    const hasNext = endpoint.schedule === 'persistent' && (await nextEvent(tx, endpoint)).seq !== null
    const view = { nowMs, hasNext, jitter: jitter() }
    const answer = { statusCode, isInterrupted }
    const failed = { seq, attempts, isPassed, isTest: eventType === 'test', ...answer, begunAtMs: createdAt * 1000 }
    const { progress, dueAtMs } = afterFailure(endpoint, failed, view)
    await tx.endpointDeliveries.settle(delivery.id, dueAtMs === null ? 'failed' : 'waiting', dueAtMs)
    const isPaused = progress.pausedAt !== null
    if (isPaused) await tx.endpointDeliveries.failAll(endpoint.id)
    if (isPaused || (dueAtMs === null && eventType !== 'test'))
      await mailEndpointFailure(tx, endpoint, { error, isPaused, now: Math.floor(nowMs / 1000) })
    return progress
  }

  /** Begins the attempt of a waiting delivery, or of an event for which one is written. Null: the event is no longer kept. */
  async function begin(
    tx: Tx,
    endpoint: FollowingEndpoint,
    chosen: OpenEndpointDelivery | { readonly seq: number },
    nowMs: number,
  ): Promise<EndpointJob | null> {
    const { accountId, url } = endpoint
    const event = await tx.events.bySeq(accountId, chosen.seq)
    if (!event) {
      if ('id' in chosen) await tx.endpointDeliveries.settle(chosen.id, 'failed', null)
      return null
    }
    const { invoiceId } = event
    const startedAt = Math.floor(nowMs / 1000)
    const delivery = 'id' in chosen ? chosen : await insertParts(tx, endpoint, event, nowMs)
    if (delivery === null) return null
    const attempt = delivery.attempts + 1
    const attemptId = random.uuid()
    const body = await bodyOf(tx, { endpoint, event, delivery, attempt, attemptId })
    if (body === null) {
      await tx.endpointDeliveries.settle(delivery.id, 'failed', null)
      return null
    }
    const started = { publicId: attemptId, deliveryId: delivery.id, accountId, invoiceId, url, attempt, startedAt }
    // Old events are deleted with their deliveries, without a lock of the endpoint.
    if (!(await tx.endpointDeliveries.start(started, leaseUntilMs(nowMs)))) return null
    const secrets = openSecrets(endpoint, nowMs)
    const { publicId: endpointId, dialect } = endpoint
    const request = { dialect, body, url, secrets }
    return { attemptId, deliveryId: delivery.publicId, endpointId, event, ...request, attempt }
  }

  /** A delivery for each part of an event. The first one is begun, and the others wait for their turn. */
  async function insertParts(tx: Tx, endpoint: FollowingEndpoint, event: Event, nowMs: number) {
    const { seq: eventSeq, type: eventType, invoiceId, accountId } = event
    const createdAt = Math.floor(nowMs / 1000)
    const about = { accountId, endpointId: endpoint.id, invoiceId, eventSeq, eventType, createdAt, originalId: null }
    const inserted: Pick<OpenEndpointDelivery, 'id' | 'publicId' | 'attempts' | 'part' | 'originalId'>[] = []
    for (const part of partsOf(endpoint, event)) {
      const publicId = random.uuid()
      const id = await tx.endpointDeliveries.insert({ ...about, publicId, part }, nowMs, false)
      inserted.push({ id, publicId, attempts: 0, part, originalId: null })
    }
    return inserted[0] ?? null
  }

  async function claimIn(tx: Tx, publicId: string, nowMs: number): Promise<EndpointJob | null> {
    let endpoint = await tx.endpoints.lockDue(publicId, nowMs)
    if (!endpoint) return null
    if (!endpoint.enabled || endpoint.pausedAt !== null) {
      await tx.endpoints.advance(endpoint.id, endpoint, null)
      return null
    }
    let open = await tx.endpointDeliveries.openOf(endpoint.id, MAX_OPEN_OF_ENDPOINT)
    const sending = open.find(({ isSending }) => isSending)
    if (sending) {
      if (sending.dueAtMs > nowMs) {
        await tx.endpoints.advance(endpoint.id, endpoint, sending.dueAtMs)
        return null
      }
      const event = await tx.events.bySeq(endpoint.accountId, sending.seq)
      const lost = { error: INTERRUPTED, nowMs, eventType: event?.type ?? '', statusCode: null, isInterrupted: true }
      endpoint = { ...endpoint, ...(await fail(tx, endpoint, sending, lost)) }
      await tx.deliveries.markInterrupted([sending.id], INTERRUPTED)
      if (endpoint.pausedAt !== null) {
        await tx.endpoints.advance(endpoint.id, endpoint, null)
        return null
      }
      open = await tx.endpointDeliveries.openOf(endpoint.id, MAX_OPEN_OF_ENDPOINT)
    }
    return beginFirst(tx, endpoint, open, nowMs)
  }

  /** Begins the first choice that there is, and stores when to look again. */
  async function beginFirst(
    tx: Tx,
    endpoint: FollowingEndpoint,
    open: readonly OpenEndpointDelivery[],
    nowMs: number,
  ): Promise<EndpointJob | null> {
    let { cursorSeq } = endpoint
    let dueAtMs = nextLookMs(endpoint, open, nowMs)
    for (const choice of choices(endpoint, open, nowMs)) {
      const next = choice === 'next' ? await nextEvent(tx, endpoint) : null
      if (next?.seq === null) {
        cursorSeq = next.passedSeq
        if (next.hasMore) dueAtMs = nowMs
        continue
      }
      const chosen = choice === 'next' ? { seq: next?.seq ?? 0 } : choice
      if (choice === 'next') cursorSeq = chosen.seq
      const job = await begin(tx, endpoint, chosen, nowMs)
      await tx.endpoints.advance(endpoint.id, { ...endpoint, cursorSeq }, job ? leaseUntilMs(nowMs) : nowMs)
      return job
    }
    await tx.endpoints.advance(endpoint.id, { ...endpoint, cursorSeq }, dueAtMs)
    return null
  }

  return {
    async wake() {
      const accountIds = await store.query(tx => tx.endpoints.listNews(WOKEN_AT_ONCE))
      const { failed } = await bisect(accountIds, part => store.write(tx => tx.endpoints.wake(clock.nowMs(), part)))
      for (const { item: account, error: err } of failed)
        log.error({ account, err }, 'the endpoints of an account get no new events; those of others do')
      return accountIds.length === WOKEN_AT_ONCE && failed.length === 0
    },

    listDue: page => store.query(tx => tx.endpoints.listDue(clock.nowMs(), page)),

    async claim(endpoints) {
      const jobs: EndpointJob[] = []
      await setAsides.forEachAlone(endpoints, endpointReference, async ({ publicId }) => {
        const job = await store.write(tx => claimIn(tx, publicId, clock.nowMs()))
        if (job) jobs.push(job)
      })
      return jobs
    },

    async attempt({ event, dialect, body, url, secrets }) {
      const atSecs = Math.floor(clock.nowMs() / 1000)
      const headers = endpointHeaders(dialect, { eventId: event.publicId, body, secrets, atSecs })
      return makeAttempt({ http: webhookHttp, clock, log }, { url, headers, body }, event.seq)
    },

    async record(job, { endedAtMs, ...result }) {
      const { attemptId, deliveryId, endpointId, event, attempt } = job
      await store.write(async tx => {
        const endpoint = await tx.endpoints.lockByPublicId(endpointId)
        const progress = { state: 'waiting', attempts: attempt, dueAtMs: endedAtMs } as const
        const about = { publicId: attemptId, deliveryPublicId: deliveryId, accountId: event.accountId, progress }
        await tx.endpointDeliveries.log({ ...about, ...result })
        if (!endpoint) return
        const open = await tx.endpointDeliveries.openOf(endpoint.id, MAX_OPEN_OF_ENDPOINT)
        const delivery = open.find(({ publicId }) => publicId === deliveryId)
        // A success also ends a delivery whose later attempt is in flight or has failed.
        if (!delivery || (result.error !== null && !(delivery.isSending && delivery.attempts === attempt))) return
        if (result.error !== null) {
          const answer = { statusCode: result.statusCode, isInterrupted: false }
          const failure = { error: result.error, nowMs: endedAtMs, eventType: event.type, ...answer }
          const after = await fail(tx, endpoint, delivery, failure)
          await tx.endpoints.advance(endpoint.id, { ...endpoint, ...after }, after.pausedAt === null ? endedAtMs : null)
          return
        }
        await tx.endpointDeliveries.settle(delivery.id, 'delivered', null)
        // A test event is tried before earlier ones, which it does not pass.
        const passed = event.type === 'test' ? 0 : delivery.seq
        if (endpoint.retryAtMs !== null) await tx.endpointDeliveries.release(endpoint.id, passed)
        await tx.endpoints.advance(endpoint.id, { ...endpoint, ...NO_FAILURES }, endedAtMs)
      })
    },

    nextDueAtMs: () => store.query(tx => tx.endpoints.nextDueAtMs()),

    retrySetAside: () =>
      setAsides.retryDue('endpoint', async ({ reference }) => {
        await store.write(async tx => {
          const endpoint = await tx.endpoints.lockByPublicId(reference)
          if (!endpoint) return
          openSecrets(endpoint, clock.nowMs())
          await tx.endpoints.advance(endpoint.id, endpoint, clock.nowMs())
        })
        return true
      }),
  }
}

interface Failure {
  readonly error: string
  readonly nowMs: number
  readonly eventType: string
  /** Status code of the response; null: there was none. */
  readonly statusCode: number | null
  readonly isInterrupted: boolean
}
