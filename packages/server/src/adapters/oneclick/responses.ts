import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { Compile } from 'typebox/schema'
import type { DepositReport, SwapAsset } from '../../ports/swap-provider.ts'

/** The provider's response does not match its documentation. The message names the invalid part. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse'
}

/** The provider lists some hundred. */
const MAX_ASSETS = 2_000
/** Members of an asset; more are not read. */
const MAX_ASSET_CHARS = { assetId: 512, blockchain: 64, symbol: 64 } as const
/** Characters of a quote, a status or an error that are parsed. */
const MAX_CHARS = 64 * 1024
/** Lists, objects and members of a response. A quote has about 60. */
const MAX_ITEMS = { tokens: 40_000, other: 1_000 } as const
const MAX_MESSAGE_CHARS = 500
/** Messages of an error that are joined. */
const MAX_MESSAGES = 10
/** ZEC, in both forms of its asset id. */
export const ZEC_IDS: readonly string[] = ['nep141:zec.omft.near', '1cs_v1:zec:native:coin']

const Digits = Type.String({ pattern: '^[0-9]{1,40}$' })
const Printable = Type.String({ pattern: '^[\\x21-\\x7e]{1,512}$' })
const Instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' })
const Label = Type.String({ pattern: '^[^\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]{1,64}$' })
const Usd = Type.String({ pattern: '^[0-9]{1,30}(\\.[0-9]{1,30})?$' })
const Hashes = Type.Array(Type.Object({ hash: Printable }), { minItems: 1 })
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** Only the members in use are checked: the provider may add others. */
const Asset = Type.Object({
  assetId: Printable,
  decimals: Type.Integer({ minimum: 0, maximum: 77 }),
  blockchain: Label,
  symbol: Label,
  price: Type.Number({ minimum: 0 }),
  contractAddress: Type.Optional(Type.Unknown()),
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
    amountInUsd: Usd,
    /** For display only, so it is read by `parseUsd` and refuses no quote. */
    amountOutUsd: Type.Optional(Type.Unknown()),
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
  /** For display only, so it is read by `parseDeposit` and refuses no status. */
  swapDetails: Type.Optional(Type.Unknown()),
})

const Details = Type.Object({
  depositedAmount: Type.Optional(Type.Unknown()),
  refundedAmount: Type.Optional(Type.Unknown()),
  refundReason: Type.Optional(Type.Unknown()),
  originChainTxHashes: Type.Optional(Type.Unknown()),
})

const ErrorBody = Type.Object({ message: Type.Union([Type.String(), Type.Array(Type.String())]) })

const schemas = {
  asset: Compile(Asset),
  quote: Compile(Quote),
  status: Compile(Status),
  error: Compile(ErrorBody),
  details: Compile(Details),
  digits: Compile(Digits),
  label: Compile(Label),
  printable: Compile(Printable),
  usd: Compile(Usd),
  hashes: Compile(Hashes),
}

export type QuoteResponse = Static<typeof Quote>
export type StatusResponse = Static<typeof Status>

/**
 * GET /v0/tokens. Invalid and deprecated entries are left out. Only the members in use of the first 2,000 entries are
 * read, and none that is too long.
 * @throws InvalidResponse
 */
export function parseAssets(text: string): SwapAsset[] {
  const entries = parseJson(text, MAX_ITEMS.tokens)
  if (!Array.isArray(entries)) throw new InvalidResponse('the list of assets is not a JSON array')
  if (entries.length > MAX_ASSETS) throw new InvalidResponse(`the list has more than ${MAX_ASSETS} assets`)
  const zecPrice = priceOfZec(entries)
  const found = new Map<string, SwapAsset>()
  for (const entry of entries) {
    if (!isShort(entry) || !schemas.asset.Check(entry)) continue
    const { assetId, symbol, blockchain, decimals, price } = entry
    if (ZEC_IDS.includes(assetId) || symbol.includes('_(DEPRECATED)') || found.has(assetId)) continue
    const perZec = price > 0 && Number.isFinite(zecPrice / price) ? zecPrice / price : 0
    const contractAddress = printableOrNull(entry.contractAddress)
    found.set(assetId, { assetId, symbol, blockchain, decimals, priceUsd: price, perZec, contractAddress })
  }
  return [...found.values()]
}

/** 0: not known. */
function priceOfZec(entries: readonly unknown[]): number {
  const isZec = (entry: unknown) => isShort(entry) && schemas.asset.Check(entry) && ZEC_IDS.includes(entry.assetId)
  return (entries.find(isZec) as { readonly price: number } | undefined)?.price ?? 0
}

function printableOrNull(value: unknown): string | null {
  return typeof value === 'string' && value.length <= 512 && schemas.printable.Check(value) ? value : null
}

/** Whether no text of an entry is so long that it is not worth a regular expression. */
function isShort(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  return Object.entries(MAX_ASSET_CHARS).every(([name, max]) => {
    const value: unknown = (entry as Record<string, unknown>)[name]
    return typeof value === 'string' && value.length <= max
  })
}

/** POST /v0/quote. @throws InvalidResponse */
export function parseQuote(text: string): QuoteResponse {
  return parseAs(text, schemas.quote)
}

/** GET /v0/status. @throws InvalidResponse */
export function parseStatus(text: string): StatusResponse {
  return parseAs(text, schemas.status)
}

/** The deposit in the `swapDetails` of a status. What is missing or not as documented is null. */
export function parseDeposit(details: unknown): DepositReport {
  const { depositedAmount, refundedAmount, refundReason, originChainTxHashes } = schemas.details.Check(details)
    ? details
    : {}
  const amount = (value: unknown) => (schemas.digits.Check(value) ? BigInt(value) : null)
  return {
    deposited: amount(depositedAmount),
    refunded: amount(refundedAmount),
    refundReason: schemas.label.Check(refundReason) ? refundReason : null,
    txid: schemas.hashes.Check(originChainTxHashes) ? (originChainTxHashes.at(-1)?.hash ?? null) : null,
  }
}

/** A value in USD as a decimal; null when it is not as documented. */
export function parseUsd(value: unknown): string | null {
  return schemas.usd.Check(value) ? value : null
}

/** The message of an error response; null if the text is not a documented error body. */
export function parseErrorMessage(text: string): string | null {
  const value = parseJson(text)
  if (!schemas.error.Check(value)) return null
  const message = [value.message]
    .flat()
    .slice(0, MAX_MESSAGES)
    .map(part => part.slice(0, MAX_MESSAGE_CHARS))
    .join('; ')
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  return message === '' ? null : message.slice(0, MAX_MESSAGE_CHARS)
}

interface Schema<T> {
  Check(value: unknown): value is T
  Errors(value: unknown): readonly [boolean, readonly { readonly instancePath: string; readonly message: string }[]]
}

function parseAs<T>(text: string, schema: Schema<T>): T {
  const value = parseJson(text)
  if (value === undefined) throw new InvalidResponse('not JSON')
  if (schema.Check(value)) return value
  const [, [problem]] = schema.Errors(value)
  throw new InvalidResponse(
    `${problem?.instancePath || 'the response'} ${problem?.message ?? 'does not match the documentation'}`,
  )
}

/** Undefined for a text that is not JSON, or has more items than `maxItems`. */
function parseJson(text: string, maxItems: number = MAX_ITEMS.other): unknown {
  if (maxItems === MAX_ITEMS.other && text.length > MAX_CHARS) return undefined
  if (countItems(text, maxItems) > maxItems) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** At least the lists, objects and members of a JSON text, up to the limit: its opening brackets, colons and commas. */
function countItems(text: string, max: number): number {
  let items = 0
  for (let i = 0; i < text.length && items <= max; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x7b || code === 0x5b || code === 0x3a || code === 0x2c) items++
  }
  return items
}
