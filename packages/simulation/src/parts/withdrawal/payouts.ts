import { createCachedRates } from '@zatgate/server/adapters/rates/cached'
import type { Overrides } from '@zatgate/server/container'
import type { Action } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { runAs, WORLD } from '../../runtime/scheduler.ts'
import type { ServiceProcess } from '../../service/process.ts'
import { RateServer } from '../../world/rates.ts'
import type { World } from '../../world/world.ts'
import { request } from '../operator/request.ts'
import { short } from '../sale/shop.ts'
import type { WithdrawalJudge } from './judge.ts'
import { readWithdrawals, type WithdrawalRow } from './ledger.ts'

/** Rates are not used beyond this age. */
const RATES_MAX_AGE_SECS = 60

/** How late the database is while two operators close a withdrawal. */
const LATE_MS = 1_000

/** Steps after which an eager operator has closed an order that is to be paid out. */
const MAX_EAGER_STEPS = 40

/** The operator's side of withdrawals: the rate source, and the persons who pay by hand. */
export class PayoutOperator {
  readonly #world: World
  readonly #judge: WithdrawalJudge
  readonly #rates: RateServer
  readonly #draw: Draw
  /** The probability that the operator closes an order as soon as it is to be paid out. */
  readonly #eagerness: number
  #settling = false
  #restores = 0

  constructor(world: World, judge: WithdrawalJudge) {
    this.#world = world
    this.#judge = judge
    this.#draw = new Draw(world.nextSeed(), 'withdrawals')
    this.#rates = new RateServer(world.scheduler, new Draw(world.nextSeed(), 'rates'))
    this.#eagerness = this.#draw.pick([0, 0, 0.8])
    world.onRestore(() => {
      this.#restores += 1
    })
  }

  ports({ clock }: ServiceProcess): Overrides {
    const terms = { clock, maxAgeSecs: RATES_MAX_AGE_SECS, minSources: 1 }
    return { rates: createCachedRates({ ...terms, sources: [this.#rates], crossSource: null }) }
  }

  get actions(): readonly Action[] {
    const rates = this.#rates
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
      this.#close('settle a withdrawal', 8, ['settle']),
      this.#close('fail a withdrawal', 4, ['fail']),
      this.#close('settle a withdrawal twice at once', 2, ['settle', 'settle']),
      this.#close(
        'settle and fail a withdrawal at once',
        4,
        ['settle', 'fail'],
        'two operators close a withdrawal while the database is late',
      ),
    ]
  }

  #set(name: string, weight: number, work: (draw: Draw) => void, fault?: string): Action {
    const run = (draw: Draw) => {
      work(draw)
      return name
    }
    return { name, weight, run, ...(fault !== undefined && { fault }) }
  }

  /** Operators close an order at once, each by a command. */
  #close(name: string, weight: number, commands: readonly ('settle' | 'fail')[], fault?: string): Action {
    const run = (draw: Draw) => {
      const orders = readWithdrawals(this.#world).filter(
        ({ status }) => status === 'payout_processing' || status === 'needs_attention',
      )
      if (orders.length === 0) return undefined
      const { public_id: id } = draw.pick(orders)
      if (fault !== undefined) this.#world.storeFailures.late = { table: 'withdrawals', count: 1, ms: LATE_MS }
      for (const command of commands)
        this.#world.client('close a withdrawal', () => this.#closeOrder(draw, id, command === 'fail'))
      return `${name}: ${short(id)}`
    }
    return { name, weight, run, ...(fault !== undefined && { fault }) }
  }

  async #closeOrder(draw: Draw, id: string, fails: boolean): Promise<void> {
    const restores = this.#restores
    const closed = await request(this.#world, draw, ({ payouts }) =>
      fails ? payouts.markFailed(id, 'no such account') : payouts.markPaidOut(id, 'by hand'),
    )
    if (closed && restores === this.#restores) this.#judge.answered(id)
  }

  /** An order is to be paid out: an eager operator closes it soon. */
  onDue({ public_id: id }: WithdrawalRow): void {
    const draw = this.#draw
    if (this.#world.healed || !draw.chance(this.#eagerness)) return
    const { scheduler } = this.#world
    const steps = draw.int(0, MAX_EAGER_STEPS)
    runAs(WORLD, () =>
      this.#world.client('close a withdrawal', async () => {
        for (let i = 0; i <= steps; i++) await scheduler.yield()
        await this.#closeOrder(draw, id, draw.chance(0.4))
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
  }

  /** After the faults the operator pays by hand what waits for it. */
  settleWaiting(): void {
    if (this.#settling) return
    const waiting = readWithdrawals(this.#world).find(({ status }) => status === 'payout_processing')
    if (!waiting) return
    this.#settling = true
    this.#world.client('close a withdrawal', async () => {
      await this.#closeOrder(this.#draw, waiting.public_id, false)
      this.#settling = false
    })
  }
}
