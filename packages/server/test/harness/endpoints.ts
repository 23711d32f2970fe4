import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Env } from '../../src/config/settings.ts'
import type { Account } from '../../src/domain/account/account.ts'
import type { Schedule } from '../../src/domain/notify/endpoint.ts'
import type { EventType } from '../../src/domain/notify/event.ts'
import type { HttpClient, HttpRequest } from '../../src/ports/http-client.ts'
import { HttpClientError } from '../../src/ports/http-client.ts'
import type { EndpointJob } from '../../src/services/notify/endpoint-delivery.ts'
import { openTestContainer } from './container.ts'
import type { DatabaseEngine } from './databases.ts'
import { makeAccount } from './fixtures.ts'
import { ManualClock } from './manual-clock.ts'

/** More than any test has. */
export const DUE = { limit: 100, failing: 100, except: [] }
const URL = 'https://shop.example/hook'

interface Received {
  readonly type: string
  readonly seq: number
  readonly id: string
  /** Unix seconds. */
  readonly at: number
}

/** Receivers of all endpoints. They can be down, or refuse some events. */
class Receivers implements HttpClient {
  readonly received: Received[] = []
  readonly requests: HttpRequest[] = []
  isDown = false
  /** The status of each response to an event that is not refused. */
  status = 200
  readonly refused = new Set<number>()
  readonly #clock: ManualClock
  readonly #hanging = new Map<string, Promise<void>>()

  constructor(clock: ManualClock) {
    this.#clock = clock
  }

  /** Requests to this URL have no response before `release`. */
  hang(url: string) {
    const released = Promise.withResolvers<void>()
    this.#hanging.set(url, released.promise)
    const from = this.requests.length
    const hanging = () => this.requests.slice(from).filter(request => request.url === url).length
    return {
      release: released.resolve,
      get requests() {
        return hanging()
      },
    }
  }

  async send(request: HttpRequest) {
    this.requests.push(request)
    await this.#hanging.get(request.url)
    const { seq, type } = JSON.parse(String(request.body))
    if (this.isDown) throw new HttpClientError('unreachable', 'connection refused')
    if (this.refused.has(seq)) return { status: 500, headers: {}, body: new Uint8Array() }
    if (this.status === 200)
      this.received.push({ type, seq, id: request.headers['webhook-id'] ?? '', at: this.#clock.secs })
    return { status: this.status, headers: { server: 'shop' }, body: Buffer.from('ok') }
  }

  close(): void {}

  get seqs(): number[] {
    return this.received.map(({ seq }) => seq)
  }
}

/** An account on an empty database, and what delivers its events to endpoints. */
export async function startEndpoints(t: TestContext, engine: DatabaseEngine, settings: Env = {}) {
  const database = await engine.createDatabase(t)
  const clock = new ManualClock()
  const receivers = new Receivers(clock)
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', ...settings }
  const options = { clock, databaseUrl: database.url, webhookHttp: receivers, env }
  const { infrastructure, services } = await openTestContainer(t, options)
  const { store } = infrastructure
  const { endpoints, endpointDeliveries } = services
  const account = await makeAccount(store)

  async function raise(count = 1, type: EventType = 'invoice.created', of: Account = account): Promise<void> {
    for (let number = 0; number < count; number++) {
      const body = JSON.stringify({ type, invoice_id: null })
      const event = { accountId: of.id, invoiceId: null, type, body, createdAt: clock.secs, publicId: randomUUID() }
      await store.write(tx => tx.events.append([event]))
    }
  }

  const listDue = async () => {
    while (await endpointDeliveries.wake());
    return endpointDeliveries.listDue(DUE)
  }

  /** Begins the attempts that are due now. */
  const claim = async (): Promise<EndpointJob[]> => endpointDeliveries.claim(await listDue())

  async function finish(job: EndpointJob): Promise<void> {
    await endpointDeliveries.record(job, await endpointDeliveries.attempt(job))
  }

  /** Sends all that is due now. */
  async function sendDue(): Promise<void> {
    for (let due = await listDue(); due.length > 0; due = await listDue())
      for (const job of await endpointDeliveries.claim(due)) await finish(job)
  }

  /** Lets time pass, and sends what becomes due in its second. @param onStep called before each step */
  async function run(secs: number, stepSecs = secs, onStep: () => Promise<void> = async () => {}): Promise<void> {
    const endMs = clock.nowMs() + secs * 1000
    for (let stepMs = clock.nowMs(); clock.nowMs() < endMs; ) {
      await onStep()
      stepMs = Math.min(endMs, stepMs + stepSecs * 1000)
      while (clock.nowMs() < stepMs) {
        await sendDue()
        const next = (await endpointDeliveries.nextDueAtMs()) ?? stepMs
        clock.advanceMs(Math.max(1_000, Math.min(stepMs, next) - clock.nowMs()))
      }
    }
    await sendDue()
  }

  const create = (schedule: Schedule, types: readonly EventType[] | null = null) =>
    endpoints.create(account, { url: URL, schedule, types })

  return {
    account,
    claim,
    clock,
    create,
    databaseUrl: database.url,
    endpointDeliveries,
    endpoints,
    finish,
    raise,
    receivers,
    run,
    sendDue,
    services,
    store,
  }
}
