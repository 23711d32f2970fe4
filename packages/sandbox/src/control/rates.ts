import { boolean, definedFields, invalidField, oneOf, optional, text } from '../http/fields.ts'
import type { JsonRequest, Route } from '../http/json-server.ts'
import type { Rates, RatesFaults } from '../rates.ts'

/** The route that sets the prices and the faults of the rate source. */
export function rateRoutes(rates: Rates): Route[] {
  function set({ body }: JsonRequest) {
    const change = definedFields<RatesFaults>({
      down: optional(body, 'down', boolean),
      hang: optional(body, 'hang', boolean),
      response: optional(body, 'response', oneOf(['ticker', 'error', 'html', 'no_pair', 'zero', 'not_a_number'])),
    })
    const pair = optional(body, 'pair', oneOf(['ZECUSD', 'ZECEUR']))
    if (pair !== undefined) rates.setPrice(pair, price(body))
    Object.assign(rates.faults, change)
    return rates.faults
  }
  return [
    {
      method: 'POST',
      path: '/rates',
      effect: 'Sets a price, or the faults of the rate source.',
      fields: ['pair', 'price', 'down', 'hang', 'response'],
      handle: set,
    },
  ]
}

function price(body: JsonRequest['body']): string {
  const value = text(body, 'price')
  if (!/^\d{1,12}(\.\d{1,12})?$/.test(value)) throw invalidField('price', 'must be a string of decimal digits')
  return value
}
