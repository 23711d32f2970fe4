import { blockSpacingSecs } from '@zatgate/server/domain/chain/network-upgrade'
import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { passTime } from '../../world/passage.ts'
import { pay } from '../../world/payment.ts'
import { RATES_MAX_AGE_SECS } from '../../world/rates.ts'
import type { World } from '../../world/world.ts'
import { type KnownInvoice, short } from '../sale/shop.ts'
import { readConfirmed, readRefunds } from './ledger.ts'
import { type KnownRefund, type Refunders, SIGHTS } from './refunders.ts'
import { drawKind, drawTerms, type Kind, OVERPAID_ZAT, type Wish } from './wish.ts'

/** Invoices that are sold in order to be refunded. */
const SOLD_ZAT = 25_000_000n

/** Actions of merchants and buyers on refunds, by mistake on those of others too. */
export class RefundActions {
  readonly #world: World
  readonly #refunders: Refunders
  #keys = 0

  constructor(world: World, refunders: Refunders) {
    this.#world = world
    this.#refunders = refunders
  }

  get actions(): readonly Action[] {
    return [
      this.#ofInvoice('refund an invoice', 8, (draw, invoice) => this.#create(draw, this.#wish(draw, invoice))),
      this.#ofInvoice('refund an invoice several times at once', 3, (draw, invoice) => {
        for (let i = draw.int(2, 3); i > 0; i--)
          this.#create(draw, this.#wish(draw, invoice, { kind: draw.pick(['most', 'whole']) }))
      }),
      this.#ofInvoice('request one refund several times at once', 1.5, (draw, invoice) => {
        const wish = this.#wish(draw, invoice, { hasKey: true })
        for (let i = draw.int(2, 3); i > 0; i--) this.#create(draw, wish)
      }),
      this.#ofInvoice(
        'refund an invoice, and lose the response',
        3,
        async (draw, invoice) => {
          this.#world.storeFailures.lostCommitTo = 'refunds'
          const wish = this.#wish(draw, invoice, { hasKey: true, kind: draw.pick(['price', drawKind(draw)]) })
          this.#create(draw, wish, 1)
          await this.#world.scheduler.run()
          await this.#repeatWhileRateChanges(draw, wish)
        },
        'a refund is committed, and the response is lost; the merchant asks again',
      ),
      this.#ofInvoice(
        'refund an invoice in a process that dies',
        3,
        async (draw, invoice) => {
          const { scheduler, processes } = this.#world
          const wish = this.#wish(draw, invoice, { hasKey: true, kind: draw.pick(['price', drawKind(draw)]) })
          this.#create(draw, wish, 1)
          await scheduler.run(draw.int(1, 40))
          this.#world.restart(draw.int(0, processes.length - 1))
          await scheduler.run()
          await this.#repeatWhileRateChanges(draw, wish)
        },
        'a process dies while an invoice is refunded; the merchant asks again',
      ),
      action('repeat the request for a refund', 4, draw => this.#repeat(draw)),
      this.#ofRefund('a buyer gives an address', 5, (draw, refund) => this.#give(draw, refund, draw.int(1, 2))),
      this.#ofRefund('a merchant looks at a refund', 2.5, (draw, refund) => this.#show(draw, refund)),
      this.#ofRefund('a merchant looks at a refund while its buyer changes the address', 3, async (draw, refund) => {
        if (draw.chance(0.5)) this.#give(draw, refund)
        if (draw.chance(0.5)) await this.#world.scheduler.run()
        const acts = [() => this.#give(draw, refund), () => this.#show(draw, refund)]
        for (const act of draw.chance(0.5) ? acts : acts.toReversed()) act()
      }),
      this.#ofRefund('list the refunds', 1, (draw, refund) => this.#list(draw, refund)),
      this.#ofRefund('mark a refund as sent', 3, (draw, refund) => this.#end(draw, refund, [true])),
      this.#ofRefund('cancel a refund', 1.5, (draw, refund) => this.#end(draw, refund, [false])),
      this.#ofRefund('mark a refund as sent and cancel it at once', 2, (draw, refund) =>
        this.#end(
          draw,
          refund,
          draw.pick([
            [true, true],
            [true, false],
            [false, true],
          ]),
        ),
      ),
      this.#ofRefund('an account uses the refunds of another one', 1.5, (draw, refund) => this.#trespass(draw, refund)),
      action('a sale is refunded to the end', 14, draw => this.#toTheEnd(draw)),
    ]
  }

  /** Requests for the newest invoices, without waiting for them. */
  start(draw: Draw): void {
    for (const invoice of this.#refundable.slice(-2)) this.#create(draw, this.#wish(draw, invoice, { hasKey: true }))
    for (const refund of this.#refunders.known.slice(-2)) {
      this.#give(draw, refund)
      if (draw.chance(0.5)) this.#show(draw, refund)
      if (draw.chance(0.3)) this.#end(draw, refund, [draw.chance(0.7)])
    }
  }

  #ofInvoice(
    name: string,
    weight: number,
    work: (draw: Draw, invoice: KnownInvoice) => void | Promise<void>,
    description?: string,
  ): Action {
    const run = async (draw: Draw) => {
      const invoice = await this.#target(draw)
      if (!invoice) return undefined
      await work(draw, invoice)
      return `${invoice.merchant.name}: ${name}, ${short(invoice.publicId)}`
    }
    return action(name, weight, run, description)
  }

  #ofRefund(name: string, weight: number, work: (draw: Draw, refund: KnownRefund) => void | Promise<void>): Action {
    return action(name, weight, async draw => {
      const { known } = this.#refunders
      if (known.length === 0) return undefined
      const open = known.filter(({ id }) => this.#open.has(id))
      const refund = draw.pick(open.length > 0 && draw.chance(0.8) ? open : known)
      await work(draw, refund)
      return `${refund.wish.invoice.merchant.name}: ${name}, ${short(refund.id)}`
    })
  }

  get #open(): ReadonlySet<string> {
    const rows = readRefunds(this.#world).filter(({ status }) => status === 'awaiting_address' || status === 'ready')
    return new Set(rows.map(({ public_id: id }) => id))
  }

  /** The invoices with confirmed payments. */
  get #refundable(): KnownInvoice[] {
    const confirmed = readConfirmed(this.#world)
    return this.#world.shop.invoices.filter(({ publicId }) => confirmed.has(publicId))
  }

  /** An invoice to refund: mostly one with confirmed payments, which is sold if there is none. */
  async #target(draw: Draw): Promise<KnownInvoice | undefined> {
    const { shop } = this.#world
    if (draw.chance(0.05)) return shop.invoices.at(-1)
    if (this.#refundable.length === 0 || draw.chance(0.4)) await this.#sell(draw)
    const found = this.#refundable
    return draw.chance(0.7) || found.length === 0 ? found.at(-1) : draw.pick(found)
  }

  /** Sells an invoice, and lets its payment be confirmed. */
  async #sell(draw: Draw): Promise<void> {
    const { shop, scheduler, setup, params, network } = this.#world
    const { length } = shop.invoices
    const terms = { amountZat: SOLD_ZAT }
    this.#client('create invoice', () => shop.requestInvoice(draw, draw.pick(shop.merchants), 3, { terms }))
    await scheduler.run()
    const invoice = shop.invoices[length]
    if (!invoice) return
    const valueZat = SOLD_ZAT + draw.pick([0n, OVERPAID_ZAT, -1_000n])
    pay(this.#world, draw, [{ address: invoice.address, valueZat }], { expiryHeight: 0 })
    for (let i = draw.int(0, 1); i <= setup.confirmations; i++) {
      scheduler.advance(blockSpacingSecs(params, network.height) * 1_000)
      this.#world.mine()
    }
    await this.#world.runFor(5_000)
  }

  #wish(draw: Draw, invoice: KnownInvoice, given: { kind?: Kind; hasKey?: boolean } = {}): Wish {
    const { hasKey = draw.chance(0.6), kind = drawKind(draw) } = given
    return {
      invoice,
      ...drawTerms(draw, invoice, kind),
      ...(draw.chance(0.4) && { address: this.#refunders.newAddress() }),
      idempotencyKey: hasKey ? `refund ${++this.#keys}` : undefined,
      atMs: this.#world.scheduler.nowMs,
    }
  }

  /** Sends a request again, mostly when its rate has changed or is gone. */
  async #repeatWhileRateChanges(draw: Draw, wish: Wish): Promise<void> {
    const { rates, scheduler } = this.#world
    if (draw.chance(0.6)) {
      rates.jump()
      rates.down = draw.chance(0.7)
      await passTime(this.#world, RATES_MAX_AGE_SECS + draw.int(1, 60), draw, { stops: 2 })
    }
    this.#create(draw, wish)
    await scheduler.run()
    rates.heal()
  }

  async #repeat(draw: Draw): Promise<string | undefined> {
    const keyed = this.#refunders.known.filter(({ wish }) => wish.idempotencyKey !== undefined)
    const priced = keyed.filter(({ wish }) => wish.price !== undefined)
    if (keyed.length === 0) return undefined
    const refund = draw.pick(priced.length > 0 && draw.chance(0.6) ? priced : keyed)
    if (draw.chance(0.5)) this.#give(draw, refund)
    if (draw.chance(0.25)) this.#client('misuse a key', () => this.#refunders.misuseKey(draw, refund))
    else await this.#repeatWhileRateChanges(draw, refund.wish)
    if (draw.chance(0.5)) this.#give(draw, refund)
    return `${refund.wish.invoice.merchant.name} repeats the request for refund ${short(refund.id)}`
  }

  #create(draw: Draw, wish: Wish, attempts = draw.pick(wish.idempotencyKey === undefined ? [1] : [1, 3])): void {
    this.#client('refund an invoice', () => this.#refunders.create(draw, wish, attempts))
  }

  #give(draw: Draw, refund: KnownRefund, count = 1): void {
    for (let i = 0; i < count; i++) {
      const address = this.#refunders.newAddress()
      this.#client('give an address', () => this.#refunders.give(draw, refund, address))
    }
  }

  #show(draw: Draw, refund: KnownRefund): void {
    const how = draw.pick(SIGHTS)
    this.#client(`show a refund: ${how}`, () => this.#refunders.show(draw, refund, how))
  }

  #list(draw: Draw, { wish }: KnownRefund): void {
    this.#client('list the refunds', () => this.#refunders.list(draw, wish.invoice.merchant))
  }

  /** @param steps true: it is marked as sent, mostly by another transaction each time; false: it is canceled */
  #end(draw: Draw, refund: KnownRefund, steps: readonly boolean[]): void {
    const first = draw.hex(32)
    for (const isSent of steps) {
      const txid = isSent ? draw.pick([first, draw.hex(32)]) : null
      this.#client('end a refund', () => this.#refunders.end(draw, refund, txid))
    }
  }

  #trespass(draw: Draw, refund: KnownRefund): void {
    const { wish } = refund
    const other = this.#world.shop.merchants.find(merchant => merchant !== wish.invoice.merchant)
    if (!other) return
    this.#client('refund a foreign invoice', () => this.#refunders.create(draw, wish, 1, other))
    this.#client('show a foreign refund', () => this.#refunders.show(draw, refund, draw.pick(SIGHTS), other))
    this.#client('end a foreign refund', () =>
      this.#refunders.end(draw, refund, draw.pick([null, draw.hex(32)]), other),
    )
  }

  async #toTheEnd(draw: Draw): Promise<string | undefined> {
    const invoice = await this.#target(draw)
    if (!invoice) return undefined
    const { known } = this.#refunders
    this.#create(draw, this.#wish(draw, invoice), 1)
    await this.#world.runFor(draw.int(0, 3) * 1_000)
    const refund = known.at(-1)
    if (!refund) return undefined
    for (const step of [
      () => this.#give(draw, refund, draw.int(1, 2)),
      () => this.#list(draw, refund),
      () => this.#create(draw, refund.wish, 1),
      () => this.#give(draw, refund),
      () => this.#show(draw, refund),
      () => this.#give(draw, refund),
      () => this.#end(draw, refund, [draw.chance(0.8)]),
      () => this.#end(draw, refund, [draw.chance(0.5)]),
    ]) {
      if (draw.chance(0.2)) continue
      step()
      await this.#world.runFor(draw.int(0, 3) * 1_000)
    }
    return `${invoice.merchant.name} refunds ${short(invoice.publicId)} to the end`
  }

  #client(name: string, work: () => Promise<void>): void {
    this.#world.client(name, work)
  }
}
