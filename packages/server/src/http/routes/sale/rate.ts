import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { invalidField } from '../../../domain/error.ts'
import { isRateCurrency, type Rate } from '../../../domain/rate.ts'
import type { Rates } from '../../../ports/rate.ts'
import type { App } from '../../app.ts'
import { CrossRateSchema, responses, UnixSecs, wireObject, wireQuery } from '../../schema.ts'

const MAX_CURRENCIES = 20

const RatesQuery = wireQuery<Wire.RatesQuery>()({
  currency: Type.Optional(
    Type.String({
      maxLength: 200,
      description: `At most ${MAX_CURRENCIES}, separated by commas: ISO 4217 in any case, or BTC. Default: those of withdrawals.`,
    }),
  ),
})

const RateSchema = wireObject<Wire.Rate>()('Rate', {
  currency: Type.String(),
  price: Type.String({ description: 'The price of 1 ZEC. Decimal.' }),
  fetched_at: UnixSecs('When the oldest price of a source was true.'),
  sources: Type.Array(Type.String(), { description: 'The sources that agree within 3 %.' }),
  cross: Type.Optional(CrossRateSchema),
})

const RateListSchema = wireObject<Wire.RateList>()('RateList', { rates: Type.Array(RateSchema) })

function presentRate({ currency, price, fetchedAt, sources, cross }: Rate): Wire.Rate {
  return { currency, price, fetched_at: fetchedAt, sources: [...sources], ...(cross && { cross: { ...cross } }) }
}

/** @throws AppError `invalid_currency` */
function parseCurrencies(text: string): string[] {
  const currencies = [...new Set(text.toUpperCase().split(','))]
  if (currencies.length <= MAX_CURRENCIES && currencies.every(isRateCurrency)) return currencies
  throw invalidField('currency', `at most ${MAX_CURRENCIES} currency codes of ISO 4217 or BTC, separated by commas`)
}

interface RateDeps {
  readonly rates: Rates
  /** The currencies of a request that names none. */
  readonly currencies: readonly string[]
}

export function rateRoutes(app: App, { rates, currencies }: RateDeps): void {
  app.get(
    '/v1/rates',
    {
      config: { cors: true, rate: 'read', access: 'public', errors: ['rate_unavailable'] },
      schema: {
        operationId: 'rates',
        summary: 'Read what 1 ZEC costs now',
        description:
          'The median of the sources that agree. Without a fresh rate in one of the currencies, the response is 503.',
        tags: ['invoices'],
        querystring: RatesQuery,
        response: responses(RateListSchema),
      },
    },
    async ({ query }) => {
      const asked = query.currency === undefined ? currencies : parseCurrencies(query.currency)
      return { rates: (await Promise.all(asked.map(currency => rates.rate(currency)))).map(presentRate) }
    },
  )
}
