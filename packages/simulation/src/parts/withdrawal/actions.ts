import { blockSpacingSecs } from '@zatgate/server/domain/chain/network-upgrade'
import type { Withdrawals } from '@zatgate/server/services/payout/withdrawal'
import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { parseAddress } from '../../world/chain/note-scanner.ts'
import type { WorldNote } from '../../world/chain/transaction.ts'
import { passTime } from '../../world/passage.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { requestAs } from '../operator/request.ts'
import { type Merchant, short } from '../sale/shop.ts'
import { readWithdrawals } from './ledger.ts'
import type { PayoutOperator } from './payouts.ts'

/** A request for a withdrawal, as its merchant repeats it. */
interface Wish {
  readonly merchant: Merchant
  readonly amountZat: bigint
  readonly fiatCurrency: string
  readonly payoutTo: string
  readonly idempotencyKey: string | undefined
  /** The merchant's wallet pays the deposit as soon as it knows the address. */
  readonly paysAtOnce: boolean
}

/** An order that a merchant has received. */
export interface KnownOrder {
  readonly wish: Wish
  readonly id: string
  readonly address: string
  readonly amountZat: bigint
  /** Unix seconds. */
  readonly expiresAt: number
}

/** Merchants that withdraw. */
export class Withdrawers {
  readonly #world: World
  readonly #operator: PayoutOperator
  readonly orders: KnownOrder[] = []
  #requests = 0

  constructor(world: World, operator: PayoutOperator) {
    this.#world = world
    this.#operator = operator
  }

  get actions(): readonly Action[] {
    const world = this.#world
    return [
      action('request a withdrawal', 14, draw => {
        const wish = this.#wish(draw)
        world.client('request a withdrawal', () => this.#request(draw, wish))
        return `${wish.merchant.name} requests a withdrawal of ${wish.amountZat} zat`
      }),
      action('request a withdrawal several times at once', 2, draw => {
        const wish = { ...this.#wish(draw), idempotencyKey: `withdrawal ${++this.#requests}` }
        const count = draw.int(2, 3)
        for (let i = 0; i < count; i++) world.client('request a withdrawal', () => this.#request(draw, wish))
        return `${wish.merchant.name} requests one withdrawal ${count} times at once`
      }),
      this.#pay('pay a deposit', 8, (_, amount) => amount),
      this.#pay('pay another amount as a deposit', 2, (draw, amount) => (amount * BigInt(draw.int(1, 250))) / 100n),
      action('cancel a withdrawal', 3, draw => this.#cancel(draw, false)),
      action('cancel a withdrawal while its deposit is paid', 2, draw => this.#cancel(draw, true)),
      {
        name: 'remove a deposit',
        weight: 6,
        fault: 'a reorganisation removes the deposit of a withdrawal',
        run: draw => this.#removeDeposit(draw),
      },
      {
        name: 'a clock is set back between two withdrawals',
        weight: 2,
        fault: 'a rate was fetched while the clock was hours ahead',
        run: draw => this.#withdrawWhileClockIsAhead(draw),
      },
      action('a deposit is mined late', 6, draw => this.#payLate(draw)),
    ]
  }

  async #withdrawWhileClockIsAhead(draw: Draw): Promise<string> {
    const world = this.#world
    const process = draw.pick(world.processes)
    world.setClockError(process, draw.int(1, 5) * 3_600_000)
    const early = this.#wish(draw)
    world.client('request a withdrawal', () => this.#request(draw, early))
    await passTime(world, 5, draw, { stops: 2 })
    world.setClockError(process, 0)
    await passTime(world, draw.int(120, 1_200), draw, { stops: 2 })
    const late = this.#wish(draw)
    world.client('request a withdrawal', () => this.#request(draw, late))
    return `${early.merchant.name} requests a withdrawal while the clock of ${process.name} is hours ahead, and one after it`
  }

  #target(draw: Draw): KnownOrder | undefined {
    if (this.orders.length === 0) return undefined
    return draw.chance(0.7) ? this.orders.at(-1) : draw.pick(this.orders)
  }

  #wish(draw: Draw): Wish {
    return {
      merchant: draw.pick(this.#world.shop.merchants),
      amountZat: BigInt(draw.pick([1_000_000, 123_456_789, draw.int(100_000, 50_000_000)])),
      fiatCurrency: draw.pick(['USD', 'USD', 'USD', 'EUR']),
      payoutTo: `DE00 ${draw.int(1_000, 9_999)}`,
      idempotencyKey: draw.chance(0.5) ? `withdrawal ${++this.#requests}` : undefined,
      paysAtOnce: draw.chance(0.6),
    }
  }

  async #request(draw: Draw, wish: Wish): Promise<void> {
    const { scheduler } = this.#world
    // A repeat returns the order of the first attempt.
    const requestedMs = scheduler.nowMs
    for (let attempt = 0; attempt < (wish.idempotencyKey === undefined ? 1 : 2); attempt++) {
      const { databaseReplacements } = this.#world
      const { merchant, paysAtOnce, ...terms } = wish
      const order = await requestAs(this.#world, draw, merchant, ({ withdrawals }, account) =>
        withdrawals.create(account, terms),
      )
      if (databaseReplacements !== this.#world.databaseReplacements) return
      if (order) return this.#received(draw, wish, order, requestedMs)
      await scheduler.yield()
    }
  }

  #received(
    draw: Draw,
    wish: Wish,
    { withdrawal, invoice }: Awaited<ReturnType<Withdrawals['create']>>,
    requestedMs: number,
  ): void {
    const { publicId: id, amountZat, rate, fiatCurrency } = withdrawal
    const world = this.#world
    world.shop.received(wish.merchant, invoice)
    if (amountZat !== wish.amountZat || fiatCurrency !== wish.fiatCurrency || invoice.amountZat !== wish.amountZat)
      world.fail('an order has the terms of its request', short(id))
    const [row] = world.database.committed('SELECT 1 FROM withdrawals WHERE public_id = ?', id)
    if (!row) world.fail('an order that was answered is committed', short(id))
    if (this.orders.some(known => known.id === id)) return
    if (!this.orders.some(({ wish: { idempotencyKey } }) => idempotencyKey && idempotencyKey === wish.idempotencyKey))
      this.#operator.checkRate(id, rate, requestedMs)
    this.orders.push({ wish, id, address: invoice.address, amountZat, expiresAt: invoice.expiresAt })
    if (wish.paysAtOnce) pay(world, draw, [{ address: invoice.address, valueZat: amountZat }])
  }

  #pay(name: string, weight: number, share: (draw: Draw, amountZat: bigint) => bigint): Action {
    return action(name, weight, draw => {
      const order = this.#target(draw)
      if (!order) return undefined
      const valueZat = share(draw, order.amountZat)
      if (!pay(this.#world, draw, [{ address: order.address, valueZat }])) return undefined
      return `${order.wish.merchant.name} pays ${valueZat} zat as the deposit of ${short(order.id)}`
    })
  }

  #cancel(draw: Draw, pays: boolean): string | undefined {
    const order = this.#target(draw)
    if (!order) return undefined
    const { wish, id } = order
    if (pays) pay(this.#world, draw, [{ address: order.address, valueZat: order.amountZat }])
    this.#world.client('cancel a withdrawal', () =>
      requestAs(this.#world, draw, wish.merchant, ({ withdrawals }, account) => withdrawals.cancel(account, id)),
    )
    return `${wish.merchant.name} cancels ${short(id)}${pays ? ' and pays its deposit' : ''}`
  }

  /** Removes the blocks with the deposit of an order, best of one that is being paid out. */
  #removeDeposit(draw: Draw): string | undefined {
    const { network } = this.#world
    const due = new Set(
      readWithdrawals(this.#world).flatMap(row => (row.status === 'payout_processing' ? [row.public_id] : [])),
    )
    const mined = this.orders.flatMap(({ id, address }) => {
      const txid = this.#minedDeposit(address)
      return txid === undefined ? [] : [{ id, txid }]
    })
    const deposit = mined.findLast(({ id }) => due.has(id)) ?? mined.at(-1)
    if (!deposit) return undefined
    const depth = network.height - network.minedAt(deposit.txid)! + 1
    if (depth > MAX_REORG_DEPTH) return undefined
    const returns = draw.chance(0.5)
    network.removeBlocks(depth, ({ txid }) => returns || txid !== deposit.txid)
    for (let i = 0; i <= depth; i++) this.#world.mine([])
    return `a reorganisation of ${depth} blocks removes the deposit of ${short(deposit.id)}`
  }

  /** The id of a mined transaction that pays this address. */
  #minedDeposit(address: string): string | undefined {
    const { network } = this.#world
    const payee = parseAddress(address)
    const pays = (note: WorldNote) =>
      note.diversifierIndex === payee?.diversifierIndex && note.viewingKey === payee.viewingKey
    return [...network.transactions.values()].find(
      ({ txid, notes }) => notes.some(pays) && network.minedAt(txid) !== null,
    )?.txid
  }

  /** Pays the deposit of an order in time. It is mined only around the end of the time in which it is paid out. */
  #payLate(draw: Draw): string | undefined {
    const { network, nowSecs, params, scheduler } = this.#world
    const order = this.orders.findLast(({ expiresAt }) => expiresAt > nowSecs && expiresAt <= nowSecs + MAX_WAIT_SECS)
    if (!order) return undefined
    const spacing = blockSpacingSecs(params, network.height)
    const earlier = new Set(network.mempool.keys())
    if (!pay(this.#world, draw, [{ address: order.address, valueZat: order.amountZat }])) return undefined
    const others = () => [...network.mempool.keys()].filter(txid => earlier.has(txid))
    const blocks = draw.int(8, 14)
    scheduler.advance((order.expiresAt - nowSecs) * 1000)
    for (let i = 0; i < blocks; i++) {
      scheduler.advance(spacing * 1000)
      this.#world.mine(others())
    }
    this.#world.mine()
    return `the deposit of ${short(order.id)} is paid now, and mined ${blocks} blocks after its expiry`
  }
}

const MAX_REORG_DEPTH = 30
/** Orders whose expiry was set by a clock that is ahead are left out. */
const MAX_WAIT_SECS = 3_600
