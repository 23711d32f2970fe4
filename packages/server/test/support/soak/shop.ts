import type { SeededRandom } from '@zatgate/sandbox/random'
import type { SoakNetwork } from './network.ts'
import type { SoakService } from './services.ts'
import type { SoakTime } from './time.ts'

/** An invoice as the API shows it, as far as it matters here. */
export interface ShownInvoice {
  readonly id: string
  readonly status: string
  readonly received_zat: number
  readonly overpaid_zat: number
  readonly txid: string | null
  readonly zip321_uri: string
  readonly expires_at: number
}

/** One answer about an invoice: what it said, and when it had come. */
export interface Poll {
  readonly atMs: number
  readonly status: string
}

/** What a buyer does: parts of the amount, in thousandths, each at a fraction of the time to expiry (over 1: late). */
type Plan = readonly { readonly thousandths: number; readonly at: number }[]

const PLANS: readonly Plan[] = [
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
const ATTEMPTS = 200
const RETRY_REAL_MS = 100

interface ShopDeps {
  readonly services: readonly SoakService[]
  readonly network: SoakNetwork
  readonly time: SoakTime
  readonly apiKey: string
  readonly signal: AbortSignal
}

/** Sells, buys and looks, over HTTP, at whichever service is alive. */
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

  /** Creates invoices at random services, spread over `overMs`; each has a buyer with a plan. */
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

  /** Resolves when every buyer has carried out the plan. */
  async bought(): Promise<void> {
    await Promise.all(this.#buyers)
  }

  /** Reads every invoice again and again, until `until` is aborted. */
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

  /** What the API says; `which` chooses the service, if it is alive. */
  async read(id: string, which: number): Promise<ShownInvoice> {
    const shown = await this.#call(`/v1/invoices/${id}`, {}, which)
    const polls = this.#polls.get(id) ?? []
    this.#polls.set(id, polls)
    polls.push({ atMs: this.#deps.time.nowMs(), status: shown.status })
    return shown
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
        // The answer of a service that is killed may be lost; asked again, it must be the same invoice.
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
        if (attempt === ATTEMPTS || signal.aborted || error instanceof Refused) throw error
        await time.sleep(RETRY_REAL_MS * time.factor, signal)
      }
    }
  }

  async #buy(id: string, amount: bigint, expiresInSecs: number, plan: Plan): Promise<void> {
    const { time, signal } = this.#deps
    const createdMs = time.nowMs()
    for (const { thousandths, at } of plan) {
      await time.sleep(createdMs + at * expiresInSecs * 1_000 - time.nowMs(), signal)
      if (signal.aborted) return
      this.pay(id, (amount * BigInt(thousandths)) / 1_000n)
    }
  }

  async #call(path: string, init: RequestInit, which: number): Promise<ShownInvoice> {
    const urls = this.#deps.services.flatMap(({ url }) => (url === null ? [] : [url]))
    const url = urls[which % urls.length]
    if (url === undefined) throw new Error('no service is up')
    const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(5_000) })
    const body = await response.text()
    if (response.ok) return JSON.parse(body) as ShownInvoice
    throw response.status < 500 ? new Refused(response.status, body) : new Error(`${response.status}: ${body}`)
  }
}

/** An answer that trying again does not change. */
class Refused extends Error {
  constructor(status: number, body: string) {
    super(`the API refused with ${status}: ${body}`)
  }
}
