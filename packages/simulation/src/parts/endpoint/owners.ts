import type { Services } from '@zatgate/server/container'
import type { Account } from '@zatgate/server/domain/account/account'
import type { EventType } from '@zatgate/server/domain/notify/event'
import type { Action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { Receivers } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'
import { requestAs } from '../operator/request.ts'
import type { Merchant } from '../sale/shop.ts'
import { merchantAction } from '../webhook/common-actions.ts'
import type { EndpointJudge } from './judge.ts'
import type { KnownEndpoint } from './known-endpoint.ts'
import { isActive } from './ledger.ts'

const TYPES: readonly (readonly EventType[] | null)[] = [
  null,
  null,
  ['invoice.created', 'invoice.paid', 'invoice.expired'],
  ['invoice.paid', 'invoice.underpaid'],
]
const SCHEDULES = ['standard', 'persistent', 'persistent'] as const
const MAX_OF_MERCHANT = 4
const HOUR_SECS = 3_600

/** Merchants that manage their endpoints. */
export class EndpointOwners {
  readonly #world: World
  readonly #judge: EndpointJudge
  readonly #receivers: Receivers
  /** Requests so far, and those under way. */
  readonly #requests = { begun: 0, open: 0 }

  constructor(world: World, judge: EndpointJudge, receivers: Receivers) {
    this.#world = world
    this.#judge = judge
    this.#receivers = receivers
  }

  /** @param inspect called before each action */
  actions(inspect: () => void): readonly Action[] {
    const owner = (name: string, weight: number, run: (draw: Draw, merchant: Merchant) => Promise<void>) =>
      merchantAction({ world: this.#world, inspect }, name, weight, run)
    return [
      owner('create an endpoint', 4, (draw, merchant) => this.create(draw, merchant)),
      owner('change an endpoint', 2, (draw, merchant) => this.#change(draw, merchant)),
      owner('disable an endpoint', 1.5, (draw, merchant) => this.#disable(draw, merchant)),
      owner('resume an endpoint', 3, (draw, merchant) => this.resume(draw, merchant)),
      owner('remove an endpoint', 0.7, (draw, merchant) => this.#remove(draw, merchant)),
      owner('rotate the secret of an endpoint', 1.5, (draw, merchant) => this.#rotate(draw, merchant)),
      owner('send a test event to an endpoint', 2, (draw, merchant) => this.#test(draw, merchant)),
      owner('send an event to an endpoint again', 1.5, (draw, merchant) => this.#resend(draw, merchant)),
      owner('recover an endpoint', 3, (draw, merchant) => this.recover(draw, merchant)),
      owner('change an endpoint in several ways at once', 1, async (draw, merchant) => {
        await Promise.all([
          this.#change(draw, merchant),
          this.#test(draw, merchant),
          draw.chance(0.5) ? this.#disable(draw, merchant) : this.recover(draw, merchant),
          this.resume(draw, merchant),
        ])
      }),
    ]
  }

  /** Whether an endpoint has this URL. */
  uses(url: string): boolean {
    return this.#judge.urls().includes(url)
  }

  async create(draw: Draw, merchant: Merchant): Promise<void> {
    const { url } = draw.pick(this.#receivers.all)
    const terms = { url, types: draw.pick(TYPES), schedule: draw.pick(SCHEDULES) }
    const chosen = draw.chance(0.3) ? { secret: `a-secret-of-the-shop-${draw.hex(8)}` } : {}
    const { databaseReplacements } = this.#world
    const made = await requestAs(this.#world, draw, merchant, async ({ endpoints }, account) => {
      const existing = await endpoints.list(account)
      return existing.length < MAX_OF_MERCHANT ? endpoints.create(account, { ...terms, ...chosen }) : undefined
    })
    if (made && databaseReplacements === this.#world.databaseReplacements)
      this.#judge.created(made.endpoint.publicId, made.secret)
  }

  async #change(draw: Draw, merchant: Merchant): Promise<void> {
    const terms = draw.pick([
      { url: draw.pick(this.#receivers.all).url },
      { types: draw.pick(TYPES) },
      { schedule: draw.pick(SCHEDULES) },
      { enabled: true },
      { url: draw.pick(this.#receivers.all).url, types: draw.pick(TYPES), schedule: draw.pick(SCHEDULES) },
    ])
    await this.#ask(draw, merchant, (services, account, { row }) =>
      services.endpoints.change(account, row.public_id, terms),
    )
  }

  async #disable(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#ask(draw, merchant, ({ endpoints }, account, { row }) =>
      endpoints.change(account, row.public_id, { enabled: false }),
    )
  }

  /** Resumes an endpoint, if possible one that is paused or disabled. */
  async resume(draw: Draw, merchant: Merchant): Promise<void> {
    const recover = draw.chance(0.6)
    await this.#ask(
      draw,
      merchant,
      async ({ endpoints }, account, { row, stoppedAt, failingFrom }) => {
        const moment = this.#judge.now(row.public_id)
        if (recover) this.#judge.requests(row.public_id, { kind: 'recover' })
        if (recover || draw.chance(0.5)) await endpoints.resume(account, row.public_id, { recover })
        else await endpoints.change(account, row.public_id, { enabled: true })
        const isFailing = failingFrom !== null && failingFrom <= stoppedAt
        if (recover) return () => this.#judge.resumed(moment, isFailing ? failingFrom - 1n : stoppedAt)
      },
      ({ row }) => !isActive(row),
    )
  }

  async #remove(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#ask(draw, merchant, ({ endpoints }, account, { row }) => endpoints.remove(account, row.public_id))
  }

  async #rotate(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#ask(draw, merchant, ({ endpoints }, account, { row }) => endpoints.rotateSecret(account, row.public_id))
  }

  async #test(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#ask(draw, merchant, ({ endpoints }, account, { row }) => {
      this.#judge.requests(row.public_id, { kind: 'test' })
      return endpoints.test(account, row.public_id)
    })
  }

  async #resend(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#ask(draw, merchant, async ({ webhooks }, account) => {
      const deliveries = this.#judge.deliveriesOf(BigInt(account.id))
      if (deliveries.length === 0) return
      const delivery = draw.pick(deliveries)
      const kind =
        delivery.event_type === 'test'
          ? ({ kind: 'test' } as const)
          : ({ kind: 'resend', seq: delivery.event_seq } as const)
      this.#judge.requests(this.#judge.publicIdOf(delivery), kind)
      await webhooks.resend(account, delivery.public_id)
    })
  }

  async recover(draw: Draw, merchant: Merchant): Promise<void> {
    const hours = draw.pick([0.05, 1, 24, 60])
    await this.#ask(draw, merchant, async ({ endpoints }, account, { row }) => {
      const since = this.#world.nowSecs - hours * HOUR_SECS
      const moment = this.#judge.now(row.public_id)
      this.#judge.requests(row.public_id, { kind: 'recover' })
      await endpoints.recover(account, row.public_id, since)
      return () => this.#judge.recovered(moment, since)
    })
  }

  /**
   * Sends a request about one of the merchant's endpoints, then runs what `work` has returned, unless other requests may
   * have changed the endpoint meanwhile.
   * @param isMeant of the endpoint, if there is one
   */
  async #ask(
    draw: Draw,
    merchant: Merchant,
    work: Work,
    isMeant: (endpoint: KnownEndpoint) => boolean = () => true,
  ): Promise<void> {
    const { databaseReplacements } = this.#world
    const begun = ++this.#requests.begun
    this.#requests.open += 1
    const then = await requestAs(this.#world, draw, merchant, async (services, account) => {
      const endpoints = this.#judge.endpointsOf(BigInt(account.id))
      const meant = endpoints.filter(isMeant)
      const chosen = meant.length > 0 ? meant : endpoints
      return chosen.length === 0 ? undefined : work(services, account, draw.pick(chosen))
    }).finally(() => {
      this.#requests.open -= 1
    })
    const isAlone = begun === this.#requests.begun && this.#requests.open === 0
    if (typeof then === 'function' && isAlone && databaseReplacements === this.#world.databaseReplacements) then()
  }
}

type Work = (services: Services, account: Account, endpoint: KnownEndpoint) => Promise<unknown>
