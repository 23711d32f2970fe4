import type { Plan } from '@zatgate/server/domain/account/plan'
import { type Action, action, fault } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { request, requestAs } from '../operator/request.ts'
import { type Merchant, short } from '../sale/shop.ts'
import type { PlanJudge } from './judge.ts'
import { readPlans } from './ledger.ts'
import { DaysPass } from './time.ts'

/** An invoice for a plan that a merchant has received. */
interface KnownPurchase {
  readonly merchant: Merchant
  readonly publicId: string
  readonly address: string
  readonly amountZat: bigint
}

/** Merchants that buy plans, and the operator that assigns them. */
export class Subscribers {
  readonly #world: World
  readonly #plans: readonly Plan[]
  readonly #judge: PlanJudge
  readonly #days: DaysPass
  readonly #purchases: KnownPurchase[] = []
  #requests = 0

  constructor(world: World, plans: readonly Plan[], judge: PlanJudge) {
    this.#world = world
    this.#plans = plans
    this.#judge = judge
    this.#days = new DaysPass(world)
  }

  get actions(): readonly Action[] {
    const world = this.#world
    return [
      action('buy a plan', 12, draw => this.#buy(draw, 1)),
      action('buy several plans at once', 4, draw => this.#buy(draw, draw.int(2, 3))),
      action('pay for a plan', 8, draw => this.#pay(draw, [100])),
      action('pay for a plan in parts', 2, draw => this.#pay(draw, [40, 60])),
      action('pay for a plan twice', 3, draw => this.#pay(draw, [100, 100])),
      action('pay for several plans', 2, draw => this.#payAll(draw)),
      action('assign a plan', 3, draw => this.#assign(draw)),
      action('time passes until a plan ends', 5, draw => {
        const ends = readPlans(world).accounts.flatMap(({ plan_expires_at: end }) =>
          end === null ? [] : [Number(end)],
        )
        return ends.length === 0 ? undefined : this.#days.passUntil(draw.pick(ends) + draw.int(-20, 20))
      }),
      {
        name: 'time passes until the month ends',
        weight: 1,
        run: draw => this.#days.passUntil(Date.UTC(2026, 1, 1) / 1000 + draw.int(-20, 20)),
      },
      fault('a clock is days ahead while a plan runs', 1, 'a clock is days ahead while a plan runs', draw => {
        const runs = readPlans(world).accounts.some(({ plan_expires_at: end }) => end !== null)
        const process = draw.pick(world.processes)
        if (!runs || world.healed) return undefined
        const days = draw.int(1, 7)
        world.setClockError(process, days * 86_400_000)
        return `the clock of ${process.name} is ${days} days ahead`
      }),
      {
        name: 'invoices are requested at the limit at once',
        weight: 4,
        fault: 'several processes count invoices of one month at the same time',
        run: draw => {
          const merchant = draw.pick(world.shop.merchants)
          const count = draw.int(3, 12)
          world.storeFailures.late = { table: 'monthly_usage', count: draw.int(1, 2), ms: 1_000 }
          for (let i = 0; i < count; i++)
            world.client('create invoice', () => world.shop.requestInvoice(draw, merchant, 1))
          return `${merchant.name} requests ${count} invoices at once`
        },
      },
      action('a day passes', 2, draw => this.#days.pass(draw.int(40_000, 86_400))),
    ]
  }

  #buy(draw: Draw, count: number): string {
    const merchant = draw.pick(this.#world.shop.merchants)
    const idempotencyKey = draw.chance(0.4) ? `plan ${++this.#requests}` : undefined
    const plan = draw.pick(['Small', 'Small', 'Large'])
    const paysAtOnce = draw.chance(0.7)
    for (let i = 0; i < count; i++)
      this.#world.client('buy a plan', () => this.#request(draw, { merchant, plan, idempotencyKey, paysAtOnce }))
    return `${merchant.name} buys ${count === 1 ? '' : `${count} times `}the plan ${plan}`
  }

  async #request(
    draw: Draw,
    wish: { merchant: Merchant; plan: string; idempotencyKey: string | undefined; paysAtOnce: boolean },
  ): Promise<void> {
    const { merchant, plan, idempotencyKey, paysAtOnce } = wish
    const world = this.#world
    for (let attempt = 0; attempt < (idempotencyKey === undefined ? 1 : 2); attempt++) {
      const { databaseReplacements } = world
      const invoice = await requestAs(world, draw, merchant, ({ billing }, account) =>
        billing.subscribe(account, plan, idempotencyKey),
      )
      if (databaseReplacements !== world.databaseReplacements) return
      if (invoice) {
        const { publicId, address, amountZat } = invoice
        world.shop.received(merchant, invoice)
        if (amountZat !== this.#plans.find(({ name }) => name === plan)?.priceZat)
          world.fail('a plan costs its price', `${plan}: ${amountZat} zat`)
        if (!readPlans(world).purchases.some(purchase => purchase.public_id === publicId))
          world.fail('a purchase that was answered is committed', short(publicId))
        this.#purchases.push({ merchant, publicId, address, amountZat })
        if (paysAtOnce) pay(world, draw, [{ address, valueZat: amountZat }])
        return
      }
      await world.scheduler.yield()
    }
  }

  #pay(draw: Draw, percents: readonly number[]): string | undefined {
    if (this.#purchases.length === 0) return undefined
    const { publicId, address, amountZat, merchant } = draw.chance(0.6)
      ? this.#purchases.at(-1)!
      : draw.pick(this.#purchases)
    for (const percent of percents)
      pay(this.#world, draw, [{ address, valueZat: (amountZat * BigInt(percent)) / 100n }])
    return `${merchant.name} pays ${percents.join(' + ')} percent of ${short(publicId)}`
  }

  #payAll(draw: Draw): string | undefined {
    const purchases = this.#purchases.slice(-3)
    if (purchases.length === 0) return undefined
    for (const { address, amountZat } of purchases) pay(this.#world, draw, [{ address, valueZat: amountZat }])
    return `merchants pay for ${purchases.map(({ publicId }) => short(publicId)).join(' and ')}`
  }

  #assign(draw: Draw): string {
    const { shop, nowSecs } = this.#world
    const { email, name } = draw.pick(shop.merchants)
    const plan = draw.pick(['Free', 'Small', 'Large'])
    const expiresAt = plan === 'Free' || draw.chance(0.3) ? null : nowSecs + draw.pick([60, 3_600, 40_000])
    this.#judge.assignments.push({ email, plan, expiresAt })
    this.#world.client('assign a plan', () =>
      request(this.#world, draw, ({ accounts }) => accounts.setPlan(email, plan, expiresAt)),
    )
    return `the operator gives ${name} the plan ${plan}`
  }
}
