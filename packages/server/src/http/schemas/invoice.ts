import type * as Wire from '@zatgate/sdk/wire'
import { type Static, type TSchema, Type } from 'typebox'
import { CONFIRMATIONS } from '../../domain/account.ts'
import { MAX_NAME_LENGTH } from '../../domain/credential.ts'
import { EVENT_TYPES } from '../../domain/event.ts'
import { EXPIRY_SECS, INVOICE_STATUSES } from '../../domain/invoice.ts'
import { MAX_ZAT } from '../../domain/money.ts'
import { SWAP_STATUSES } from '../../domain/swap.ts'
import { ATTEMPTS, MAX_URL_CHARS } from '../../domain/webhook.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Flat<T> = { [K in keyof T]: T[K] }

/** A schema of exactly the wire type `W`: a member more, less or other does not compile. */
export function of<W>() {
  return <S extends TSchema>(schema: Same<Flat<Static<S>>, Flat<W>> extends true ? S : never): S => schema
}

export const nullable = <S extends TSchema>(schema: S & { type: string }) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

export const closed = { additionalProperties: false } as const

export const word = <const T extends readonly string[]>(words: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], description })

export const Zat = (description: string) => Type.Integer({ minimum: 0, maximum: Number(MAX_ZAT), description })
export const UnixSecs = (description: string) => Type.Integer({ description: `${description} Unix seconds.` })
export const Id = Type.String({ description: 'UUID.' })
export const Status = word(
  INVOICE_STATUSES,
  '`detected`: the full amount is seen; `paid`: it is confirmed. At its end an invoice is `expired`, or `underpaid`.',
)
export const Txid = nullable(
  Type.String({ description: "The latest counted payment's transaction; 64 hex characters." }),
)

export const ErrorBody = of<Wire.ErrorBody>()(
  Type.Object(
    {
      code: Type.String({ description: 'Stable, snake_case.' }),
      message: Type.String({ description: 'For people.' }),
      detail: Type.Optional(Type.String({ description: 'What would be right.' })),
      limit: Type.Optional(Type.Integer({ description: "With 402: the plan's monthly limit." })),
      used: Type.Optional(Type.Integer({ description: 'With 402: how much of it is used.' })),
      plan: Type.Optional(Type.String({ description: "With 402: the plan's name." })),
    },
    { description: 'Every answer that is not 2xx.' },
  ),
)

/** The answers of an endpoint: `ok` and what can go wrong. */
export function answers<S extends TSchema>(ok: S) {
  return { 200: ok, '4xx': ErrorBody, '5xx': ErrorBody }
}

/** 204 has no body. */
export const NO_CONTENT = {
  204: Type.Unsafe<undefined>({ type: 'null', description: 'Done.' }),
  '4xx': ErrorBody,
  '5xx': ErrorBody,
}

/** 202: taken, and done soon. */
export function accepted<S extends TSchema>(body: S) {
  return { 202: body, '4xx': ErrorBody, '5xx': ErrorBody }
}

/** No format is asked of an id: what is no UUID is as unknown as any other. */
export const IdParam = Type.Object({ id: Id })

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: '50 when left out.' })),
  before: Type.Optional(Type.String({ format: 'uuid', description: 'The id of the last row of the page before.' })),
})

/** The page that a query asks for. */
export function pageOf({ limit = 50, before }: Static<typeof PageQuery>) {
  return before === undefined ? { limit } : { limit, before: before.toLowerCase() }
}

export const CreateInvoice = of<Wire.CreateInvoiceRequest>()(
  Type.Object(
    {
      amount_zat: Type.Integer({ minimum: 1, maximum: Number(MAX_ZAT), description: 'What is asked for.' }),
      expires_in_secs: Type.Optional(
        Type.Integer({
          minimum: EXPIRY_SECS.least,
          maximum: EXPIRY_SECS.most,
          description: `${EXPIRY_SECS.usual} when left out.`,
        }),
      ),
    },
    closed,
  ),
)

export const CreatedInvoice = of<Wire.CreatedInvoice>()(
  Type.Object({
    id: Id,
    address: Type.String({ description: 'Unified address with one Orchard receiver.' }),
    amount_zat: Zat('What is asked for.'),
    zip321_uri: Type.String({ description: 'ZIP 321 payment request.' }),
    status: Status,
    expires_at: UnixSecs('When it ends.'),
  }),
)

const Swap = of<Wire.Swap>()(
  Type.Object({
    status: word(SWAP_STATUSES, "The swap provider's own word."),
    symbol: Type.String(),
    blockchain: Type.String(),
    deposit_address: Type.String(),
    amount_in_formatted: Type.String({ description: 'Decimal.' }),
    deadline: Type.String({ description: 'ISO 8601, UTC.' }),
  }),
)

export const Invoice = of<Wire.Invoice>()(
  Type.Object({
    id: Id,
    status: Status,
    amount_zat: Zat('What is asked for.'),
    address: Type.String(),
    zip321_uri: Type.String({ description: 'ZIP 321 payment request.' }),
    expires_at: UnixSecs('When it ends.'),
    txid: Txid,
    received_zat: Zat('Every live payment, mempool included.'),
    overpaid_zat: Zat('Received above what is asked for.'),
    swap: nullable(Swap),
  }),
)

export const Asset = of<Wire.Asset>()(
  Type.Object({
    asset_id: Type.String({ description: 'What a swap is started with.' }),
    symbol: Type.String(),
    blockchain: Type.String({ description: 'Origin chain code.' }),
    decimals: Type.Integer(),
    price_usd: Type.Number({ description: '0 where nobody knows.' }),
  }),
)

export const StartSwap = of<Wire.StartSwapRequest>()(
  Type.Object(
    {
      asset_id: Type.String({ description: 'From the list of assets.' }),
      refund_to: Type.String({ maxLength: 500, description: "The buyer's address on the origin chain. Not empty." }),
    },
    closed,
  ),
)

export const SwapQuote = of<Wire.SwapQuote>()(
  Type.Object({
    swap_id: Id,
    deposit_address: Type.String(),
    deposit_memo: nullable(Type.String({ description: 'To be sent along where there is one.' })),
    amount_in: Type.String({ description: "A whole number of the asset's smallest unit." }),
    amount_in_formatted: Type.String({ description: 'Decimal.' }),
    amount_in_usd: Type.String({ description: 'Decimal.' }),
    symbol: Type.String(),
    blockchain: Type.String(),
    deadline: Type.String({ description: 'ISO 8601, UTC.' }),
    time_estimate: Type.Integer({ description: 'Seconds.' }),
  }),
)

export const InvoiceListItem = of<Wire.InvoiceListItem>()(
  Type.Object({
    id: Id,
    status: Status,
    amount_zat: Zat('What is asked for.'),
    received_zat: Zat('Every live payment, mempool included.'),
    overpaid_zat: Zat('Received above what is asked for.'),
    address: Type.String(),
    txid: Txid,
    created_at: UnixSecs('When it was made.'),
    expires_at: UnixSecs('When it ends.'),
    paid_at: nullable(UnixSecs('When it was paid.')),
  }),
)

const accountMembers = {
  id: Id,
  email: Type.String(),
  network: word(['main', 'test', 'regtest'] as const, 'The network that the service is on.'),
  viewing_key_set: Type.Boolean(),
  confirmations: Type.Integer({
    description:
      'Blocks that make a payment count; 0 counts the mempool. A block comes about every 75 seconds, from NU7 on every 25.',
  }),
  plan: Type.String(),
  plan_expires_at: nullable(UnixSecs('Null: for ever.')),
  invoices_this_month: Type.Object({
    used: Type.Integer(),
    limit: nullable(Type.Integer({ description: 'Null: none.' })),
    resets_at: UnixSecs('The first of the next month, UTC.'),
  }),
  created_at: UnixSecs('When it was opened.'),
}

export const Account = of<Wire.Account>()(Type.Object(accountMembers))

export const AccountWithFirstAddress = of<Wire.AccountWithFirstAddress>()(
  Type.Object({
    ...accountMembers,
    first_address: Type.String({ description: "The wallet's first address under this key, to compare." }),
  }),
)

export const UpdateAccount = of<Wire.UpdateAccountRequest>()(
  Type.Object({ confirmations: Type.Integer({ minimum: CONFIRMATIONS.least, maximum: CONFIRMATIONS.most }) }, closed),
)

export const SetViewingKey = of<Wire.SetViewingKeyRequest>()(
  Type.Object(
    {
      viewing_key: Type.String({
        minLength: 1,
        maxLength: 4_000,
        description: 'Unified viewing key (UFVK or UIVK, ZIP 316 Revision 0 or 2) with an Orchard item, not expired.',
      }),
    },
    closed,
  ),
)

const apiKeyMembers = {
  id: Id,
  name: Type.String(),
  last4: Type.String(),
  created_at: UnixSecs('When it was made.'),
  last_used_at: nullable(UnixSecs('When it was last used, to the minute.')),
  revoked_at: nullable(UnixSecs('When it was revoked.')),
}

export const ApiKey = of<Wire.ApiKey>()(Type.Object(apiKeyMembers))

export const CreatedApiKey = of<Wire.CreatedApiKey>()(
  Type.Object({ ...apiKeyMembers, key: Type.String({ description: 'Shown this once.' }) }),
)

export const CreateApiKey = of<Wire.CreateApiKeyRequest>()(
  Type.Object({ name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }) }, closed),
)

export const Session = of<Wire.Session>()(
  Type.Object({
    id: Id,
    label: Type.String(),
    created_at: UnixSecs('When it began.'),
    expires_at: UnixSecs('When it ends.'),
    last_used_at: nullable(UnixSecs('When it was last used, to the minute.')),
  }),
)

const webhookMembers = {
  url: Type.String(),
  created_at: UnixSecs('When there was a webhook first.'),
  updated_at: UnixSecs('When its URL or its secret last changed.'),
}
const SecretText = Type.String({ description: 'Signing secret, `whsec_…`. Shown this once.' })

export const Webhook = of<Wire.Webhook>()(Type.Object(webhookMembers))

export const SetWebhook = of<Wire.SetWebhookRequest>()(
  Type.Object(
    { url: Type.String({ maxLength: MAX_URL_CHARS, description: 'Absolute https URL, no credentials, no fragment.' }) },
    closed,
  ),
)

export const SetWebhookAnswer = of<Wire.SetWebhookResponse>()(
  Type.Object({ ...webhookMembers, secret: Type.Optional(SecretText) }),
)

export const RotatedSecret = of<Wire.RotatedSecret>()(Type.Object({ secret: SecretText }))

export const DeliveryAccepted = of<Wire.DeliveryAccepted>()(Type.Object({ delivery_id: Id }))

export const DeliveryParam = Type.Object({ delivery_id: Id })

export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  invoice_id: Type.Optional(Type.String({ description: 'Only the attempts for this invoice.' })),
})

export const DeliveryAttempt = of<Wire.DeliveryAttempt>()(
  Type.Object({
    id: Id,
    delivery_id: Type.String({ description: 'UUID; the header `webhook-id` of every attempt of the delivery.' }),
    invoice_id: nullable(Id),
    event_type: word(EVENT_TYPES, 'See Events.'),
    url: Type.String(),
    status_code: nullable(Type.Integer({ description: 'Null: no answer came.' })),
    error: nullable(Type.String({ description: 'Null: success, or still under way.' })),
    attempt: Type.Integer({ description: `1 to ${ATTEMPTS}.` }),
    duration_ms: nullable(Type.Integer({ description: 'Null: still under way, or interrupted.' })),
    created_at: UnixSecs('When it began.'),
  }),
)
