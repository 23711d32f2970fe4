import { createCachedRates } from '@zatgate/server/adapters/rates/cached'
import type { Overrides } from '@zatgate/server/container'
import type { Action } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { runAs, WORLD } from '../../runtime/scheduler.ts'
import type { ServiceProcess } from '../../service/process.ts'
import { SimulatedPayouts } from '../../world/payout-provider.ts'
import { RateServer } from '../../world/rates.ts'
import type { World } from '../../world/world.ts'
import { request } from '../operator/request.ts'
import { short } from '../sale/shop.ts'
import type { WithdrawalJudge } from './judge.ts'
import { readWithdrawals, type WithdrawalRow } from './ledger.ts'

/** Rates are not used beyond this age. */
export const RATES_MAX_AGE_SECS = 60

/** A claim of a payout is this late. */
const LATE_CLAIM_MS = 4_000

/** Steps after which an eager operator has closed an order that has become due. */
const MAX_EAGER_STEPS = 40

/** The operator's side of withdrawals: the rate source, the payout provider, and the person who pays by hand. */
export class PayoutOperator {
  readonly #world: World
  readonly #judge: WithdrawalJudge
  readonly #rates: RateServer
  readonly #provider: SimulatedPayouts
  /** Whether a provider pays by itself. Otherwise a person pays every order. */
  readonly #hasProvider: boolean
  readonly #draw: Draw
  #settling = false
  #closesDuringClaim = false
  /** The probability that the operator closes an order as soon as it is due. */
  #eagerness = 0

  constructor(world: World, judge: WithdrawalJudge) {
    this.#world = world
    this.#judge = judge
    this.#draw = new Draw(world.nextSeed(), 'withdrawals')
    this.#hasProvider = this.#draw.chance(0.75)
    this.#rates = new RateServer(world.scheduler, new Draw(world.nextSeed(), 'rates'))
    this.#eagerness = this.#draw.pick([0, 0, 0.8])
    this.#provider = new SimulatedPayouts(world.scheduler, new Draw(world.nextSeed(), 'payouts'), judge)
  }

  ports({ clock }: ServiceProcess): Overrides {
    return {
      rates: createCachedRates({ source: this.#rates, clock, maxAgeSecs: RATES_MAX_AGE_SECS }),
      ...(this.#hasProvider && { payoutProvider: this.#provider.provider }),
    }
  }

  get actions(): readonly Action[] {
    const rates = this.#rates
    const provider = this.#provider
    return [
      this.#set('the rate jumps', 2, () => rates.jump()),
      this.#set(
        'the rate source fails',
        5,
        draw => {
          rates.down = true
          this.#world.scheduler.advance(draw.int(0, 200) * 1000)
        },
        'the source of exchange rates does not answer',
      ),
      this.#set(
        'the rate source is slow',
        1,
        draw => (rates.delayMs = draw.pick([1_000, 20_000, 90_000])),
        'the source of exchange rates answers late',
      ),
      this.#set('the rate source recovers', 1, () => rates.heal()),
      this.#set(
        'the payout provider fails',
        1,
        draw => (provider.failureRate = draw.pick([0.2, 0.6])),
        'a payout provider fails before or after it has paid',
      ),
      this.#set(
        'the payout provider is slow',
        1,
        draw => (provider.delayMs = draw.pick([500, 5_000, 60_000, 200_000])),
        'a payout provider answers late',
      ),
      this.#set('the payout provider recovers', 2, () => {
        provider.failureRate = 0
        provider.delayMs = 0
      }),
      this.#close('settle a withdrawal', 8),
      this.#close('fail a withdrawal', 4),
      this.#close('settle a withdrawal twice at once', 2),
    ]
  }

  #set(name: string, weight: number, work: (draw: Draw) => void, fault?: string): Action {
    const run = (draw: Draw) => {
      work(draw)
      return name
    }
    return { name, weight, run, ...(fault !== undefined && { fault }) }
  }

  /** The operator closes an order, rarely with an override. */
  #close(name: string, weight: number): Action {
    return {
      name,
      weight,
      run: draw => {
        const orders = readWithdrawals(this.#world).filter(
          ({ status }) => status === 'payout_processing' || status === 'needs_attention',
        )
        if (orders.length === 0) return undefined
        const order = draw.pick(orders)
        const override = draw.chance(0.15)
        const fails = name.startsWith('fail')
        for (let i = 0; i < (name.endsWith('at once') ? 2 : 1); i++) this.#closeOrder(draw, order, fails, override)
        return `the operator ${fails ? 'fails' : 'settles'} ${short(order.public_id)}${override ? ' with an override' : ''}`
      },
    }
  }

  #closeOrder(draw: Draw, { public_id: id }: WithdrawalRow, fails: boolean, override: boolean): void {
    if (override) this.#judge.overridden.add(id)
    this.#world.client('close a withdrawal', async () => {
      await request(this.#world, draw, ({ payouts }) =>
        fails
          ? payouts.markFailed(id, 'no such account', { override })
          : payouts.markPaidOut(id, 'by hand', { override }),
      )
    })
  }

  /** The operator closes the next order that becomes due, between the claim of its payout and its commit. */
  closeDuringNextClaim(): void {
    this.#closesDuringClaim = true
  }

  #closeDuringClaim(draw: Draw, order: WithdrawalRow): void {
    const { scheduler, storeFailures } = this.#world
    this.#closesDuringClaim = false
    storeFailures.late = { table: 'withdrawals', count: 1, ms: LATE_CLAIM_MS }
    runAs(WORLD, () => scheduler.startTimer(LATE_CLAIM_MS / 4, () => this.#closeOrder(draw, order, false, false)))
  }

  /** An order has become due: an eager operator closes it before, while or after the provider gets it. */
  onDue(order: WithdrawalRow): void {
    const draw = this.#draw
    if (this.#closesDuringClaim) {
      this.#closeDuringClaim(draw, order)
      return
    }
    if (this.#world.healed || !draw.chance(this.#eagerness)) return
    const { scheduler } = this.#world
    const steps = draw.int(0, MAX_EAGER_STEPS)
    runAs(WORLD, () =>
      this.#world.client('close a withdrawal', async () => {
        for (let i = 0; i <= steps; i++) await scheduler.yield()
        this.#closeOrder(draw, order, draw.chance(0.4), false)
      }),
    )
  }

  /** The rate of an order was true at most the allowed time before the order was requested. */
  checkRate(id: string, rate: string, requestedMs: number): void {
    const errorsMs = [...this.#world.clockErrors.seenMs]
    const trueMs = this.#rates.trueAt(rate)
    if (trueMs === null) {
      this.#world.fail('the rate of an order comes from the source', `${short(id)}: ${rate}`)
      return
    }
    // A clock that was set back by just the age of a rate makes it look new.
    const ageMs = requestedMs - trueMs
    const looksNew = (setBackMs: number) => Math.abs(ageMs - setBackMs) <= RATES_MAX_AGE_SECS * 1000 + 1_000
    if (ageMs > 0 && !errorsMs.some(earlier => errorsMs.some(later => looksNew(earlier - later))))
      this.#world.fail('the rate of an order has a bounded age', `${short(id)}: ${Math.round(ageMs / 1000)} s`)
  }

  heal(): void {
    this.#rates.heal()
    this.#provider.heal()
  }

  /** After the faults the operator pays by hand what waits for it. */
  settleWaiting(): void {
    if (this.#settling) return
    const waiting = readWithdrawals(this.#world).find(
      row => row.status === 'payout_processing' && row.paying_provider === null && row.payout_due_at === null,
    )
    if (!waiting) return
    this.#settling = true
    this.#world.client('close a withdrawal', async () => {
      await request(this.#world, this.#draw, ({ payouts }) => payouts.markPaidOut(waiting.public_id, 'by hand'))
      this.#settling = false
    })
  }
}
