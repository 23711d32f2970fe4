import type { Services } from '@zatgate/server/container'
import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { ReceiverMode, Receivers } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'
import { requestAs } from '../operator/request.ts'
import type { Merchant } from '../sale/shop.ts'
import { merchantAction, receiverFault } from './common-actions.ts'
import type { WebhookJudge } from './judge.ts'
import { lateSuccess } from './races.ts'

type Account = Parameters<Services['webhooks']['read']>[0]

/** The actions of merchants on their webhooks. */
export class WebhookOwners {
  readonly #world: World
  readonly #judge: WebhookJudge
  /** Requests so far, and those under way. */
  readonly #requests = { begun: 0, open: 0 }

  constructor(world: World, judge: WebhookJudge) {
    this.#world = world
    this.#judge = judge
  }

  async set(draw: Draw, merchant: Merchant, url: string): Promise<void> {
    await this.#request(draw, merchant, async (services, account) => {
      const check = this.#secretCheck(account)
      const { secret } = await services.webhooks.set(account, url)
      return () => {
        if (secret !== null) check(secret)
      }
    })
  }

  async remove(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#request(draw, merchant, async (services, account) => {
      await services.webhooks.remove(account)
      return undefined
    })
  }

  async rotate(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#request(draw, merchant, async (services, account) => {
      const check = this.#secretCheck(account)
      const secret = await services.webhooks.rotateSecret(account)
      return () => check(secret)
    })
  }

  async test(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#request(draw, merchant, async (services, account) => {
      this.#judge.requests(BigInt(account.id))
      const publicId = await services.webhooks.test(account)
      return () => this.#judge.answered(publicId)
    })
  }

  async resend(draw: Draw, merchant: Merchant): Promise<void> {
    await this.#request(draw, merchant, async (services, account) => {
      const ids = this.#judge.publicIdsOf(BigInt(account.id))
      if (ids.length === 0) return undefined
      const resent = draw.pick(ids)
      this.#judge.requests(BigInt(account.id), resent)
      const publicId = await services.webhooks.resend(account, resent)
      return () => this.#judge.answered(publicId)
    })
  }

  /** Sends one request to a random process, then runs what `work` has returned. */
  async #request(
    draw: Draw,
    merchant: Merchant,
    work: (services: Services, account: Account) => Promise<(() => void) | undefined>,
  ): Promise<void> {
    if (this.#world.running.length === 0) return
    this.#requests.begun += 1
    this.#requests.open += 1
    try {
      const then = await requestAs(this.#world, draw, merchant, work)
      then?.()
    } finally {
      this.#requests.open -= 1
    }
  }

  /** Checks a secret that the merchant receives, unless other requests may have replaced it in the same commit. */
  #secretCheck(account: Account): (secret: string) => void {
    const { begun, open } = this.#requests
    const count = this.#judge.secretCount(BigInt(account.id))
    return secret => {
      if (open === 1 && this.#requests.begun === begun) this.#judge.secretTold(BigInt(account.id), secret, count)
    }
  }
}

/** @param inspect called before each action */
export function webhookActions(
  world: World,
  receivers: Receivers,
  owners: WebhookOwners,
  inspect: () => void,
): readonly Action[] {
  const owner = (name: string, weight: number, run: (draw: Draw, merchant: Merchant) => Promise<void>) =>
    merchantAction({ world, inspect }, name, weight, run)
  const receiver = (mode: ReceiverMode, description: string) =>
    receiverFault({ receivers, inspect }, mode, { name: `a receiver ${mode}`, weight: 0.7, description })

  return [
    ...(world.setup.processes > 1 ? [lateSuccess(world, receivers, owners)] : []),
    owner('set the webhook', 3, (draw, merchant) => owners.set(draw, merchant, draw.pick(receivers.all).url)),
    owner('delete the webhook', 1, (draw, merchant) => owners.remove(draw, merchant)),
    owner('rotate the secret', 2, (draw, merchant) => owners.rotate(draw, merchant)),
    owner('send a test event', 4, (draw, merchant) => owners.test(draw, merchant)),
    owner('send many test events', 1, async (draw, merchant) => {
      await Promise.all(Array.from({ length: draw.int(3, 12) }, () => owners.test(draw, merchant)))
    }),
    owner('send a delivery again', 2, (draw, merchant) => owners.resend(draw, merchant)),
    owner('change the webhook in several ways at once', 1, async (draw, merchant) => {
      const { url } = draw.pick(receivers.all)
      await Promise.all([
        owners.set(draw, merchant, url),
        owners.test(draw, merchant),
        draw.chance(0.5) ? owners.remove(draw, merchant) : owners.rotate(draw, merchant),
        owners.resend(draw, merchant),
      ])
    }),
    receiver('mixed', 'a receiver treats each request in another way'),
    receiver('slow', 'a receiver responds late'),
    receiver('hangs', 'a receiver never responds'),
    receiver('fails', 'a receiver responds with errors'),
    receiver('redirects', 'a receiver responds with redirects'),
    receiver('breaks off', 'a receiver breaks responses off'),
    receiver('refuses', 'a receiver cannot be reached'),
    action('the receivers work', 3, () => {
      inspect()
      receivers.repair()
      return 'the receivers work'
    }),
  ]
}
