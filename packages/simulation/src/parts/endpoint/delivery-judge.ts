import type { ServiceProcess } from '../../service/process.ts'
import { clockWasSet } from '../../world/clock-memory.ts'
import type { WebhookRequest } from '../../world/receivers.ts'
import type { EndpointBook, OwnerRequest } from './book.ts'
import type { KnownEndpoint } from './known-endpoint.ts'
import {
  type EndpointClaim,
  type EndpointDeliveryRow,
  type EndpointRow,
  type KnownEndpointDelivery,
  lastDeliveryId,
  readAll,
  readDelivery,
  readOpenAndNew,
  wants,
} from './ledger.ts'
import { about, hostOf } from './names.ts'
import { type EndpointChange, orderProblem, progressProblem } from './progress.ts'
import { assignRequest } from './request.ts'

/** Checks the deliveries to endpoints, and the requests that their receivers see. */
export class EndpointDeliveryJudge {
  readonly #book: EndpointBook
  readonly #known = new Map<bigint, KnownEndpointDelivery>()
  readonly #open = new Set<KnownEndpointDelivery>()
  /** All claims so far: their processes may still send them. */
  readonly #claims: EndpointClaim[] = []
  /** The claims of deliveries before the database was replaced, by their public ids. */
  #forgotten = new Map<string, readonly EndpointClaim[]>()
  #lastId = 0n
  /** Those that were open or new at the present commit, by id. */
  #rows: readonly EndpointDeliveryRow[] = []

  constructor(book: EndpointBook) {
    this.#book = book
    book.world.onRestore(() => {
      this.#forgotten = new Map([...this.#known.values()].map(({ row, claims }) => [row.public_id, claims]))
      this.#known.clear()
      this.#open.clear()
      this.#lastId = 0n
    })
  }

  /** Takes the deliveries as they are. */
  takeBaseline(): void {
    for (const row of readAll(this.#book.world)) {
      this.#add(row)
      const endpoint = this.#book.endpoints.get(row.endpoint_id)
      endpoint?.begins(row.event_seq, -1)
      endpoint?.ends(row)
    }
  }

  /** Those that the owner of the account can have sent again. */
  ofAccount(accountId: bigint): EndpointDeliveryRow[] {
    return [...this.#known.values()].flatMap(({ row }) => (row.account_id === accountId ? [row] : []))
  }

  /** Reads the deliveries after a commit. */
  read(): void {
    const lastId = lastDeliveryId(this.#book.world)
    if (lastId < this.#lastId) this.#lastId = lastId
    this.#rows = readOpenAndNew(this.#book.world, this.#lastId)
  }

  /** The number before the first event that the present commit has begun for the endpoint, at most its cursor. */
  beganAfter({ id, cursor_seq: cursor }: EndpointRow): bigint {
    const isNew = (row: EndpointDeliveryRow) => this.#known.get(row.id)?.row.public_id !== row.public_id
    const begun = this.#rows.filter(row => row.endpoint_id === id && row.passed === 0n && isNew(row))
    return begun.reduce((least, { event_seq: seq }) => (seq <= least ? seq - 1n : least), cursor)
  }

  /** Checks what was read. */
  check(): void {
    const rows = this.#rows
    for (const { id, public_id: publicId } of rows) {
      const known = this.#known.get(id)
      if (known && known.row.public_id !== publicId) this.#forget(known)
    }
    const present = new Set(rows.map(({ id }) => id))
    // What ends first, since it decides what may be begun.
    for (const delivery of this.#open) {
      if (present.has(delivery.row.id)) continue
      const row = readDelivery(this.#book.world, delivery.row.id)
      if (row) this.#progress(delivery, row)
      else this.#forget(delivery)
    }
    for (const row of rows) {
      const delivery = this.#known.get(row.id)
      if (delivery) this.#progress(delivery, row)
    }
    for (const row of rows) if (!this.#known.has(row.id)) this.#begin(row)
    for (const { row } of this.#book.endpoints.values()) this.#checkSending(row)
  }

  /** The row of a delivery is gone, or given to another one. */
  #forget(delivery: KnownEndpointDelivery): void {
    const { id, account_id: account, endpoint_id: endpoint, event_seq: seq } = delivery.row
    const isDeleted = this.#book.log.prunedSeq(account) >= seq || !this.#book.endpoints.has(endpoint)
    if (this.#open.has(delivery) && !isDeleted) this.#book.world.fail('an open delivery is kept', about(delivery.row))
    this.#open.delete(delivery)
    this.#known.delete(id)
  }

  #add(row: EndpointDeliveryRow): KnownEndpointDelivery {
    const delivery = { row, claims: [...(this.#forgotten.get(row.public_id) ?? [])] }
    this.#known.set(row.id, delivery)
    if (row.due_at_ms !== null) this.#open.add(delivery)
    if (row.id > this.#lastId) this.#lastId = row.id
    return delivery
  }

  /** A delivery is new: the worker has begun an event, or the owner has asked for one. */
  #begin(row: EndpointDeliveryRow): void {
    const endpoint = this.#book.endpoints.get(row.endpoint_id)
    if (!endpoint) return
    if (row.passed === 1n) this.#checkRequested(endpoint, row)
    else this.#checkNext(endpoint, row)
    if (row.event_type !== 'test') endpoint.begins(row.event_seq, this.#book.world.scheduler.idles)
    const delivery = this.#add({ ...row, state: 'waiting', attempts: 0n, due_at_ms: row.created_at * 1000n })
    this.#open.add(delivery)
    this.#book.world.transition('delivery to an endpoint', null, row.state)
    this.#progress(delivery, row)
  }

  #checkRequested({ row: endpoint }: KnownEndpoint, { event_seq: seq, event_type: type }: EndpointDeliveryRow): void {
    const isIt = (request: OwnerRequest) =>
      type === 'test' ? request.kind === 'test' : request.kind === 'resend' && request.seq === seq
    if (!this.#book.isAskedFor(endpoint, isIt))
      this.#book.fail('an endpoint is sent an event again only when its owner asks for it', endpoint, `${seq} ${type}`)
  }

  #checkNext(endpoint: KnownEndpoint, { account_id: account, event_seq: seq }: EndpointDeliveryRow): void {
    const { row, before, owed, delivered, ended, floor } = endpoint
    const event = this.#book.log.bySeq(account, seq)
    if (!event || account !== row.account_id || !(wants(row, event.type) || wants(before, event.type)))
      this.#book.fail('an endpoint gets only events of its account and of its types', row, `${seq} ${event?.type}`)
    const open = this.openOf(row)
    if (delivered.has(seq) || open.some(({ event_seq: other, passed }) => other === seq && passed === 0n))
      this.#book.fail('an event is delivered to an endpoint once', row, `${seq}`)
    if (ended.has(seq) || seq <= floor)
      this.#book.fail('an endpoint is sent an event again only when its owner asks for it', row, `${seq}`)
    // In a shared commit, a recovery may have moved the cursor back after this event was begun.
    const isBeforeRecovery = this.#book.world.useCases > 1 && seq > row.cursor_seq
    const skipped = isBeforeRecovery ? undefined : [...owed.keys()].find(other => other < seq)
    if (skipped !== undefined)
      this.#book.fail('an endpoint is sent the events in their order', row, `${seq} before ${skipped}`)
    const earlier = open.filter(other => other.event_seq < seq && other.state === 'waiting')
    if (before.schedule === row.schedule) this.#book.report(row, orderProblem(row, earlier, seq))
  }

  #progress(delivery: KnownEndpointDelivery, row: EndpointDeliveryRow): void {
    const earlier = delivery.row
    const isSame =
      row.state === earlier.state &&
      row.attempts === earlier.attempts &&
      row.due_at_ms === earlier.due_at_ms &&
      row.passed === earlier.passed
    const endpoint = this.#book.endpoints.get(row.endpoint_id)
    if (isSame || !endpoint) return
    const change = this.#changeOf(endpoint)
    this.#book.report(endpoint.row, progressProblem(delivery, row, change))
    if (row.attempts === earlier.attempts + 1n) this.#claim(delivery, row, endpoint, change)
    if (row.state !== earlier.state) this.#book.world.transition('delivery to an endpoint', earlier.state, row.state)
    const hasFailed = earlier.state === 'sending' && (row.state === 'waiting' || row.state === 'failed')
    if (hasFailed && row.attempts === 1n && (endpoint.failingFrom ?? row.event_seq) >= row.event_seq)
      endpoint.failingFrom = row.event_seq
    this.#book.world.story.tell(
      'database',
      `${about(earlier)} to ${hostOf(endpoint.row)}: ${row.state} after ${row.attempts}`,
    )
    delivery.row = row
    if (row.due_at_ms !== null) return
    this.#open.delete(delivery)
    endpoint.ends(row)
  }

  #claim(
    delivery: KnownEndpointDelivery,
    row: EndpointDeliveryRow,
    { row: after, before }: KnownEndpoint,
    { committer: process }: EndpointChange,
  ): void {
    const { account_id: accountId, event_seq: seq } = row
    const targets = [this.#book.targetOf(before), this.#book.targetOf(after)]
    const claim = { process, attempt: Number(row.attempts), accountId, seq, targets, request: null }
    delivery.claims.push(claim)
    this.#claims.push(claim)
  }

  /** An endpoint has one attempt at a time. */
  #checkSending(endpoint: EndpointRow): void {
    const sending = this.openOf(endpoint).filter(({ state }) => state === 'sending')
    if (sending.length > 1)
      this.#book.fail(
        'an endpoint has one attempt at a time',
        endpoint,
        sending.map(({ event_seq: seq }) => seq).join(', '),
      )
  }

  #changeOf({ row: after, before, isReplaced }: KnownEndpoint): EndpointChange {
    const { clockErrors, committer, scheduler } = this.#book.world
    return {
      committer: committer as ServiceProcess,
      before,
      after,
      isReplaced: isReplaced || this.#book.world.useCases > 1,
      prunedSeq: this.#book.log.prunedSeq(after.account_id),
      clockRangeMs: clockErrors.maxMs - clockErrors.minMs,
      idles: scheduler.idles,
      isHealthy: this.#book.isHealthy,
      suspendedAtMs: scheduler.suspendedAtMs,
    }
  }

  /** Deliveries that have not ended. */
  openOf(endpoint: EndpointRow): EndpointDeliveryRow[] {
    return [...this.#open].flatMap(({ row }) => (row.endpoint_id === endpoint.id ? [row] : []))
  }

  openSeqs(endpoint: EndpointRow): ReadonlySet<bigint> {
    return new Set(this.openOf(endpoint).map(({ event_seq: seq }) => seq))
  }

  /** A receiver has seen a request. */
  received(request: WebhookRequest): void {
    const event = this.#book.log.byPublicId(request.headers['webhook-id'] ?? '')
    if (!event) {
      this.#book.world.fail('a receiver sees only committed deliveries', `${request.headers['webhook-id']}`)
      return
    }
    this.#book.world.story.tell('receiver', `${request.url} sees event ${event.seq} from ${request.process.name}`)
    const problem = assignRequest(this.#claims, event, request, clockWasSet(this.#book.world))
    // One commit may claim a delivery and delete it with its event, which is no longer kept.
    if (this.#book.log.prunedSeq(event.account_id) >= event.seq) return
    if (problem) this.#book.world.fail(problem[0], `event ${event.seq} to ${request.url}: ${problem[1] ?? ''}`)
  }
}
