import { type Action, action, fault } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { request, requestAs } from '../operator/request.ts'
import { type Merchant, short } from '../sale/shop.ts'
import type { DeletionJudge } from './judge.ts'

/** A merchant that will delete its account. */
interface Leaver {
  readonly merchant: Merchant
  readonly payoutTo: string
  /** `leaving` from the moment in which it requests the deletion; `kept` after it has canceled the request. */
  state: 'open' | 'leaving' | 'kept'
  /** Its requests that have no response yet: they end before it leaves. */
  busy: number
}

/** Merchants that open an account, sell, and delete it while something is open. */
export class Leavers {
  readonly #world: World
  readonly #judge: DeletionJudge
  #leavers: Leaver[] = []
  #count = 0

  constructor(world: World, judge: DeletionJudge) {
    this.#world = world
    this.#judge = judge
    // A backup may lack any of the accounts, and their requests.
    world.onRestore(() => {
      this.#leavers = []
    })
  }

  get actions(): readonly Action[] {
    const { setup } = this.#world
    const join = action('a merchant joins for a while', 4, draw => this.#join(draw))
    const sell = action('a leaving merchant sells', 6, draw => this.#sell(draw))
    const withdraw = action('a leaving merchant withdraws', 6, draw => this.#withdraw(draw))
    const leave = action('a merchant requests the deletion of its account', 6, draw => this.#leave(draw))
    const wait = action('days pass until a deletion', 6, draw => this.#daysPass(draw))
    const keep = action('a merchant keeps its account', 3, draw => this.#keep(draw))
    const ahead = fault(
      'a clock is far ahead while an account waits for its deletion',
      4,
      'the clock of a process passes the wait for a deletion, and is corrected after the next cleanup',
      draw => this.#clockAhead(draw),
    )
    const withdraws = setup.parts.includes('withdrawal') ? [withdraw] : []
    return [
      join,
      sell,
      ...withdraws,
      leave,
      wait,
      keep,
      ahead,
      action('a merchant joins, sells and leaves', 16, async draw => {
        // An account that has sold nothing can be deleted first.
        const sales = draw.chance(0.75) ? [sell, sell, ...withdraws, ...withdraws, sell] : []
        const faults = draw.chance(0.2) ? [ahead] : []
        const steps = [join, ...sales, leave, ...faults, ...(draw.chance(0.3) ? [keep] : []), wait, wait]
        for (const step of steps) {
          if (step !== join && step !== leave && draw.chance(0.3)) continue
          await step.run(draw)
          await this.#world.runFor(draw.int(1, 20) * 1_000)
          if (draw.chance(0.5)) this.#world.mine()
        }
        return 'a merchant has joined, sold and left'
      }),
    ]
  }

  #newLeaver(draw: Draw): Leaver {
    const number = ++this.#count
    const merchant = {
      name: `leaver ${number}`,
      email: `leaver-${number}@example.org`,
      viewingKeys: [`uview-leaver-${number}`],
      apiKey: '',
    }
    return { merchant, payoutTo: `LEAVER ${number} ${draw.int(1_000, 9_999)}`, state: 'open', busy: 0 }
  }

  /** A merchant that has joined and does not leave yet. */
  get #open(): Leaver | undefined {
    return this.#leavers.find(({ state, merchant }) => state === 'open' && merchant.apiKey !== '')
  }

  /** Sends the requests of a merchant in the background. */
  #send(name: string, leaver: Leaver, work: () => Promise<void>): string {
    leaver.busy += 1
    this.#world.client(name, () =>
      work().finally(() => {
        leaver.busy -= 1
      }),
    )
    return `${leaver.merchant.name}: ${name}`
  }

  #join(draw: Draw): string | undefined {
    if (this.#leavers.some(({ state }) => state === 'open')) return undefined
    const leaver = this.#newLeaver(draw)
    const { merchant } = leaver
    this.#leavers.push(leaver)
    return this.#send('join', leaver, async () => {
      await request(this.#world, draw, async services => {
        const found = await services.accounts.findOrCreate(merchant.email)
        const { account } = await services.viewingKeys.set(found, merchant.viewingKeys[0]!)
        if (this.#world.setup.parts.includes('webhook') && draw.chance(0.7))
          await services.webhooks.set(account, 'https://receiver-1.example.org/webhook')
        merchant.apiKey = (await services.apiKeys.create(account, 'shop')).key
      })
    })
  }

  #sell(draw: Draw): string | undefined {
    const leaver = this.#open
    if (!leaver) return undefined
    const { shop } = this.#world
    return this.#send('sell', leaver, async () => {
      const { length } = shop.invoices
      await shop.requestInvoice(draw, leaver.merchant, 1)
      const invoice = shop.invoices[length]
      if (!invoice || draw.chance(0.5)) return
      pay(this.#world, draw, [{ address: invoice.address, valueZat: invoice.amountZat }], { expiryHeight: 0 })
    })
  }

  /** Its deposit is paid, so that the operator will owe the payout. */
  #withdraw(draw: Draw): string | undefined {
    const leaver = this.#open
    if (!leaver) return undefined
    const { merchant, payoutTo } = leaver
    const world = this.#world
    return this.#send('withdraw', leaver, async () => {
      const terms = { amountZat: 50_000_000n, fiatCurrency: 'USD', payoutTo, idempotencyKey: undefined }
      const order = await requestAs(world, draw, merchant, ({ withdrawals }, account) =>
        withdrawals.create(account, terms),
      )
      if (!order) return
      const { address, amountZat: valueZat } = order.invoice
      world.shop.received(merchant, order.invoice)
      pay(world, draw, [{ address, valueZat }], { expiryHeight: 0 })
    })
  }

  #leave(draw: Draw): string | undefined {
    const leaver = this.#open
    if (!leaver || leaver.busy > 0) return undefined
    const { merchant, payoutTo } = leaver
    leaver.state = 'leaving'
    this.#judge.words.set(merchant.email, [merchant.email, payoutTo])
    return this.#send('request the deletion of the account', leaver, async () => {
      const isAnswered = await requestAs(this.#world, draw, merchant, async ({ accountDeletions }, account) => {
        await accountDeletions.request(account)
        return true
      })
      if (isAnswered) await this.#sellAfterwards(draw, leaver)
    })
  }

  #keep(draw: Draw): string | undefined {
    const leaver = this.#leavers.find(({ state }) => state === 'leaving')
    if (!leaver || leaver.busy > 0) return undefined
    const { merchant } = leaver
    return this.#send('keep the account', leaver, async () => {
      const isAnswered = await requestAs(this.#world, draw, merchant, async ({ accountDeletions }, account) => {
        await accountDeletions.cancel(account)
        return true
      })
      // A database that was replaced meanwhile may not know of it.
      if (!isAnswered || !this.#leavers.includes(leaver)) return
      leaver.state = 'kept'
      this.#judge.keepers.add(merchant.email)
    })
  }

  async #daysPass(draw: Draw): Promise<string | undefined> {
    const world = this.#world
    if (!this.#leavers.some(({ state }) => state !== 'open')) return undefined
    const days = draw.pick([3, 7, 8, 11])
    // A process first records its last reading: these are not the days of an outage.
    await world.runFor(1_000)
    world.scheduler.advance(days * 86_400_000)
    for (let blocks = 0; blocks < MEDIAN_BLOCKS; blocks++) world.mine()
    await world.runFor(CLEANUP_MS)
    return `${days} days pass`
  }

  async #clockAhead(draw: Draw): Promise<string | undefined> {
    const world = this.#world
    if (world.healed || !this.#leavers.some(({ state }) => state === 'leaving')) return undefined
    const process = draw.pick(world.processes)
    const days = draw.int(8, 20)
    world.setClockError(process, days * 86_400_000)
    await world.runFor(CLEANUP_MS)
    world.setClockError(process, 0)
    return `the clock of ${process.name} was ${days} days ahead for ${CLEANUP_MS / 60_000} minutes`
  }

  /** Its API key was revoked with the request. */
  async #sellAfterwards(draw: Draw, leaver: Leaver): Promise<void> {
    const { merchant } = leaver
    const sold = await request(this.#world, draw, async services => {
      const account = (await services.apiKeys.authenticate(merchant.apiKey))?.account
      // A database that was replaced meanwhile may not know of the request.
      if (!account || !this.#leavers.includes(leaver)) return null
      this.#world.fail('an API key of an account that is being deleted does not work', merchant.email)
      return services.invoices.create(account, { amountZat: 1_000n, expiresInSecs: 60, idempotencyKey: undefined })
    })
    if (sold) this.#world.fail('an account that is being deleted sells nothing', `invoice ${short(sold.publicId)}`)
  }
}

/** The chain knows the time by as many blocks. */
const MEDIAN_BLOCKS = 12
/** Longer than the cleanup waits. */
const CLEANUP_MS = 660_000
