import { AppError } from '@zatgate/server/domain/error'
import type { Rule } from '../../rules.ts'
import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { passTime } from '../../world/passage.ts'
import { RATES_MAX_AGE_SECS } from '../../world/rates.ts'
import type { World } from '../../world/world.ts'
import { request } from '../operator/request.ts'
import { isRemembered } from './idempotency.ts'
import { type AnsweredRequest, type Shop, short } from './shop.ts'
import { drawPrice, requestOf, type Terms, withMore } from './terms.ts'

/** Errors that answer a repeat. Others are bad luck. */
const ANSWERS: ReadonlySet<string> = new Set(['idempotency_key_reused', 'rate_unavailable'])

/** Merchants that repeat old requests, by mistake with other amounts too. */
export function repeatActions(world: World, shop: Shop): readonly Action[] {
  /** Sends the request again. Undefined when the process or its database has failed. */
  function repeat(draw: Draw, earlier: AnsweredRequest, terms: Terms): Promise<string | null | undefined> {
    const { merchant, idempotencyKey, expiresInSecs } = earlier
    return request(world, draw, async ({ apiKeys, invoices }) => {
      const account = (await apiKeys.authenticate(merchant.apiKey))?.account
      if (!account) return null
      try {
        const invoice = await invoices.create(account, { ...requestOf(terms), expiresInSecs, idempotencyKey })
        shop.shown(invoice)
        return invoice.publicId
      } catch (error) {
        // A repeat needs no rate.
        if (error instanceof AppError && ANSWERS.has(error.code)) return error.code
        throw error
      }
    })
  }

  function check(rule: Rule, earlier: AnsweredRequest, response: string | null | undefined, expected: string): void {
    if (response === undefined || !shop.answered.includes(earlier) || !isRemembered(world, earlier.atMs)) return
    if (response !== expected) world.fail(rule, `${earlier.idempotencyKey}: ${response}`)
  }

  function repetition(
    name: string,
    rule: Rule,
    change: (terms: Terms) => Terms,
    expected: (earlier: AnsweredRequest) => string,
  ): Action {
    return action(name, 1, draw => {
      if (shop.answered.length === 0) return undefined
      const earlier = draw.pick(shop.answered)
      world.client(name, async () => {
        check(rule, earlier, await repeat(draw, earlier, change(earlier.terms)), expected(earlier))
      })
      return `${earlier.merchant.name}: ${name}, for ${short(earlier.publicId)}`
    })
  }

  return [
    repetition(
      'repeat an old request',
      'a repeated request returns its invoice',
      terms => terms,
      ({ publicId }) => publicId,
    ),
    repetition(
      'repeat an old request with another amount',
      'an idempotency key belongs to one request',
      withMore,
      () => 'idempotency_key_reused',
    ),
    {
      name: 'repeat a request with a price when there is no rate',
      weight: 1.5,
      fault: 'a request with a price is repeated when its rate has changed or is gone',
      async run(draw) {
        const priced = () => shop.answered.findLast(({ terms }) => terms.price !== undefined)
        if (!priced()) {
          const terms = { price: drawPrice(draw) }
          world.client('create invoice', () => shop.requestInvoice(draw, draw.pick(shop.merchants), 3, { terms }))
          await world.scheduler.run()
        }
        const earlier = priced()
        if (!earlier) return undefined
        world.rates.jump()
        world.rates.down = draw.chance(0.7)
        await passTime(world, RATES_MAX_AGE_SECS + draw.int(1, 60), draw, { stops: 2 })
        world.client('repeat a request with a price', async () =>
          check(
            'a repeated request returns its invoice',
            earlier,
            await repeat(draw, earlier, earlier.terms),
            earlier.publicId,
          ),
        )
        return `${earlier.merchant.name} repeats the request for ${short(earlier.publicId)} at another time`
      },
    },
  ]
}
