import type { Services } from '@zatgate/server/container'
import type { Account } from '@zatgate/server/domain/account/account'
import { AppError } from '@zatgate/server/domain/error'
import type { RefundWithInvoice } from '@zatgate/server/domain/sale/refund'
import type { Rule } from '../../rules.ts'
import type { Draw } from '../../runtime/draw.ts'
import { addressAt } from '../../world/chain/note-scanner.ts'
import type { World } from '../../world/world.ts'
import { request, requestAs } from '../operator/request.ts'
import { isRemembered } from '../sale/idempotency.ts'
import { type Merchant, short } from '../sale/shop.ts'
import { checkRate } from '../sale/terms.ts'
import type { RefundJudge } from './judge.ts'
import { isFixed, readRefund, readRefunds } from './ledger.ts'
import type { Wish } from './wish.ts'

/** A refund that its merchant knows. */
export interface KnownRefund {
  readonly wish: Wish
  readonly id: string
  readonly linkId: string
  readonly amountZat: bigint
  readonly ratePrice: string | undefined
}

type Work<T> = (refunds: Services['refunds'], account: Account) => Promise<T>

const OWNER = { by: 'owner', session: null, network: null, client: null } as const

/** Errors that answer a repeat, which needs no rate and nothing that is left. Others are bad luck. */
const ANSWERS: ReadonlySet<string> = new Set(['idempotency_key_reused', 'rate_unavailable', 'refund_exceeds_received'])

/** The ways in which a merchant sees addresses. */
export const SIGHTS = ['read', 'read', 'payment request', 'of the invoice', 'list'] as const

/** Merchants that refund, and buyers who give addresses: their requests, and the answers. */
export class Refunders {
  /** All refunds that a merchant has received, in this order. An older database may have lost some. */
  readonly known: KnownRefund[] = []
  readonly #world: World
  readonly #judge: RefundJudge
  /** By refund, how often an address was given, and how many of these requests have no answer yet. */
  readonly #gifts = new Map<string, { count: number; open: number }>()
  #addresses = 0n

  constructor(world: World, judge: RefundJudge) {
    this.#world = world
    this.#judge = judge
    // The database may not know the earlier requests.
    world.onRestore(() => {
      this.known.length = 0
    })
  }

  newAddress(): string {
    this.#addresses += 1n
    return addressAt('uview-buyer', this.#addresses)
  }

  /**
   * Requests a refund, again after a failure. While the service remembers a request that is in the database already, it
   * must answer with its refund.
   * @param by another merchant: it must be refused
   */
  async create(draw: Draw, wish: Wish, attempts: number, by = wish.invoice.merchant): Promise<void> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const stored = by === wish.invoice.merchant ? this.#stored(wish) : undefined
      const answer = await this.#send(draw, wish, by)
      const isOther = typeof answer === 'string' || (answer && answer.refund.publicId !== stored)
      if (stored !== undefined && isOther && isRemembered(this.#world, wish.atMs))
        this.#fail('a repeated request returns its refund', stored, typeof answer === 'string' ? answer : 'another one')
      if (answer && typeof answer !== 'string') return this.#received(wish, answer, by)
      await this.#world.scheduler.yield()
    }
  }

  /** Sends a request for something else with the key of an earlier one. */
  async misuseKey(draw: Draw, { id, wish }: KnownRefund): Promise<void> {
    const stored = this.#stored(wish)
    const answer = await this.#send(draw, { ...wish, reason: 'another one' }, wish.invoice.merchant)
    const isDone = answer !== undefined && answer !== 'idempotency_key_reused'
    if (stored !== undefined && isDone && isRemembered(this.#world, wish.atMs))
      this.#fail('an idempotency key belongs to one request', id)
  }

  #send(draw: Draw, wish: Wish, by: Merchant): Promise<RefundWithInvoice | string | undefined> {
    const { invoice, atMs, ...terms } = wish
    return this.#judge.creating(invoice.publicId, () =>
      this.#ask(draw, by, async (refunds, account) => {
        try {
          return await refunds.create(account, invoice.publicId, terms, OWNER)
        } catch (error) {
          if (error instanceof AppError && ANSWERS.has(error.code)) return error.code
          throw error
        }
      }),
    )
  }

  /** The id of the first refund that the database has for this request. */
  #stored({ idempotencyKey, invoice }: Wish): string | undefined {
    if (idempotencyKey === undefined) return undefined
    const rows = readRefunds(this.#world)
    return rows.find(({ key, email }) => key === idempotencyKey && email === invoice.merchant.email)?.public_id
  }

  #received(wish: Wish, found: RefundWithInvoice, by: Merchant): void {
    const { publicId: id, linkId, amountZat, rate, ...refund } = found.refund
    if (by !== wish.invoice.merchant) this.#fail('a refund belongs to its account', id, by.name)
    this.#saw([found])
    const earlier = this.#earlier(wish, id)
    if (earlier && (earlier.id !== id || earlier.amountZat !== amountZat || earlier.ratePrice !== rate?.price))
      this.#fail('a repeated request returns its refund', id, `not ${short(earlier.id)}`)
    if (earlier) return
    this.known.push({ wish, id, linkId, amountZat, ratePrice: rate?.price })
    const isAsked =
      amountZat === (wish.amountZat ?? amountZat) &&
      refund.price?.amount === wish.price?.amount &&
      refund.price?.currency === wish.price?.currency &&
      refund.reason === (wish.reason ?? null) &&
      (wish.address === undefined || wish.address === refund.address)
    if (!isAsked) this.#fail('a refund has the terms of its request', id)
    if (refund.price) checkRate(this.#world, `refund ${short(id)}`, { price: refund.price, rate }, wish.atMs)
    this.#world.story.tell(by.name, `receives refund ${short(id)} of ${amountZat} zat: ${refund.status}`)
  }

  /**
   * The refund that the merchant knows by this id for this request, or that the service must remember: a merchant who
   * repeats a request when it is forgotten gets another one.
   */
  #earlier({ idempotencyKey, invoice, atMs }: Wish, answered: string): KnownRefund | undefined {
    if (idempotencyKey === undefined) return undefined
    const ofRequest = this.known.filter(
      ({ wish }) => wish.idempotencyKey === idempotencyKey && wish.invoice.merchant === invoice.merchant,
    )
    return ofRequest.find(({ id }) => id === answered) ?? (isRemembered(this.#world, atMs) ? ofRequest[0] : undefined)
  }

  /** A merchant looks at a refund. Its address is seen from then on. */
  async show(
    draw: Draw,
    { id, wish: { invoice } }: KnownRefund,
    how: (typeof SIGHTS)[number],
    by = invoice.merchant,
  ): Promise<void> {
    const others = this.known.filter(({ wish }) => wish.invoice.merchant === by).slice(-3)
    const ids = [id, ...others.map(other => other.id)]
    const ways: Record<typeof how, { scopes: readonly string[]; work: Work<readonly RefundWithInvoice[]> }> = {
      read: { scopes: [id], work: async (refunds, account) => [await refunds.read(account, id)] },
      'payment request': { scopes: ids, work: (refunds, account) => refunds.ready(account, ids) },
      'of the invoice': {
        scopes: [invoice.publicId],
        work: async (refunds, account) => (await refunds.ofInvoice(account, invoice.publicId)).refunds,
      },
      list: {
        scopes: [by.email],
        work: (refunds, account) => refunds.list(account, { limit: draw.int(1, 20) }),
      },
    }
    const { scopes, work } = ways[how]
    const found = await this.#judge.showing(scopes, () => this.#ask(draw, by, work))
    if (!found) return
    this.#checkOwner(found, by)
    if (how !== 'list' && by !== invoice.merchant) this.#fail('a refund belongs to its account', id, by.name)
    if (how === 'payment request' && found.some(({ refund }) => refund.address === null || refund.status !== 'ready'))
      this.#fail('a refund takes only the lawful steps', id, 'it is paid, and not ready')
    this.#saw(found)
  }

  /** A merchant reads the page of the refunds, which has no address that the buyer can still change. */
  async list(draw: Draw, by: Merchant): Promise<void> {
    const found = await this.#ask(draw, by, (refunds, account) =>
      refunds.list(account, { limit: 20 }, undefined, 'hidden'),
    )
    if (!found) return
    this.#checkOwner(found, by)
    const shown = found.filter(({ refund }) => refund.address !== null)
    const open = shown.find(({ refund }) => refund.addressFromBuyer && refund.seenAt === null)
    if (open) this.#fail('the address of a refund changes until the merchant sees it', open.refund.publicId)
    this.#saw(shown)
  }

  /** A merchant cancels a refund, or marks it as sent by a transaction. */
  async end(
    draw: Draw,
    { id, wish: { invoice } }: KnownRefund,
    txid: string | null,
    by = invoice.merchant,
  ): Promise<void> {
    const found = await this.#ask(draw, by, (refunds, account) =>
      txid === null ? refunds.cancel(account, id, OWNER) : refunds.markSent(account, id, txid, OWNER),
    )
    if (!found) return
    if (by !== invoice.merchant) return this.#fail('a refund belongs to its account', id, by.name)
    const row = readRefund(this.#world, id)
    const isDone = txid === null ? row?.status === 'canceled' : row?.status === 'sent' && row.txid === txid
    if (row && !isDone) this.#fail('an answered request is committed', id, `${row.status}, ${row.txid}`)
    const isCounted = txid === null || (found.invoice.refundedZat ?? 0n) >= found.refund.amountZat
    if (!isCounted) this.#fail('refunded_zat is the sum of the sent refunds', id, `${found.invoice.refundedZat}`)
  }

  /** The buyer gives an address by the link. */
  async give(draw: Draw, { id, linkId }: KnownRefund, address: string): Promise<void> {
    const replacements = this.#world.databaseReplacements
    const gifts = this.#gifts.get(id) ?? { count: 0, open: 0 }
    this.#gifts.set(id, gifts)
    const isAlone = gifts.open === 0
    const count = ++gifts.count
    gifts.open += 1
    const answer = await request(this.#world, draw, async ({ refundLinks }) => {
      try {
        return await refundLinks.giveAddress(linkId, address)
      } catch (error) {
        if (error instanceof AppError && error.code === 'refund_address_fixed') return error.code
        throw error
      }
    }).finally(() => {
      gifts.open -= 1
    })
    const row = readRefund(this.#world, id)
    if (answer === undefined || !row || replacements !== this.#world.databaseReplacements) return
    if (answer === 'refund_address_fixed') {
      if (!isFixed(row)) this.#fail('the address of a refund changes until the merchant sees it', id, 'refused before')
    } else if (isAlone && count === gifts.count && row.address !== address)
      this.#fail('an answered request is committed', id, `${address}, it is ${row.address}`)
  }

  /** Sends the request of a merchant. Undefined when it fails, or when the database has been replaced meanwhile. */
  async #ask<T>(draw: Draw, merchant: Merchant, work: Work<T>): Promise<T | undefined> {
    const replacements = this.#world.databaseReplacements
    const answer = await requestAs(this.#world, draw, merchant, ({ refunds }, account) => work(refunds, account))
    return replacements === this.#world.databaseReplacements ? answer : undefined
  }

  /** The merchant has seen the addresses of these refunds, which are as the database has them. */
  #saw(found: readonly RefundWithInvoice[]): void {
    for (const { refund } of found) {
      if (refund.address === null) continue
      this.#judge.saw(refund.publicId, refund.address)
      const row = readRefund(this.#world, refund.publicId)
      if (row) this.#judge.checkState(row)
    }
  }

  #checkOwner(found: readonly RefundWithInvoice[], by: Merchant): void {
    for (const { refund, invoice } of found) {
      const known = this.#world.shop.invoices.find(({ publicId }) => publicId === invoice.publicId)
      if (known && known.merchant !== by) this.#fail('a refund belongs to its account', refund.publicId, by.name)
    }
  }

  #fail(rule: Rule, id: string, detail = ''): void {
    this.#world.fail(rule, `refund ${short(id)}${detail && `: ${detail}`}`)
  }
}
