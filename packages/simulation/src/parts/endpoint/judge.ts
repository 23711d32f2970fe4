import type { WebhookRequest } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import { EndpointBook, type OwnerRequest } from './book.ts'
import { EndpointDeliveryJudge } from './delivery-judge.ts'
import { KnownEndpoint } from './known-endpoint.ts'
import { type EndpointDeliveryRow, type EndpointRow, isActive, readEndpoints } from './ledger.ts'
import { stateOf } from './names.ts'
import { pauseProblem } from './progress.ts'
import { findDelayed, findUnsettled, type Waiting } from './waiting.ts'

/** From the time of an event to its commit. */
const COMMITTED_WITHIN_MS = 60_000

/** Checks endpoints, the deliveries to them, and the requests that their receivers see. */
export class EndpointJudge {
  readonly #world: World
  readonly #book: EndpointBook
  readonly #deliveries: EndpointDeliveryJudge
  #hasBaseline = false

  constructor(world: World) {
    this.#world = world
    this.#book = new EndpointBook(world)
    this.#deliveries = new EndpointDeliveryJudge(this.#book)
    // The restored content is taken as it is.
    world.onRestore(() => {
      this.#hasBaseline = false
    })
  }

  /** An owner begins to ask for something. */
  requests(publicId: string, request: OwnerRequest): void {
    this.#book.requests(publicId, request)
  }

  /** An owner has created an endpoint, and received its secret. */
  created(publicId: string, secret: string): void {
    const endpoint = this.#book.byPublicId(publicId)
    if (!endpoint) this.#world.fail('an answered request is committed', `endpoint ${short(publicId)}`)
    else if (endpoint.changes === 0 && !this.#book.targetOf(endpoint.row).secrets.includes(secret))
      this.#world.fail('a merchant receives the secret that signs', `endpoint ${short(publicId)}`)
  }

  /** A moment, for `recovered`. */
  now(publicId: string) {
    const endpoint = this.#book.byPublicId(publicId)
    return {
      publicId,
      idles: this.#world.scheduler.idles,
      changes: endpoint?.changes ?? -1,
      wasActive: endpoint !== undefined && isActive(endpoint.row),
      newest: endpoint ? this.#book.log.newest(endpoint.row.account_id) : 0n,
    }
  }

  /** An owner was answered that all events since a time that were not delivered are sent again. @param since Unix seconds */
  recovered({ publicId, idles, changes, newest }: ReturnType<EndpointJudge['now']>, since: number): void {
    const endpoint = this.#book.byPublicId(publicId)
    if (!endpoint || endpoint.changes !== changes || !isActive(endpoint.row)) return
    const fromMs = since * 1000 + COMMITTED_WITHIN_MS
    const first = this.#book.log
      .after(endpoint.row.account_id, 0n)
      .find(({ atMs, seq }) => atMs >= fromMs && seq <= newest)
    if (first) this.#checkSentAgain(endpoint, first.seq - 1n, idles)
  }

  /**
   * An owner was answered that its endpoint is resumed, and sent what it has not received. One that was active may have
   * been so all the time: its one change is then another.
   */
  resumed({ publicId, idles, changes, wasActive }: ReturnType<EndpointJudge['now']>, from: bigint): void {
    const endpoint = this.#book.byPublicId(publicId)
    if (wasActive || endpoint?.changes !== changes + 1 || !isActive(endpoint.row)) return
    this.#checkSentAgain(endpoint, from, idles)
  }

  #checkSentAgain(endpoint: KnownEndpoint, after: bigint, idles: number): void {
    const { clockErrors } = this.#world
    if (clockErrors.minMs !== clockErrors.maxMs || !this.#book.isHealthy) return
    const missing = endpoint.missing(after, this.#deliveries.openSeqs(endpoint.row), idles)
    if (missing) this.#book.fail('recovery sends all that was never delivered', endpoint.row, `event ${missing.seq}`)
  }

  /** The URLs of all endpoints. */
  urls(): string[] {
    return [...this.#book.endpoints.values()].map(({ row }) => row.url)
  }

  /** The endpoints that an owner can change. */
  endpointsOf(accountId: bigint): KnownEndpoint[] {
    return [...this.#book.endpoints.values()].filter(
      ({ row }) => row.account_id === accountId && row.removed_at === null,
    )
  }

  /** Deliveries that an owner can have sent again. */
  deliveriesOf(accountId: bigint): EndpointDeliveryRow[] {
    return this.#deliveries.ofAccount(accountId)
  }

  publicIdOf({ endpoint_id: id }: EndpointDeliveryRow): string {
    return this.#book.endpoints.get(id)?.row.public_id ?? ''
  }

  check(): void {
    const events = this.#book.log.read()
    const rows = readEndpoints(this.#world)
    if (!this.#hasBaseline) {
      this.#takeBaseline(rows)
      return
    }
    this.#deliveries.read()
    const present = new Set(rows.map(({ id }) => id))
    for (const id of this.#book.endpoints.keys()) if (!present.has(id)) this.#book.endpoints.delete(id)
    for (const row of rows) {
      const endpoint = this.#book.endpoints.get(row.id)
      if (endpoint?.row.public_id !== row.public_id) this.#create(row)
      else this.#update(endpoint, row, events)
    }
    this.#deliveries.check()
  }

  #takeBaseline(rows: readonly EndpointRow[]): void {
    this.#hasBaseline = true
    for (const row of rows) this.#book.endpoints.set(row.id, new KnownEndpoint(row, this.#book.log))
    this.#deliveries.takeBaseline()
  }

  #create(row: EndpointRow): void {
    this.#book.endpoints.set(row.id, new KnownEndpoint(row, this.#book.log, this.#firstSeq(row)))
    this.#world.transition('endpoint', null, stateOf(row))
    this.#checkStart(row)
  }

  /** An endpoint gets all events from now on, and none of before. */
  #checkStart(row: EndpointRow): void {
    const { account_id: account, cursor_seq: cursor } = row
    const isEarly = this.#book.isHealthy && this.#firstSeq(row) < this.#book.log.newestBeforeNow(account)
    if (isEarly || cursor > this.#book.log.newest(account))
      this.#book.fail(
        'an endpoint gets the events from its start on',
        row,
        `after ${cursor} of ${this.#book.log.newest(account)}`,
      )
  }

  #update(endpoint: KnownEndpoint, row: EndpointRow, events: Parameters<KnownEndpoint['update']>[1]): void {
    const earlier = endpoint.row
    const firstSeq = this.#firstSeq(row)
    const isBack = endpoint.update(row, events, this.#world.useCases > 1, firstSeq)
    this.#book.report(row, pauseProblem(earlier, row))
    const [from, to] = [stateOf(earlier), stateOf(row)]
    if (from !== to) this.#world.transition('endpoint', from, to)
    const isResumed = endpoint.isReplaced && isActive(row) && firstSeq < this.#book.log.newestBeforeNow(row.account_id)
    if (endpoint.isReplaced && isActive(row) && !isResumed) this.#checkStart(row)
    if (!isBack && !isResumed) return
    if (this.#book.isAskedFor(row, ({ kind }) => kind === 'recover'))
      endpoint.goBackTo(firstSeq, this.#deliveries.openSeqs(endpoint.row))
    else if (isBack || this.#book.isHealthy)
      this.#book.fail('an endpoint is sent an event again only when its owner asks for it', row, `from ${firstSeq} on`)
  }

  /** After this number, the present commit may have begun events: a shared one may do so after it has moved the cursor. */
  #firstSeq(row: EndpointRow): bigint {
    return this.#world.useCases > 1 ? this.#deliveries.beganAfter(row) : row.cursor_seq
  }

  /** A receiver has seen a request. */
  received(request: WebhookRequest): void {
    this.#deliveries.received(request)
  }

  /** Why the endpoints have not settled; null when they have. @param works whether the receiver with this URL works */
  unsettled(works: (url: string) => boolean): string | null {
    return findUnsettled(this.#world, this.#waiting(), works)
  }

  /** Why an event for a working receiver is delayed; null when none is. Called when nothing can run. */
  delayed(worksSince: (url: string) => number | null, patienceMs: number): string | null {
    const { poison, scheduler } = this.#world
    const healthy = this.#waiting().filter(({ row }) => !poison.wasPoisoned('endpoint', row.public_id))
    return findDelayed(healthy, worksSince, scheduler.nowMs - patienceMs)
  }

  #waiting(): Waiting[] {
    return [...this.#book.endpoints.values()]
      .filter(({ row }) => isActive(row))
      .map(({ row, owed }) => ({ row, owed: [...owed.values()], open: this.#deliveries.openOf(row) }))
  }
}
