import { boolean, definedFields, invalidField, oneOf, optional, text } from '../http/fields.ts'
import { type JsonRequest, post, type Route } from '../http/json-server.ts'
import { RATE_PAIRS, RATE_RESPONSES, RATE_SOURCES, type Rates, type RatesFaults } from '../rates.ts'

/** The route that sets the prices and the faults of the rate sources. */
export function rateRoutes(rates: Rates): Route[] {
  function set({ body }: JsonRequest) {
    const change = definedFields<RatesFaults>({
      down: optional(body, 'down', boolean),
      hang: optional(body, 'hang', boolean),
      response: optional(body, 'response', oneOf(RATE_RESPONSES)),
    })
    const pair = optional(body, 'pair', oneOf(RATE_PAIRS))
    const source = optional(body, 'source', oneOf(RATE_SOURCES))
    if (pair !== undefined) rates.setPrice(pair, price(body), source)
    return Object.assign(source === undefined ? rates.faults : rates.faultsOf[source], change)
  }
  return [
    post(
      '/rates',
      'Sets a price, or the faults, of one rate source or of all.',
      ['source', 'pair', 'price', 'down', 'hang', 'response'],
      set,
    ),
  ]
}

function price(body: JsonRequest['body']): string {
  const value = text(body, 'price')
  if (!/^\d{1,12}(\.\d{1,12})?$/.test(value)) throw invalidField('price', 'must be a string of decimal digits')
  return value
}
