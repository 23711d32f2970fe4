import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { MAX_COUNT } from '../../domain/count.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import type { Dialect } from '../../domain/notify/dialect.ts'
import {
  EARLIER_SECRET_SECS,
  type Endpoint,
  endpointSecretProblem,
  endpointSecretSealContext,
  isActive,
  MAX_ENDPOINTS,
  MAX_RECOVERY_SECS,
  SCHEDULES,
} from '../../domain/notify/endpoint.ts'
import { NO_FAILURES } from '../../domain/notify/endpoint-progress.ts'
import type { EventType } from '../../domain/notify/event.ts'
import { eventTypesOf } from '../../domain/notify/greenfield-event.ts'
import { TEST_EVENT_BODY, webhookUrlProblem } from '../../domain/notify/webhook.ts'
import { endpointReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { FollowingEndpoint } from '../../ports/repository/notify/endpoint.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import { recordChange } from '../account/audit.ts'
import { findByPublicId } from '../public-id.ts'
import { requireActive, requireRoom } from './endpoint-resend.ts'
import { type EndpointChangeRequest, type EndpointRequest, isReplaced } from './endpoint-terms.ts'
import { generateWebhookSecret } from './webhook.ts'

/** An attempt whose process dies counts as failed after this time. */
const MAX_ATTEMPT_SECS = 60

/** Management of an account's endpoints by its owner. */
export interface Endpoints {
  /** Oldest first. */
  list(account: Account): Promise<Endpoint[]>
  /** @throws AppError `no_such_endpoint` */
  read(account: Account, id: string): Promise<Endpoint>
  /**
   * Creates an endpoint that gets the events from now on. The secret is available only in this result.
   * @throws AppError `invalid_url`, `invalid_secret`, `invalid_types`, `too_many_endpoints`
   */
  create(account: Account, request: EndpointRequest, actor?: Actor): Promise<{ endpoint: Endpoint; secret: string }>
  /**
   * Changes an endpoint. What waits is sent at once to another URL, or by another schedule. One that is enabled again, or resumed after a pause, gets the events from now on.
   * @throws AppError `no_such_endpoint`, `invalid_url`, `invalid_types`, `invalid_schedule`, `invalid_secret`
   */
  change(account: Account, id: string, request: EndpointChangeRequest, actor?: Actor): Promise<Endpoint>
  /**
   * Enables an endpoint, or resumes one that is paused. It gets the events from now on, and if `recover` also those that it
   * has not received since it began to fail or was disabled. @throws AppError `no_such_endpoint`
   */
  resume(account: Account, id: string, options: { readonly recover: boolean }, actor?: Actor): Promise<void>
  /** @throws AppError `no_such_endpoint` */
  remove(account: Account, id: string, actor?: Actor): Promise<void>
  /** Returns the new secret once. The earlier one also signs for a day. @throws AppError `no_such_endpoint`, `invalid_secret` */
  rotateSecret(account: Account, id: string, secret?: string, actor?: Actor): Promise<string>
  /**
   * Sends a test event to the endpoint, and to others that chose this type. @returns the delivery's id
   * @throws AppError `no_such_endpoint`, `endpoint_disabled`, `too_many_deliveries`
   */
  test(account: Account, id: string): Promise<string>
  /**
   * Sends again all events since a time that were never delivered to the endpoint, in their order.
   * @param since Unix seconds
   * @returns the number of the first event since then; null: there is none
   * @throws AppError `no_such_endpoint`, `endpoint_disabled`, `invalid_since`
   */
  recover(account: Account, id: string, since: number, actor?: Actor): Promise<number | null>
  /** The number of deliveries that have failed for good, counted up to `MAX_COUNT` and one. */
  countFailed(endpoint: Endpoint): Promise<number>
  /** The endpoints, oldest first, with these numbers. */
  listWithFailed(account: Account): Promise<{ endpoint: Endpoint; failed: number }[]>
}

export function createEndpoints(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  /** Also allows plain http, for development. */
  readonly allowPrivate: boolean
}): Endpoints {
  const { store, vault, clock, random, allowPrivate } = deps

  const seal = (account: Account, secret: string) =>
    vault.seal(Buffer.from(secret), endpointSecretSealContext(account.id))

  function requireUrl(url: string): void {
    const problem = webhookUrlProblem(url, allowPrivate)
    if (problem !== null) throw invalidField('url', problem)
  }

  function requireTypes(types: readonly EventType[] | null | undefined): void {
    if (types?.length === 0) throw invalidField('types', 'at least one type, or null for all')
  }

  /** @throws AppError `invalid_types`, `invalid_schedule` */
  function refuseOwnTerms({ types, schedule }: EndpointChangeRequest): void {
    if (types !== undefined) throw invalidField('types', 'its events are chosen by their names in BTCPay')
    if (SCHEDULES.some(name => name === schedule))
      throw invalidField('schedule', 'that of a plugin is chosen by automaticRedelivery in BTCPay')
  }

  function secretOf(chosen: string | undefined, dialect: Dialect): string {
    const problem = chosen === undefined ? null : endpointSecretProblem(chosen, dialect)
    if (problem !== null) throw invalidField('secret', problem)
    return chosen ?? generateWebhookSecret(random)
  }

  const lock = (tx: Tx, account: Account, id: string): Promise<FollowingEndpoint> =>
    findByPublicId('no_such_endpoint', id, publicId => tx.endpoints.lock(account.id, publicId))

  /** @throws AppError `endpoint_disabled` */
  async function lockActive(tx: Tx, account: Account, id: string): Promise<FollowingEndpoint> {
    const endpoint = await lock(tx, account, id)
    requireActive(endpoint)
    return endpoint
  }

  /** The earlier secret also signs for a day. @returns the new one */
  async function replaceSecret(
    tx: Tx,
    account: Account,
    endpoint: FollowingEndpoint,
    chosen: string | undefined,
    actor: Actor,
  ): Promise<string> {
    const secret = secretOf(chosen, endpoint.dialect)
    const now = nowSecs(clock)
    const earlier = { earlierSealedSecret: endpoint.sealedSecret, earlierSecretUntil: now + EARLIER_SECRET_SECS }
    await tx.endpoints.setSecret(endpoint.id, { sealedSecret: seal(account, secret), ...earlier }, now)
    await recordChange(tx, account, actor, { kind: 'endpoint_secret_rotated', at: now, detail: hostOf(endpoint) })
    return secret
  }

  /** Another URL or schedule is tried at once, and the failures before it do not count. What it has missed stays known. */
  async function applyTerms(
    tx: Tx,
    before: FollowingEndpoint,
    { url, schedule }: EndpointChangeRequest,
  ): Promise<void> {
    const isOther = (url ?? before.url) !== before.url || (schedule ?? before.schedule) !== before.schedule
    if (isOther) await tx.endpointDeliveries.release(before.id, 0)
    const { firstFailedSeq } = before
    const state = isOther ? { ...before, ...NO_FAILURES, firstFailedSeq } : before
    await tx.endpoints.advance(before.id, state, clock.nowMs())
  }

  /** All events that the endpoint has not received since it began to fail, or was disabled, have higher numbers. */
  async function lastReceivedSeq(tx: Tx, { id, cursorSeq, firstFailedSeq }: FollowingEndpoint) {
    const [open] = await tx.endpointDeliveries.openOf(id, 1)
    return Math.min(
      cursorSeq,
      (open?.seq ?? Number.MAX_SAFE_INTEGER) - 1,
      (firstFailedSeq ?? Number.MAX_SAFE_INTEGER) - 1,
    )
  }

  async function removeIn(tx: Tx, account: Account, id: string, actor: Actor, now: number): Promise<void> {
    const endpoint = await lock(tx, account, id)
    await tx.endpoints.remove(endpoint.id, now)
    await tx.setAside.remove(endpointReference(endpoint))
    await recordChange(tx, account, actor, { kind: 'endpoint_removed', at: now, detail: hostOf(endpoint) })
  }

  const hostOf = ({ url }: Pick<Endpoint, 'url'>) => new URL(url).host

  return {
    list: account => store.read(tx => tx.endpoints.ofAccount(account.id)),

    read: (account, id) =>
      findByPublicId('no_such_endpoint', id, publicId =>
        store.read(tx => tx.endpoints.byPublicId(account.id, publicId)),
      ),

    async create(account, request, actor = SERVICE) {
      const { url, schedule = 'standard', enabled = true, greenfield } = request
      const types = greenfield ? eventTypesOf(greenfield.events) : (request.types ?? null)
      requireUrl(url)
      requireTypes(types)
      const secret = secretOf(request.secret, greenfield ? 'greenfield' : 'zatgate')
      const now = nowSecs(clock)
      const sealed = { sealedSecret: seal(account, secret), earlierSealedSecret: null, earlierSecretUntil: null }
      const endpoint = await store.write(async tx => {
        await tx.accounts.lock(account.id)
        const existing = await tx.endpoints.ofAccount(account.id)
        const replaced = greenfield ? existing.filter(earlier => isReplaced(earlier, url, greenfield)) : []
        for (const { publicId } of replaced) await removeIn(tx, account, publicId, actor, now)
        if (existing.length - replaced.length >= MAX_ENDPOINTS) throw new AppError('too_many_endpoints')
        const terms = { url, types, schedule, enabled, createdAt: now, updatedAt: now }
        const dialect = {
          dialect: greenfield ? ('greenfield' as const) : ('zatgate' as const),
          greenfieldEvents: greenfield?.events ?? null,
          application: greenfield?.application ?? null,
        }
        const created = { publicId: random.uuid(), accountId: account.id, ...terms, ...dialect, ...sealed }
        await recordChange(tx, account, actor, { kind: 'endpoint_created', at: now, detail: hostOf(created) })
        return tx.endpoints.insert(created)
      })
      return { endpoint, secret }
    },

    async change(account, id, { secret, ...request }, actor = SERVICE) {
      if (request.url !== undefined) requireUrl(request.url)
      requireTypes(request.types)
      const now = nowSecs(clock)
      const { greenfieldEvents } = request
      return store.write(async tx => {
        const before = await lock(tx, account, id)
        if (before.dialect === 'greenfield') refuseOwnTerms(request)
        const types = greenfieldEvents === undefined ? {} : { types: eventTypesOf(greenfieldEvents) }
        await tx.endpoints.update(before.id, { ...request, ...types }, now)
        if (request.enabled === true && !isActive(before)) await tx.endpoints.restart(before.id)
        else await applyTerms(tx, before, request)
        await recordChange(tx, account, actor, { kind: 'endpoint_changed', at: now, detail: hostOf(before) })
        if (secret !== undefined) await replaceSecret(tx, account, before, secret, actor)
        return findByPublicId('no_such_endpoint', id, publicId => tx.endpoints.byPublicId(account.id, publicId))
      })
    },

    async resume(account, id, { recover }, actor = SERVICE) {
      const now = nowSecs(clock)
      await store.write(async tx => {
        const before = await lock(tx, account, id)
        if (isActive(before)) return
        const lastSeq = recover ? await lastReceivedSeq(tx, before) : null
        await tx.endpoints.update(before.id, { enabled: true }, now)
        await tx.endpoints.restart(before.id)
        await recordChange(tx, account, actor, { kind: 'endpoint_changed', at: now, detail: hostOf(before) })
        if (lastSeq === null) return
        await tx.endpoints.goBackTo(before.id, lastSeq, clock.nowMs())
        await recordChange(tx, account, actor, { kind: 'endpoint_recovered', at: now, detail: hostOf(before) })
        tx.notify('events')
      })
    },

    async remove(account, id, actor = SERVICE) {
      const now = nowSecs(clock)
      await store.write(tx => removeIn(tx, account, id, actor, now))
    },

    rotateSecret: (account, id, chosen, actor = SERVICE) =>
      store.write(async tx => replaceSecret(tx, account, await lock(tx, account, id), chosen, actor)),

    test: (account, id) =>
      store.write(async tx => {
        const endpoint = await lockActive(tx, account, id)
        await requireRoom(tx, endpoint)
        const now = nowSecs(clock)
        const event = { accountId: account.id, invoiceId: null, createdAt: now }
        const publicId = random.uuid()
        const test = { ...event, type: 'test', body: TEST_EVENT_BODY, publicId: random.uuid() } as const
        await tx.events.append([
          { ...test, endpointDelivery: { publicId, endpointId: endpoint.id, dueAtMs: clock.nowMs() } },
        ])
        tx.notify('events')
        return publicId
      }),

    async recover(account, id, since, actor = SERVICE) {
      const now = nowSecs(clock)
      if (since < now - MAX_RECOVERY_SECS)
        throw invalidField('since', 'at most 30 days ago: older deliveries are not known')
      return store.write(async tx => {
        const endpoint = await lockActive(tx, account, id)
        // An event may be older than the failure of its first attempt.
        const failed = await tx.endpointDeliveries.firstFailedSeq(account.id, endpoint.id, since - MAX_ATTEMPT_SECS)
        const created = await tx.events.firstSince(account.id, since)
        const first = failed === null || (created !== null && created < failed) ? created : failed
        if (first !== null) await tx.endpoints.goBackTo(endpoint.id, first - 1, clock.nowMs())
        await recordChange(tx, account, actor, { kind: 'endpoint_recovered', at: now, detail: hostOf(endpoint) })
        tx.notify('events')
        return first
      })
    },

    listWithFailed: account =>
      store.read(async tx => {
        const listed: { endpoint: Endpoint; failed: number }[] = []
        for (const endpoint of await tx.endpoints.ofAccount(account.id))
          listed.push({ endpoint, failed: await tx.endpointDeliveries.countFailed(endpoint.id, MAX_COUNT + 1) })
        return listed
      }),

    countFailed: ({ id }) => store.read(tx => tx.endpointDeliveries.countFailed(id, MAX_COUNT + 1)),
  }
}
