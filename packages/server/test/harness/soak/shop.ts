import type { SeededRandom } from '@zatgate/sandbox/random'
import type { SoakNetwork } from './network.ts'
import type { SoakService } from './services.ts'
import type { SoakTime } from './time.ts'

/** The members of an invoice response that the run checks. */
export interface InvoiceResponse {
  readonly id: string
  readonly status: string
  readonly received_zat: number
  readonly overpaid_zat: number
  readonly txid: string | null
  readonly zip321_uri: string
  readonly expires_at: number
}

/** The status in one invoice response, and the time of the response. */
export interface Poll {
  readonly atMs: number
  readonly status: string
}

/** A buyer's payments: parts of the amount in thousandths, each at a fraction of the time to expiry (above 1: late). */
type PaymentPlan = readonly { readonly thousandths: number; readonly at: number }[]

const PLANS: readonly PaymentPlan[] = [
  [{ thousandths: 1_000, at: 0.05 }],
  [{ thousandths: 1_000, at: 0.1 }],
  [{ thousandths: 1_000, at: 0.4 }],
  [{ thousandths: 1_000, at: 0.8 }],
  [
    { thousandths: 400, at: 0.05 },
    { thousandths: 600, at: 0.15 },
  ],
  [
    { thousandths: 300, at: 0.1 },
    { thousandths: 300, at: 0.5 },
    { thousandths: 400, at: 0.9 },
  ],
  [{ thousandths: 1_500, at: 0.1 }],
  [
    { thousandths: 1_000, at: 0.1 },
    { thousandths: 250, at: 0.6 },
  ],
  [{ thousandths: 1_000, at: 1.15 }],
  [
    { thousandths: 500, at: 0.3 },
    { thousandths: 500, at: 1.1 },
  ],
  [{ thousandths: 200, at: 0.2 }],
  [{ thousandths: 200, at: 1.1 }],
  [],
  [],
]
const EXPIRES_IN_SECS = [60, 60, 90, 120] as const
const MAX_ATTEMPTS = 200
const RETRY_REAL_MS = 100

interface ShopDeps {
  readonly services: readonly SoakService[]
  readonly network: SoakNetwork
  readonly time: SoakTime
  readonly apiKey: string
  readonly signal: AbortSignal
}

/** Creates, pays and polls invoices over HTTP, using any running service. */
export class Shop {
  readonly #deps: ShopDeps
  readonly #uris = new Map<string, string>()
  readonly #polls = new Map<string, Poll[]>()
  readonly #buyers: Promise<void>[] = []

  constructor(deps: ShopDeps) {
    this.#deps = deps
  }

  get ids(): string[] {
    return [...this.#uris.keys()]
  }

  polls(id: string): readonly Poll[] {
    return this.#polls.get(id) ?? []
  }

  /** Creates invoices at random services over `overMs`. Each has a buyer with a payment plan. */
  async sell(count: number, overMs: number, random: SeededRandom): Promise<void> {
    const { time, signal } = this.#deps
    for (let i = 0; i < count && !signal.aborted; i++) {
      const amount = 1_000n * BigInt(10 + random.below(1_000))
      const expiresInSecs = EXPIRES_IN_SECS[random.below(EXPIRES_IN_SECS.length)]!
      const plan = PLANS[random.below(PLANS.length)]!
      const first = random.below(this.#deps.services.length)
      const id = await this.#create(`sale ${i}`, amount, expiresInSecs, first)
      this.#buyers.push(this.#buy(id, amount, expiresInSecs, plan))
      await time.sleep(overMs / count, signal)
    }
  }

  /** Resolves when all buyers have completed their plans. */
  async bought(): Promise<void> {
    await Promise.all(this.#buyers)
  }

  /** Polls all invoices until `until` aborts. */
  async watch(until: AbortSignal): Promise<void> {
    const { time } = this.#deps
    for (let round = 0; !until.aborted; round++) {
      for (const id of this.ids) {
        if (until.aborted) return
        if (this.#polls.get(id)?.at(-1)?.status === 'paid' && round % 8 > 0) continue
        await this.read(id, round).catch(() => undefined)
      }
      await time.sleep(300 * time.factor, until)
    }
  }

  /** Reads an invoice. `which` selects one of the running services. */
  async read(id: string, which: number): Promise<InvoiceResponse> {
    const invoice = await this.#call(`/v1/invoices/${id}`, {}, which)
    const polls = this.#polls.get(id) ?? []
    this.#polls.set(id, polls)
    polls.push({ atMs: this.#deps.time.nowMs(), status: invoice.status })
    return invoice
  }

  pay(id: string, amount: bigint): void {
    this.#deps.network.pay(id, this.#uris.get(id)!, amount)
  }

  async #create(key: string, amount: bigint, expiresInSecs: number, first: number): Promise<string> {
    const { network, time, apiKey, signal } = this.#deps
    const request = {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        // The response of a killed service may be lost. A retry must return the same invoice.
        'idempotency-key': key,
      },
      body: JSON.stringify({ amount_zat: Number(amount), expires_in_secs: expiresInSecs }),
    }
    for (let attempt = 0; ; attempt++) {
      try {
        const { id, zip321_uri, expires_at } = await this.#call('/v1/invoices', request, first + attempt)
        network.ledger.created({ id, amount, expiresAtMs: expires_at * 1_000 })
        this.#uris.set(id, zip321_uri)
        return id
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || signal.aborted || error instanceof RejectedError) throw error
        await time.sleep(RETRY_REAL_MS * time.factor, signal)
      }
    }
  }

  async #buy(id: string, amount: bigint, expiresInSecs: number, plan: PaymentPlan): Promise<void> {
    const { time, signal } = this.#deps
    const createdMs = time.nowMs()
    for (const { thousandths, at } of plan) {
      await time.sleep(createdMs + at * expiresInSecs * 1_000 - time.nowMs(), signal)
      if (signal.aborted) return
      this.pay(id, (amount * BigInt(thousandths)) / 1_000n)
    }
  }

  async #call(path: string, init: RequestInit, which: number): Promise<InvoiceResponse> {
    const urls = this.#deps.services.flatMap(({ url }) => (url === null ? [] : [url]))
    const url = urls[which % urls.length]
    if (url === undefined) throw new Error('no service is running')
    const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(5_000) })
    const body = await response.text()
    if (response.ok) return JSON.parse(body) as InvoiceResponse
    throw response.status < 500 ? new RejectedError(response.status, body) : new Error(`${response.status}: ${body}`)
  }
}

/** A response that a retry would not change. */
class RejectedError extends Error {
  constructor(status: number, body: string) {
    super(`the API responded with ${status}: ${body}`)
  }
}
