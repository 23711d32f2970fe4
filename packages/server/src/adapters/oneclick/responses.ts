import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { SwapAsset } from '../../ports/swap-provider.ts'

/** The provider's response does not match its documentation. The message names the invalid part. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse'
}

const MAX_ASSETS = 10_000
const MAX_MESSAGE_CHARS = 500
/** ZEC, in both forms of its asset id. */
export const ZEC_IDS: readonly string[] = ['nep141:zec.omft.near', '1cs_v1:zec:native:coin']

const Digits = Type.String({ pattern: '^[0-9]{1,40}$' })
const Printable = Type.String({ pattern: '^[\\x21-\\x7e]{1,512}$' })
const Instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' })
const Label = Type.String({ pattern: '^[^\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]{1,64}$' })
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** Only the members in use are checked: the provider may add others. */
const Asset = Type.Object({
  assetId: Printable,
  decimals: Type.Integer({ minimum: 0, maximum: 77 }),
  blockchain: Label,
  symbol: Label,
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
    /** Missing in a dry run, like `depositMemo` and `deadline`. */
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

const ErrorBody = Type.Object({ message: Type.Union([Type.String(), Type.Array(Type.String())]) })

const schemas = {
  assets: Compile(Type.Array(Type.Unknown(), { maxItems: MAX_ASSETS })),
  asset: Compile(Asset),
  quote: Compile(Quote),
  status: Compile(Status),
  error: Compile(ErrorBody),
}

export type QuoteResponse = Static<typeof Quote>
export type StatusResponse = Static<typeof Status>

/** GET /v0/tokens. Invalid and deprecated entries are left out. @throws InvalidResponse */
export function parseAssets(text: string): SwapAsset[] {
  const entries = parseAs(text, schemas.assets)
  const found = new Map<string, SwapAsset>()
  for (const entry of entries) {
    if (!schemas.asset.Check(entry)) continue
    const { assetId, symbol, blockchain, decimals, price } = entry
    if (ZEC_IDS.includes(assetId) || symbol.includes('_(DEPRECATED)') || found.has(assetId)) continue
    found.set(assetId, { assetId, symbol, blockchain, decimals, priceUsd: price })
  }
  return [...found.values()]
}

/** POST /v0/quote. @throws InvalidResponse */
export function parseQuote(text: string): QuoteResponse {
  return parseAs(text, schemas.quote)
}

/** GET /v0/status. @throws InvalidResponse */
export function parseStatus(text: string): StatusResponse {
  return parseAs(text, schemas.status)
}

/** The message of an error response; null if the text is not a documented error body. */
export function parseErrorMessage(text: string): string | null {
  const value = parseJson(text)
  if (!schemas.error.Check(value)) return null
  const message = [value.message]
    .flat()
    .join('; ')
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  return message === '' ? null : message.slice(0, MAX_MESSAGE_CHARS)
}

interface Schema<T> {
  Check(value: unknown): value is T
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[]
}

function parseAs<T>(text: string, schema: Schema<T>): T {
  const value = parseJson(text)
  if (value === undefined) throw new InvalidResponse('not JSON')
  if (schema.Check(value)) return value
  const [problem] = schema.Errors(value)
  throw new InvalidResponse(
    `${problem?.instancePath || 'the response'} ${problem?.message ?? 'does not match the documentation'}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
