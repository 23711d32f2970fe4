import { parsePrice } from '../../domain/rate.ts'
import type { HttpClient } from '../../ports/http-client.ts'

const DEADLINE_MS = 5_000
const MAX_BYTES = 256 * 1024

/** The part of an HTTP client that sources of rates need. */
export type TickerHttp = Pick<HttpClient, 'send'>

/**
 * Reads a public ticker. Numbers of the JSON become strings of their digits, so that no price is rounded.
 * @throws for every status but 200, also for a redirect, and for a body that is not JSON or too large
 */
export async function readTicker(http: TickerHttp, url: string): Promise<unknown> {
  const { status, body } = await http.send({
    method: 'GET',
    url,
    headers: { accept: 'application/json', 'user-agent': 'zatgate' },
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
  })
  if (status !== 200) throw new Error(`the rate source responded with status ${status}`)
  return JSON.parse(Buffer.from(body).toString(), digitsOf as (key: string, value: unknown) => unknown)
}

/** `context.source` is the text of a number in the JSON; the types of the language do not know it yet. */
function digitsOf(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  return typeof value === 'number' ? context.source : value
}

/** A member of a JSON object; undefined for everything else. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}

/** @throws when the value is not a positive decimal number */
export function requirePrice(value: unknown, currency: string): string {
  const price = typeof value === 'string' ? parsePrice(value) : null
  if (price === null) throw new Error(`the rate source has no price of ZEC in ${currency}`)
  return price
}
