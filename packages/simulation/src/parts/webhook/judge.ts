import type { ServiceProcess } from '../../service/process.ts'
import type { WebhookRequest } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'
import { mayBeErasedInPart } from '../deletion/ledger.ts'
import { type EventRow, NewEvents } from '../event/new-events.ts'
import { isLeftOut, isWebhookLeftOut } from '../poison/ledger.ts'
import { short } from '../sale/shop.ts'
import { EventDeliveries } from './event-deliveries.ts'
import {
  type Claim,
  type DeliveryRow,
  type KnownDelivery,
  lastDeliveryId,
  readAll,
  readAttempts,
  readDelivery,
  readOpenAndNew,
  readPrunedSeq,
  type Target,
} from './ledger.ts'
import { logProblem, type Problem, progressProblem, startProblem } from './progress.ts'
import { requestProblem } from './request.ts'
import { type KnownWebhook, WebhookSecrets } from './secrets.ts'

/** Nothing that a process does between a claim and its request takes time. */
const SENT_WITHIN_MS = 2_000
/** Less than the time limit of a transaction. */
const STALL_MS = 8_000
const TEST_BODY = '{"type":"test","invoice_id":null}'

/** Checks webhooks, deliveries and the requests that receivers see. */
export class WebhookJudge {
  readonly #world: World
  /** All deliveries by their ids, and by their public ids. */
  readonly #known = new Map<bigint, KnownDelivery>()
  readonly #byPublicId = new Map<string, KnownDelivery>()
  readonly #open = new Set<KnownDelivery>()
  /** When they were last seen set aside. The service sends them some time after it has been able to again. */
  readonly #leftOutAtMs = new WeakMap<KnownDelivery, number>()
  #webhooks = new Map<bigint, KnownWebhook>()
  readonly #secrets: WebhookSecrets
  /** Deliveries known before the last restore. Its processes may still send them. */
  #forgotten = new Map<string, KnownDelivery>()
  #lastId = 0n
  readonly #newEvents: NewEvents
  readonly #eventDeliveries: EventDeliveries
  #hasBaseline = false

  constructor(world: World) {
    this.#world = world
    this.#secrets = new WebhookSecrets(world)
    this.#newEvents = new NewEvents(world)
    this.#eventDeliveries = new EventDeliveries(world)
    // The restored content is taken as it is.
    world.onRestore(() => {
      this.#forgotten = new Map(this.#byPublicId)
      for (const known of [this.#known, this.#byPublicId, this.#open]) known.clear()
      this.#hasBaseline = false
    })
  }

  /** A merchant requests a test event, or that this delivery is sent again. */
  requests(accountId: bigint, resentId?: string): void {
    const body = resentId === undefined ? TEST_BODY : this.#byPublicId.get(resentId)?.row.body
    if (body !== undefined) this.#eventDeliveries.requests(accountId, body)
  }

  /** A merchant has the response that a delivery is queued. */
  answered(publicId: string): void {
    if (!this.#byPublicId.has(publicId))
      this.#world.fail('an answered request is committed', `delivery ${short(publicId)}`)
  }

  /** The number of secrets that the account has had: passed to `secretTold` later. */
  secretCount(accountId: bigint): number {
    return this.#secrets.count(accountId)
  }

  /** A merchant has received a secret that was made after it had `count` of them. */
  secretTold(accountId: bigint, secret: string, count: number): void {
    this.#secrets.told(accountId, secret, count)
  }

  /** Deliveries that a merchant can have sent again. */
  publicIdsOf(accountId: bigint): string[] {
    return [...this.#known.values()].filter(({ row }) => row.account_id === accountId).map(({ row }) => row.public_id)
  }

  check(): void {
    const before = this.#webhooks
    this.#webhooks = this.#secrets.readWebhooks(before)
    const lastId = lastDeliveryId(this.#world)
    if (lastId < this.#lastId) this.#lastId = lastId
    const rows = this.#hasBaseline ? readOpenAndNew(this.#world, this.#lastId) : readAll(this.#world)
    const events = this.#newEvents.read()
    if (!this.#hasBaseline) {
      this.#takeBaseline(rows)
      return
    }

    this.#forgetReplaced(rows, before)
    // PostgreSQL commits in another order than it draws ids.
    const created = rows.filter(({ id }) => !this.#known.has(id))
    for (const row of created) this.#create(row, before)
    const present = new Set(rows.map(({ id }) => id))
    for (const delivery of this.#open) {
      if (present.has(delivery.row.id)) continue
      const row = readDelivery(this.#world, delivery.row.id)
      if (row) this.#update(delivery, row, before)
      else this.#checkPruned(delivery, before)
    }
    for (const row of rows) {
      const delivery = this.#known.get(row.id)
      if (delivery) this.#update(delivery, row, before)
    }
    this.#eventDeliveries.check(events, created, event => before.has(event.account_id) && this.#hadWebhook(event))
  }

  /**
   * Whether the transaction of an event found the webhook of its account. It looked for it after the time of the event. Unless
   * the database has failed, it has also begun since all processes were idle for the last time.
   */
  #hadWebhook({ account_id: account, created_at: createdAt }: EventRow): boolean {
    const { clockErrors, scheduler, storeHasFailed } = this.#world
    const webhook = this.#webhooks.get(account)
    if (!webhook) return false
    const hasBegunSince = !storeHasFailed && scheduler.idles > webhook.idles
    return hasBegunSince || Number(createdAt) * 1_000 - clockErrors.maxMs > webhook.setAtMs
  }

  /** A delivery is deleted with its event when that is no longer kept. The same commit may have claimed it before. */
  #checkPruned(delivery: KnownDelivery, before: ReadonlyMap<bigint, Target>): void {
    const { id, account_id: account, event_seq: seq, attempts } = delivery.row
    if (readPrunedSeq(this.#world, account) < seq) this.#world.fail('an open delivery is kept', about(delivery))
    this.#open.delete(delivery)
    this.#known.delete(id)
    const { committer: process, useCases } = this.#world
    if (!process || useCases === 1) return
    const targets = this.#targetsOf(account, before)
    const mayHaveUnknownTarget = useCases > 2
    delivery.claims.push({ process, attempt: Number(attempts) + 1, targets, mayHaveUnknownTarget, request: null })
  }

  /** The webhooks of the account before and after the commit. */
  #targetsOf(account: bigint, before: ReadonlyMap<bigint, Target>): Target[] {
    return [before.get(account), this.#webhooks.get(account)].filter(target => target !== undefined)
  }

  /** SQLite gives the ids of deleted deliveries to later ones, even in the same commit. */
  #forgetReplaced(rows: readonly DeliveryRow[], before: ReadonlyMap<bigint, Target>): void {
    for (const { id, public_id: publicId } of rows) {
      const known = this.#known.get(id)
      if (!known || known.row.public_id === publicId) continue
      if (this.#open.has(known)) this.#checkPruned(known, before)
      this.#known.delete(id)
    }
  }

  #takeBaseline(rows: readonly DeliveryRow[]): void {
    this.#hasBaseline = true
    this.#lastId = 0n
    for (const row of rows) this.#add(row)
  }

  #add(row: DeliveryRow): KnownDelivery {
    const earlier = this.#forgotten.get(row.public_id)
    const delivery = { row, claims: [], forgotten: earlier ? [...earlier.forgotten, ...earlier.claims] : [] }
    this.#known.set(row.id, delivery)
    this.#byPublicId.set(row.public_id, delivery)
    if (row.due_at_ms !== null) this.#open.add(delivery)
    if (row.id > this.#lastId) this.#lastId = row.id
    return delivery
  }

  /** One commit may create a delivery and then claim or cancel it. */
  #create(row: DeliveryRow, before: ReadonlyMap<bigint, Target>): void {
    const isUntouched = row.attempts === 0n && row.due_at_ms !== null
    const dueAtMs = isUntouched ? row.due_at_ms : row.created_at * 1000n
    const delivery = this.#add({ ...row, state: 'waiting', attempts: 0n, due_at_ms: dueAtMs })
    this.#open.add(delivery)
    this.#report(delivery, startProblem(delivery.row))
    this.#update(delivery, row, before)
    this.#world.transition('delivery', null, row.state)
  }

  #update(delivery: KnownDelivery, row: DeliveryRow, before: ReadonlyMap<bigint, Target>): void {
    const earlier = delivery.row
    const { account_id: account } = row
    const targets = this.#targetsOf(account, before)
    if (row.state !== earlier.state || row.attempts !== earlier.attempts || row.due_at_ms !== earlier.due_at_ms) {
      const claimsBefore = delivery.claims.length
      this.#report(delivery, progressProblem(delivery, row, this.#changeOf(row, targets)))
      const claim = delivery.claims[claimsBefore]
      if (claim) this.#expectRequest(delivery, claim)
      if (row.state !== earlier.state) this.#world.transition('delivery', earlier.state, row.state)
      this.#world.story.tell('database', `${about(delivery)}: ${row.state} after ${row.attempts}`)
      delivery.row = row
      if (row.due_at_ms === null) this.#open.delete(delivery)
    }
    if (row.due_at_ms !== null && !this.#webhooks.has(account))
      this.#world.fail('the deliveries of a deleted webhook are canceled', about(delivery))
    const current = this.#webhooks.get(account)
    for (const claim of delivery.claims)
      if (claim.request === null && current && claim.targets.at(-1) !== current) claim.targets.push(current)
  }

  /** A claimed delivery is sent at once, whatever the other receivers do. */
  #expectRequest(delivery: KnownDelivery, claim: Claim): void {
    const { scheduler } = this.#world
    const { nowMs, idles, idleAtMs } = scheduler
    // The transaction may have begun before a long stall: the process then takes the claim for failed.
    if (nowMs >= idleAtMs + STALL_MS) return
    // Belongs to the process that has committed: when it dies, it sends nothing more.
    scheduler.startTimer(SENT_WITHIN_MS, () => {
      // After a long stall or a failure of the database, the process may not know of its claim.
      const isSmooth = scheduler.idles > idles && scheduler.nowMs < nowMs + STALL_MS && !this.#world.storeHasFailed
      if (isSmooth && claim.request === null)
        this.#world.fail('a receiver does not delay the deliveries to others', `${about(delivery)} is not sent`)
    })
  }

  #changeOf({ id, public_id: publicId }: DeliveryRow, targets: readonly Target[]) {
    const { clockErrors, committer } = this.#world
    return {
      committer: committer as ServiceProcess,
      targets,
      useCases: this.#world.useCases,
      wasPoisoned: this.#world.poison.wasPoisoned('delivery', publicId),
      clockRangeMs: clockErrors.maxMs - clockErrors.minMs,
      idles: this.#world.scheduler.idles,
      log: () => readAttempts(this.#world, id),
    }
  }

  #report(delivery: KnownDelivery, problem: Problem | null): void {
    if (!problem) return
    const [rule, detail = ''] = problem
    this.#world.fail(rule, detail === '' ? about(delivery) : `${about(delivery)}: ${detail}`)
  }

  /** A receiver has seen a request. */
  received(request: WebhookRequest): void {
    const id = request.headers['webhook-id'] ?? ''
    const delivery = this.#byPublicId.get(id) ?? this.#forgotten.get(id)
    if (delivery) this.#world.story.tell('receiver', `sees ${about(delivery)} from ${request.process.name}`)
    if (delivery) this.#report(delivery, requestProblem(delivery, request))
    else this.#world.fail('a receiver sees only committed deliveries', short(id))
  }

  /** Why the deliveries have not settled. Called after all faults have ended. */
  unsettled(): string | null {
    const { nowMs } = this.#world.scheduler
    for (const delivery of this.#open) {
      const { state, due_at_ms: due } = delivery.row
      if (this.#isLeftOut(delivery.row)) continue
      // A clock that was ahead has put the attempt off.
      if (this.#world.clockErrors.maxMs > 0 && Number(due) > nowMs + 600_000) continue
      return `${about(delivery)} is ${state}, due in ${Number(due) - nowMs} ms`
    }
    return null
  }

  /** The delivery, or the secret of its webhook, is poisoned. */
  #isLeftOut({ public_id: id, account_id: account }: DeliveryRow): boolean {
    return isLeftOut(this.#world, 'delivery', id) || isWebhookLeftOut(this.#world, account)
  }

  /** After everything has settled: the final states are final, and the log is complete. */
  checkEnd(): void {
    for (const row of readAll(this.#world)) {
      const delivery = this.#known.get(row.id)
      if (!delivery) continue
      if (row.state !== delivery.row.state || row.body !== delivery.row.body)
        this.#world.fail('the end of a delivery is final', about(delivery))
      const problem = logProblem(delivery, readAttempts(this.#world, row.id))
      if (problem && !mayBeErasedInPart(this.#world, row.account_id)) this.#report(delivery, problem)
    }
  }

  /** Why a due delivery to a working receiver is delayed; null when none is. Called when nothing can run. */
  delayed(worksSince: (url: string) => number | null, patienceMs: number): string | null {
    const { nowMs } = this.#world.scheduler
    const latestMs = nowMs - patienceMs
    const busy = new Set([...this.#open].flatMap(({ row }) => (row.state === 'sending' ? [row.account_id] : [])))
    for (const delivery of this.#open) {
      const { account_id: account, due_at_ms: due } = delivery.row
      if (this.#isLeftOut(delivery.row)) this.#leftOutAtMs.set(delivery, nowMs)
      if ((this.#leftOutAtMs.get(delivery) ?? 0) > latestMs) continue
      const webhook = this.#webhooks.get(account)
      const since = webhook ? worksSince(webhook.url) : null
      if (busy.has(account) || since === null || since > latestMs || Number(due) > latestMs) continue
      return `${about(delivery)} was due ${nowMs - Number(due)} ms ago`
    }
    return null
  }
}

function about({ row }: KnownDelivery): string {
  return `delivery ${short(row.public_id)} (${row.event_type}, ${row.state} after ${row.attempts})`
}
