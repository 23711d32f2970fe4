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

/** A schema that must match the wire type `W` exactly: a missing, extra or different member does not compile. */
export function of<W>() {
  return <S extends TSchema>(schema: Same<Flat<Static<S>>, Flat<W>> extends true ? S : never): S => schema
}

export const nullable = <S extends TSchema>(schema: S & { type: string }) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

export const closed = { additionalProperties: false } as const

export const word = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description })

export const Zat = (description: string) => Type.Integer({ minimum: 0, maximum: Number(MAX_ZAT), description })
export const UnixSecs = (description: string) => Type.Integer({ description: `${description} Unix seconds.` })
export const Id = Type.String({ description: 'UUID.' })
export const Status = word(
  INVOICE_STATUSES,
  '`detected`: the full amount is seen. `paid`: it is confirmed. `underpaid`: expired with a payment that is too small.',
)
export const Txid = nullable(
  Type.String({ description: 'Transaction id of the latest counted payment, 64 hex characters.' }),
)

export const ErrorBody = of<Wire.ErrorBody>()(
  Type.Object(
    {
      code: Type.String({ description: 'Stable error code in snake_case.' }),
      message: Type.String({ description: 'Human-readable message.' }),
      detail: Type.Optional(Type.String({ description: 'What is accepted instead.' })),
      limit: Type.Optional(Type.Integer({ description: "With 402: the plan's monthly limit." })),
      used: Type.Optional(Type.Integer({ description: 'With 402: invoices used this month.' })),
      plan: Type.Optional(Type.String({ description: "With 402: the plan's name." })),
    },
    { description: 'Body of every response that is not 2xx.' },
  ),
)

/** The responses of an endpoint: 200 with the schema `ok`, or an error. */
export function answers<S extends TSchema>(ok: S) {
  return { 200: ok, '4xx': ErrorBody, '5xx': ErrorBody }
}

/** The responses of an endpoint: 204 without a body, or an error. */
export const NO_CONTENT = {
  204: Type.Unsafe<undefined>({ type: 'null', description: 'Done.' }),
  '4xx': ErrorBody,
  '5xx': ErrorBody,
}

/** The responses of an endpoint: 202 with the given schema, or an error. */
export function accepted<S extends TSchema>(body: S) {
  return { 202: body, '4xx': ErrorBody, '5xx': ErrorBody }
}

/** Ids have no format constraint: a malformed id gets the same 404 as an unknown one. */
export const IdParam = Type.Object({ id: Id })

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  before: Type.Optional(Type.String({ format: 'uuid', description: 'Id of the last row of the previous page.' })),
})

/** The page requested by a query. */
export function pageOf({ limit = 50, before }: Static<typeof PageQuery>) {
  return before === undefined ? { limit } : { limit, before: before.toLowerCase() }
}

export const CreateInvoice = of<Wire.CreateInvoiceRequest>()(
  Type.Object(
    {
      amount_zat: Type.Integer({ minimum: 1, maximum: Number(MAX_ZAT), description: 'Requested amount.' }),
      expires_in_secs: Type.Optional(
        Type.Integer({
          minimum: EXPIRY_SECS.least,
          maximum: EXPIRY_SECS.most,
          description: `Seconds until the invoice expires. Default ${EXPIRY_SECS.usual}.`,
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
    amount_zat: Zat('Requested amount.'),
    zip321_uri: Type.String({ description: 'ZIP 321 payment request.' }),
    status: Status,
    expires_at: UnixSecs('Expiry time.'),
  }),
)

const Swap = of<Wire.Swap>()(
  Type.Object({
    status: word(SWAP_STATUSES, 'Status reported by the swap provider.'),
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
    amount_zat: Zat('Requested amount.'),
    address: Type.String(),
    zip321_uri: Type.String({ description: 'ZIP 321 payment request.' }),
    expires_at: UnixSecs('Expiry time.'),
    txid: Txid,
    received_zat: Zat('Amount received, mempool included.'),
    overpaid_zat: Zat('Amount received above the requested amount.'),
    swap: nullable(Swap),
  }),
)

export const Asset = of<Wire.Asset>()(
  Type.Object({
    asset_id: Type.String({ description: 'Identifier for starting a swap.' }),
    symbol: Type.String(),
    blockchain: Type.String({ description: 'Origin chain code.' }),
    decimals: Type.Integer(),
    price_usd: Type.Number({ description: '0 if unknown.' }),
  }),
)

export const StartSwap = of<Wire.StartSwapRequest>()(
  Type.Object(
    {
      asset_id: Type.String({ description: 'An `asset_id` from GET /v1/swap/assets.' }),
      refund_to: Type.String({
        maxLength: 500,
        description: "The buyer's refund address on the origin chain. Not empty.",
      }),
    },
    closed,
  ),
)

export const SwapQuote = of<Wire.SwapQuote>()(
  Type.Object({
    swap_id: Id,
    deposit_address: Type.String(),
    deposit_memo: nullable(Type.String({ description: 'Memo that the deposit must carry; null if none is needed.' })),
    amount_in: Type.String({ description: "Integer amount in the asset's smallest unit." }),
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
    amount_zat: Zat('Requested amount.'),
    received_zat: Zat('Amount received, mempool included.'),
    overpaid_zat: Zat('Amount received above the requested amount.'),
    address: Type.String(),
    txid: Txid,
    created_at: UnixSecs('Creation time.'),
    expires_at: UnixSecs('Expiry time.'),
    paid_at: nullable(UnixSecs('Payment time; null until paid.')),
  }),
)

const accountMembers = {
  id: Id,
  email: Type.String(),
  network: word(['main', 'test', 'regtest'] as const, 'Zcash network of the service.'),
  viewing_key_set: Type.Boolean(),
  confirmations: Type.Integer({
    description:
      'Confirmations required for a payment; 0 counts the mempool. A block is mined about every 75 seconds, from NU7 on about every 25.',
  }),
  plan: Type.String(),
  plan_expires_at: nullable(UnixSecs('Null: the plan does not expire.')),
  invoices_this_month: Type.Object({
    used: Type.Integer(),
    limit: nullable(Type.Integer({ description: 'Null: no limit.' })),
    resets_at: UnixSecs('The first of the next month, UTC.'),
  }),
  created_at: UnixSecs('Creation time.'),
}

export const Account = of<Wire.Account>()(Type.Object(accountMembers))

export const AccountWithFirstAddress = of<Wire.AccountWithFirstAddress>()(
  Type.Object({
    ...accountMembers,
    first_address: Type.String({ description: 'First address of this key, to compare with the wallet.' }),
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
  created_at: UnixSecs('Creation time.'),
  last_used_at: nullable(UnixSecs('Time of last use, to the minute; null if never used.')),
  revoked_at: nullable(UnixSecs('Time of revocation; null if active.')),
}

export const ApiKey = of<Wire.ApiKey>()(Type.Object(apiKeyMembers))

export const CreatedApiKey = of<Wire.CreatedApiKey>()(
  Type.Object({ ...apiKeyMembers, key: Type.String({ description: 'The API key. Shown only once.' }) }),
)

export const CreateApiKey = of<Wire.CreateApiKeyRequest>()(
  Type.Object({ name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }) }, closed),
)

export const Session = of<Wire.Session>()(
  Type.Object({
    id: Id,
    label: Type.String(),
    created_at: UnixSecs('Start time.'),
    expires_at: UnixSecs('Expiry time.'),
    last_used_at: nullable(UnixSecs('Time of last use, to the minute; null if never used.')),
  }),
)

const webhookMembers = {
  url: Type.String(),
  created_at: UnixSecs('Creation time.'),
  updated_at: UnixSecs('Time of the last change of the URL or the secret.'),
}
const SecretText = Type.String({ description: 'Signing secret, `whsec_…`. Shown only once.' })

export const Webhook = of<Wire.Webhook>()(Type.Object(webhookMembers))

export const SetWebhook = of<Wire.SetWebhookRequest>()(
  Type.Object(
    {
      url: Type.String({
        maxLength: MAX_URL_CHARS,
        description: 'Absolute https URL without credentials or fragment.',
      }),
    },
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
  invoice_id: Type.Optional(Type.String({ description: 'Returns only attempts for this invoice.' })),
})

export const DeliveryAttempt = of<Wire.DeliveryAttempt>()(
  Type.Object({
    id: Id,
    delivery_id: Type.String({
      description: 'UUID, sent in the header `webhook-id` of every attempt of the delivery.',
    }),
    invoice_id: nullable(Id),
    event_type: word(EVENT_TYPES, 'Event type.'),
    url: Type.String(),
    status_code: nullable(Type.Integer({ description: 'HTTP status of the response. Null: no response.' })),
    error: nullable(Type.String({ description: 'Null: success, or in progress.' })),
    attempt: Type.Integer({ description: `1 to ${ATTEMPTS}.` }),
    duration_ms: nullable(Type.Integer({ description: 'Null: in progress, or interrupted.' })),
    created_at: UnixSecs('Start time.'),
  }),
)
