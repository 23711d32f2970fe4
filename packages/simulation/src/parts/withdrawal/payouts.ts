import { type Action, action } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { runAs, WORLD } from '../../runtime/scheduler.ts'
import { isFresh } from '../../world/rates.ts'
import type { World } from '../../world/world.ts'
import { request } from '../operator/request.ts'
import { short } from '../sale/shop.ts'
import type { WithdrawalJudge } from './judge.ts'
import { readWithdrawals, type WithdrawalRow } from './ledger.ts'

/** How late the database is while two operators close a withdrawal. */
const LATE_MS = 1_000

/** Steps after which an eager operator has closed an order that is to be paid out. */
const MAX_EAGER_STEPS = 40

/** The operator's side of withdrawals: the persons who pay by hand. */
export class PayoutOperator {
  readonly #world: World
  readonly #judge: WithdrawalJudge
  readonly #draw: Draw
  /** The probability that the operator closes an order as soon as it is to be paid out. */
  readonly #eagerness: number
  #settling = false

  constructor(world: World, judge: WithdrawalJudge) {
    this.#world = world
    this.#judge = judge
    this.#draw = new Draw(world.nextSeed(), 'withdrawals')
    this.#eagerness = this.#draw.pick([0, 0, 0.8])
  }

  get actions(): readonly Action[] {
    return [
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

  /** Operators close an order at once, each by a command. */
  #close(name: string, weight: number, commands: readonly ('settle' | 'fail')[], description?: string): Action {
    const run = (draw: Draw) => {
      const orders = readWithdrawals(this.#world).filter(
        ({ status }) => status === 'payout_processing' || status === 'needs_attention',
      )
      if (orders.length === 0) return undefined
      const { public_id: id } = draw.pick(orders)
      if (description !== undefined) this.#world.storeFailures.late = { table: 'withdrawals', count: 1, ms: LATE_MS }
      for (const command of commands)
        this.#world.client('close a withdrawal', () => this.#closeOrder(draw, id, command === 'fail'))
      return `${name}: ${short(id)}`
    }
    return action(name, weight, run, description)
  }

  async #closeOrder(draw: Draw, id: string, fails: boolean): Promise<void> {
    const { databaseReplacements } = this.#world
    const closed = await request(this.#world, draw, ({ payouts }) =>
      fails ? payouts.markFailed(id, 'no such account') : payouts.markPaidOut(id, 'by hand'),
    )
    if (closed && databaseReplacements === this.#world.databaseReplacements) this.#judge.answered(id)
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
    const given = this.#world.rates.given(rate)
    if (given === null) {
      this.#world.fail('the rate of an order comes from the source', `${short(id)}: ${rate}`)
      return
    }
    if (!isFresh(this.#world, given.trueMs, requestedMs))
      this.#world.fail(
        'the rate of an order has a bounded age',
        `${short(id)}: ${(requestedMs - given.trueMs) / 1000} s`,
      )
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
