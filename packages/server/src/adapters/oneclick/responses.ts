import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { SwapAsset } from '../../ports/repository/swap.ts'

/** An answer that is not what the provider's documentation promises. The message says where. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

const MAX_ASSETS = 10_000
const MAX_MESSAGE_CHARS = 500
/** The coin that invoices ask for, in both forms of its id. */
export const ZEC_IDS: readonly string[] = ['nep141:zec.omft.near', '1cs_v1:zec:native:coin']

const Digits = Type.String({ pattern: '^[0-9]{1,40}$' })
const Printable = Type.String({ pattern: '^[\\x21-\\x7e]{1,512}$' })
const Instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' })
const Words = Type.String({ pattern: '^[^\\p{Cc}]{1,64}$' })
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** Only what we read is checked: the provider adds members as it likes. */
const Asset = Type.Object({
  assetId: Printable,
  decimals: Type.Integer({ minimum: 0, maximum: 77 }),
  blockchain: Words,
  symbol: Words,
  price: Type.Number({ minimum: 0 }),
})

const Quote = Type.Object({
  timestamp: Instant,
  signature: Type.String(),
  quoteRequest: Type.Object({
    dry: Type.Boolean(),
    swapType: Type.String(),
    amount: Digits,
    recipient: Type.String(),
    refundTo: Type.String(),
    destinationAsset: Type.String(),
    deadline: Instant,
  }),
  quote: Type.Object({
    amountIn: Digits,
    amountInUsd: Type.String({ pattern: '^[0-9]{1,30}(\\.[0-9]{1,30})?$' }),
    minAmountIn: Digits,
    amountOut: Digits,
    minAmountOut: Digits,
    timeEstimate: Type.Number({ minimum: 0, maximum: 31_536_000 }),
    /** A dry run has no address, and nothing that comes with one. */
    depositAddress: Type.Optional(orNull(Printable)),
    depositMemo: Type.Optional(orNull(Type.String({ pattern: '^[\\x20-\\x7e]{0,512}$' }))),
    deadline: Type.Optional(orNull(Instant)),
  }),
})

const Status = Type.Object({
  status: Type.String({ pattern: '^[\\x21-\\x7e]{1,64}$' }),
  updatedAt: Instant,
  quoteResponse: Type.Object({ quote: Type.Object({ depositAddress: Type.String() }) }),
})

const Refusal = Type.Object({ message: Type.Union([Type.String(), Type.Array(Type.String())]) })

const shapes = {
  assets: Compile(Type.Array(Type.Unknown(), { maxItems: MAX_ASSETS })),
  asset: Compile(Asset),
  quote: Compile(Quote),
  status: Compile(Status),
  refusal: Compile(Refusal),
}

export type QuoteAnswer = Static<typeof Quote>
export type StatusAnswer = Static<typeof Status>

/** GET /v0/tokens. Rows that make no sense, or no longer count, are left out. @throws Unreadable */
export function readAssets(text: string): SwapAsset[] {
  const rows = parse(text, shapes.assets)
  const found = new Map<string, SwapAsset>()
  for (const row of rows) {
    if (!shapes.asset.Check(row)) continue
    const { assetId, symbol, blockchain, decimals, price } = row
    if (ZEC_IDS.includes(assetId) || symbol.includes('_(DEPRECATED)') || found.has(assetId)) continue
    found.set(assetId, { assetId, symbol, blockchain, decimals, priceUsd: price })
  }
  return [...found.values()]
}

/** POST /v0/quote. @throws Unreadable */
export function readQuote(text: string): QuoteAnswer {
  return parse(text, shapes.quote)
}

/** GET /v0/status. @throws Unreadable */
export function readStatus(text: string): StatusAnswer {
  return parse(text, shapes.status)
}

/** What the provider says to a request that it refuses; null for what is no such answer. */
export function readRefusal(text: string): string | null {
  const value = jsonOf(text)
  if (!shapes.refusal.Check(value)) return null
  const message = [value.message]
    .flat()
    .join('; ')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  return message === '' ? null : message.slice(0, MAX_MESSAGE_CHARS)
}

interface Shape<T> {
  Check(value: unknown): value is T
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[]
}

function parse<T>(text: string, shape: Shape<T>): T {
  const value = jsonOf(text)
  if (value === undefined) throw new Unreadable('not JSON')
  if (shape.Check(value)) return value
  const [problem] = shape.Errors(value)
  throw new Unreadable(`${problem?.instancePath || 'the answer'} ${problem?.message ?? 'is not as documented'}`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
