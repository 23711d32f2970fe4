import { HttpClientError, type HttpResponse } from '@zatgate/server/ports/http-client'
import type { Draw } from '../../runtime/draw.ts'
import type { Tampering } from './quote.ts'

/** How the provider misbehaves at present. */
export interface ProviderFaults {
  /** No connection. */
  down: boolean
  /** Requests get no response. */
  hangs: boolean
  /** Responses take up to this time. */
  slowMs: number
  /** The probability of an unusable response: an error, a page, cut off. */
  failureRate: number
  /** Quotes are refused with status 400. */
  refuses: boolean
  /** The probability that a quote is made and its response lost. */
  lossRate: number
  /** The change made to quotes. */
  tampering: Tampering | null
  /** Quotes are old ones with the same terms. */
  replays: boolean
  /** The probability that a status is an earlier one. */
  staleRate: number
  /** The probability that a status is that of another order. */
  foreignRate: number
  /** The probability that a status is dated years ahead. */
  aheadRate: number
  /** New orders are unknown for this time. */
  unindexedMs: number
}

export const NO_FAULTS: ProviderFaults = {
  down: false,
  hangs: false,
  slowMs: 0,
  failureRate: 0,
  refuses: false,
  lossRate: 0,
  tampering: null,
  replays: false,
  staleRate: 0,
  foreignRate: 0,
  aheadRate: 0,
  unindexedMs: 0,
}

export function jsonResponse(status: number, text: string): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) }
}

export function unreachable(): HttpClientError {
  return new HttpClientError('unreachable', 'connection refused')
}

export function lostResponse(): HttpClientError {
  return new HttpClientError('reset', 'the connection was reset')
}

/** A response that says nothing about quotes or orders. */
export function failedResponse(draw: Draw): HttpResponse | HttpClientError {
  const page = (status: number) => jsonResponse(status, '<!DOCTYPE html><html><h1>Error</h1></html>')
  return draw.pick<() => HttpResponse | HttpClientError>([
    () => jsonResponse(401, '{"message":"Unauthorized - API key or JWT token is invalid"}'),
    () => page(403),
    () => jsonResponse(429, '{"message":"ThrottlerException: Too Many Requests"}'),
    () => page(502),
    () => page(200),
    () => jsonResponse(302, ''),
    () => jsonResponse(200, '{"quote":{"amountIn":"1'),
    () => jsonResponse(200, '{}'),
    () => jsonResponse(400, '<html>Bad Request</html>'),
    () => lostResponse(),
    () => new HttpClientError('too_large', 'the response is too large'),
  ])()
}
