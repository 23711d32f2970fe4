import { formatIsoMs } from '../../domain/time.ts'
import type { HttpClient, HttpRequest } from '../../ports/http-client.ts'
import type { QuoteRequest } from '../../ports/swap-provider.ts'
import { InvalidResponse } from './responses.ts'

/** Where the provider is, and how requests to it are sent. */
export interface OneClickAccess {
  readonly http: HttpClient
  /** Without a trailing slash. */
  readonly apiUrl: string
  /** Null: requests carry no key. */
  readonly apiKey: string | null
}

/** One request to the provider. */
export type Call = Pick<HttpRequest, 'method' | 'deadlineMs' | 'maxBytes'> & {
  readonly path: string
  readonly body?: string
  readonly signal: AbortSignal | undefined
}

interface CallResponse {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

export const LIMITS = {
  tokens: { deadlineMs: 10_000, maxBytes: 1024 * 1024 },
  quote: { deadlineMs: 15_000, maxBytes: 64 * 1024 },
  status: { deadlineMs: 5_000, maxBytes: 64 * 1024 },
} as const

/** Origin chains where deposits share an address and a memo tells them apart. */
export const MEMO_CHAINS: readonly string[] = ['stellar']
/** Largest difference between a quote's timestamp and this clock, in either direction. */
export const MAX_QUOTE_AGE_MS = 5 * 60 * 1000

const DESTINATION = 'nep141:zec.omft.near'
/** Slippage tolerance in basis points: how far below `amountIn` a deposit still executes. */
const SLIPPAGE_BASIS_POINTS = 100

/** Sends requests and reads their responses as UTF-8. @throws InvalidResponse for other bytes; the errors of the client */
export function createCaller({ http, apiUrl, apiKey }: OneClickAccess) {
  return async ({ path, body, signal, ...rest }: Call): Promise<CallResponse> => {
    const headers = {
      accept: 'application/json',
      'user-agent': 'zatgate',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(apiKey !== null && { 'x-api-key': apiKey }),
    }
    const response = await http.send({
      ...rest,
      url: `${apiUrl}${path}`,
      headers,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    const retryAfter = response.headers['retry-after']
    return { status: response.status, retryAfter, text: decode(response.body) }
  }
}

/** The body of POST /v0/quote. @param options `dry`: a price only, without a deposit address and without obligations */
export function quoteBody(
  { asset, amountZat, recipient, refundTo, deadline }: QuoteRequest,
  { dry }: { readonly dry: boolean },
): string {
  return JSON.stringify({
    dry,
    depositMode: MEMO_CHAINS.includes(asset.blockchain) ? 'MEMO' : 'SIMPLE',
    swapType: 'EXACT_OUTPUT',
    slippageTolerance: SLIPPAGE_BASIS_POINTS,
    originAsset: asset.assetId,
    depositType: 'ORIGIN_CHAIN',
    destinationAsset: DESTINATION,
    amount: amountZat.toString(),
    refundTo,
    refundType: 'ORIGIN_CHAIN',
    recipient,
    recipientType: 'DESTINATION_CHAIN',
    deadline: formatIsoMs(deadline),
  })
}

/** @throws InvalidResponse */
export function expectStatus(status: number, ...expected: readonly number[]): void {
  if (!expected.includes(status)) throw new InvalidResponse(`unexpected status ${status}`)
}

/** Unix milliseconds. @throws InvalidResponse */
export function parseInstantMs(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new InvalidResponse('invalid date')
  return ms
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new InvalidResponse('not UTF-8')
  }
}
