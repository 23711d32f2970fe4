import { AppError } from '@zatgate/server/domain/error'
import type { Invoice } from '@zatgate/server/domain/sale/invoice'
import type { Draw } from '../../runtime/draw.ts'
import { ConnectionLost } from '../../service/process.ts'
import { parseAddress } from '../../world/chain/note-scanner.ts'
import type { World } from '../../world/world.ts'
import { checkTerms, plainTerms, requestOf, type Terms, termsOf } from './terms.ts'

/** Wallets hand out the addresses of low diversifier indexes. */
const LOWEST_INDEX = 2n ** 40n

/** A merchant, as it knows itself. */
export interface Merchant {
  /** How often the database had been replaced before it joined during the run. */
  openedAfter?: number
  readonly name: string
  readonly email: string
  apiKey: string
  /** The viewing keys that it has sent to the service, in this order. */
  readonly viewingKeys: string[]
}

/** An invoice that a merchant has received. */
export interface KnownInvoice {
  readonly merchant: Merchant
  readonly publicId: string
  readonly address: string
  /** The amount; when it is open, the least that pays the invoice. */
  readonly amountZat: bigint
  readonly isOpen: boolean
  readonly toleranceBps: number
  /** Unix seconds. */
  readonly expiresAt: number
  /** Its terms, as they were shown first, see `termsOf`. */
  readonly terms: string
}

/** A request with an idempotency key that was answered. */
export interface AnsweredRequest {
  readonly merchant: Merchant
  readonly idempotencyKey: string
  readonly terms: Terms
  readonly expiresInSecs: number | undefined
  readonly publicId: string
  /** The true time of the first attempt, in Unix milliseconds: the answer may come much later. */
  readonly atMs: number
}

/** How a merchant requests an invoice. What is left out is drawn; the terms are then plain. */
export interface RequestOptions {
  /** How long the invoice runs. */
  readonly secs?: number | undefined
  readonly terms?: Terms
}

/** Merchants and their invoices: what the service has reported to them. */
export class Shop {
  readonly merchants: Merchant[] = []
  /** All invoices that any merchant has received, in this order. A restored backup may have lost some of them. */
  readonly invoices: KnownInvoice[] = []
  /** Requests that may be repeated. A restored backup may not know them. */
  answered: AnsweredRequest[] = []
  readonly #world: World
  readonly #publicIds = new Map<string, string>()
  readonly #tolerances = new Map<string, Set<number>>()
  #requests = 0

  constructor(world: World) {
    this.#world = world
    world.onRestore(() => {
      this.answered = []
    })
  }

  /** The tolerances that the merchant has set for its invoices so far. */
  tolerances({ email }: Merchant): Set<number> {
    const known = this.#tolerances.get(email) ?? new Set([0])
    this.#tolerances.set(email, known)
    return known
  }

  /** Opens the merchants' accounts through the service. */
  async openAccounts(count: number): Promise<void> {
    for (let i = 1; i <= count; i++) {
      const merchant = {
        name: `merchant ${i}`,
        email: `merchant-${i}@example.org`,
        viewingKeys: [`uview-${i}`],
        apiKey: '',
      }
      await this.#world.running[0]!.call(async services => {
        const account = await services.accounts.findOrCreate(merchant.email)
        const { account: withKey } = await services.viewingKeys.set(account, merchant.viewingKeys[0]!)
        merchant.apiKey = (await services.apiKeys.create(withKey, 'shop')).key
      })
      this.merchants.push(merchant)
    }
  }

  /**
   * Requests an invoice, with an idempotency key and retries as a careful merchant does, or once without.
   * @param attempts with more than 1, the request is repeated after a lost response
   */
  async requestInvoice(
    draw: Draw,
    merchant: Merchant,
    attempts: number,
    { secs, terms = plainTerms(draw) }: RequestOptions = {},
  ): Promise<void> {
    const drawn = draw.weighted<number | undefined>([
      [SHORTEST_SECS, 3],
      [draw.int(61, 900), 3],
      [undefined, 2],
      [draw.int(901, LONGEST_SECS), 1],
    ])
    const expiresInSecs = secs ?? drawn
    const idempotencyKey = attempts > 1 ? `order ${++this.#requests}` : undefined
    const atMs = this.#world.scheduler.nowMs
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const process = this.#world.running.length > 0 ? draw.pick(this.#world.running) : null
      const replacements = merchant.openedAfter ?? this.#world.databaseReplacements
      try {
        const invoice = await process?.call(async services => {
          const account = (await services.apiKeys.authenticate(merchant.apiKey))?.account
          if (!account) return null
          return services.invoices.create(account, { ...requestOf(terms), expiresInSecs, idempotencyKey })
        })
        // Only an account that was opened during the run can be lost with an older database.
        const isKept = this.merchants.includes(merchant) || this.#world.databaseReplacements === replacements
        if (invoice === null && isKept) this.#world.fail('an API key works until it is revoked', merchant.name)
        if (!invoice) return
        this.#checkAddress(merchant, invoice)
        checkTerms(this.#world, invoice, terms, this.tolerances(merchant), atMs)
        this.received(merchant, invoice)
        const { publicId } = invoice
        if (idempotencyKey !== undefined)
          this.answered.push({ merchant, idempotencyKey, terms, expiresInSecs, publicId, atMs })
        return
      } catch (error) {
        if (!isExpectedFailure(error)) throw error
      }
      await this.#world.scheduler.yield()
    }
  }

  #checkAddress(merchant: Merchant, { address }: Invoice): void {
    const viewingKey = parseAddress(address)?.viewingKey
    if (viewingKey === undefined || !merchant.viewingKeys.includes(viewingKey))
      this.#world.fail('the address of an invoice is of a viewing key of its merchant', `${merchant.name}: ${address}`)
  }

  /** A merchant has received an invoice: from now on a buyer may pay it. */
  received(merchant: Merchant, invoice: Invoice): void {
    const { publicId, address, amountZat, toleranceBps, expiresAt } = invoice
    const terms = termsOf(invoice)
    const earlier = this.#publicIds.get(address)
    if (earlier !== undefined && earlier !== publicId)
      this.#world.fail('an address is used once', `${address} was given to two invoices`)
    if (earlier === publicId) {
      this.shown(invoice)
      return
    }
    if ((parseAddress(address)?.diversifierIndex ?? 0n) < LOWEST_INDEX)
      this.#world.fail('no address is one that a wallet hands out', address)
    this.#publicIds.set(address, publicId)
    this.invoices.push({
      merchant,
      publicId,
      address,
      amountZat,
      isOpen: invoice.openAmount === true,
      toleranceBps: toleranceBps ?? 0,
      expiresAt,
      terms,
    })
    this.#world.story.tell(
      merchant.name,
      `receives invoice ${short(publicId)} over ${amountZat} zat, until ${expiresAt - this.#world.nowSecs} s`,
    )
  }

  /** A merchant or a buyer sees a known invoice again. */
  shown(invoice: Invoice): void {
    const known = this.invoices.find(({ publicId }) => publicId === invoice.publicId)
    const terms = termsOf(invoice)
    if (known && known.terms !== terms)
      this.#world.fail(
        'the terms of an invoice never change',
        `${short(invoice.publicId)}: ${known.terms}, now ${terms}`,
      )
  }
}

/** Failures that a client meets when the process or its database fails, or when a limit is reached. */
export function isExpectedFailure(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true
  return error instanceof AppError && error.kind !== 'internal'
}

/** The shortest and the longest that a merchant lets an invoice run. */
export const SHORTEST_SECS = 60
export const LONGEST_SECS = 7_200

/** The beginning of an id, for the story. */
export function short(publicId: string): string {
  return publicId.slice(0, 6)
}
