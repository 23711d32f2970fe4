import type * as Wire from '@zatgate/sdk/wire'
import { type Static, type TObject, type TOptional, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { type Field, type Fields, type GivenMembers, isOptional } from '../domain/field.ts'
import { MAX_ZAT } from '../domain/money.ts'
import { LINK_FIELD_LIMITS } from '../domain/sale/link-field.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type Flat<T> = { [K in keyof T]: T[K] }

type Differing<A, B> =
  | Exclude<keyof A, keyof B>
  | Exclude<keyof B, keyof A>
  | { [K in keyof A & keyof B]: Same<Pick<A, K>, Pick<B, K>> extends true ? never : K }[keyof A & keyof B]

type Matching<P extends TProperties, W> =
  Same<Flat<Static<TObject<P>>>, Flat<W>> extends true
    ? P
    : P & Readonly<Record<'differs from the wire type in', Differing<Static<TObject<P>>, W>>>

/** Gives a schema the name under which the API document shares it. */
export const named = <S extends TSchema>(name: string, schema: S): S => ({ ...schema, title: name })

/**
 * An object of a response that must match the wire type `W` exactly: a missing, extra or different member does not
 * compile. The name is that of the wire type.
 */
export function wireObject<W>() {
  return <P extends TProperties>(name: string, members: Matching<P, W>): TObject<P> => named(name, Type.Object(members))
}

/** The body of a request, which must match the wire type `W` exactly. Other fields of a request are refused. */
export function wireBody<W>() {
  return <P extends TProperties>(name: string, members: Matching<P, W>): TObject<P> =>
    named(name, Type.Object(members, { additionalProperties: false }))
}

/** The query parameters of a request, which must match the wire type `W` exactly. */
export function wireQuery<W>() {
  return <P extends TProperties>(members: Matching<P, W>): TObject<P> => Type.Object(members)
}

export const nullable = <S extends TSchema>(schema: S & { type: string }) =>
  Type.Unsafe<Static<S> | null>({
    ...schema,
    type: [schema.type, 'null'],
    ...('enum' in schema && { enum: [...(schema.enum as unknown[]), null] }),
  })

export const stringEnum = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description })

export const Zat = (description: string) => Type.Integer({ minimum: 0, maximum: Number(MAX_ZAT), description })

export const UnixSecs = (description: string) => Type.Integer({ description: `${description} Unix seconds.` })

export const Id = Type.String({ description: 'UUID.' })

/** The schema of the wire member of a field. */
export function fieldSchema(field: Field): TSchema {
  const { type, values, nullable: isNullable, shared, meaning = '' } = field
  const schema = values ? stringEnum(values, meaning) : SCHEMA_OF_TYPE[type](meaning)
  const complete = shared === undefined ? schema : named(shared, schema)
  if (isOptional(field)) return Type.Optional(complete)
  return isNullable ? nullable(complete as TSchema & { type: string }) : complete
}

/** The schemas of the members that a request gives. All can be left out. */
export function requestMembers<T extends Fields>(fields: T) {
  const members = Object.values<Field>(fields).flatMap(field => {
    if (field.request === undefined || field.wire === undefined) return []
    return [[field.wire, Type.Optional({ ...SCHEMA_OF_TYPE[field.type](field.meaning ?? ''), ...field.request })]]
  })
  return Object.fromEntries(members) as MemberSchemas<GivenMembers<T>>
}

/** The schemas of the members that a request changes: null clears a field that may be null. */
export function changeMembers<T extends Fields>(fields: T) {
  const members = Object.values<Field>(fields).flatMap(field => {
    if (field.request === undefined || field.wire === undefined) return []
    return [[field.wire, Type.Optional({ ...fieldSchema(field), ...field.request })]]
  })
  return Object.fromEntries(members) as {
    -readonly [Name in keyof GivenMembers<T>]-?: TOptional<TUnsafe<GivenMembers<T>[Name]>>
  }
}

/** The schemas of these members. */
export type MemberSchemas<Members> = {
  -readonly [Name in keyof Members]-?: undefined extends Members[Name]
    ? TOptional<TUnsafe<NonNullable<Members[Name]>>>
    : TUnsafe<Members[Name]>
}

/** A fiat rate. */
export const CrossRateSchema = wireObject<Wire.CrossRate>()('CrossRate', {
  source: Type.String(),
  pair: Type.String({ description: 'Such as `USD/PLN`.' }),
  price: Type.String({ description: 'Decimal.' }),
})

const LinkFieldSchema = wireObject<Wire.PaymentLinkField>()('PaymentLinkField', {
  label: Type.String({ minLength: 1, maxLength: LINK_FIELD_LIMITS.label }),
  required: Type.Boolean(),
})

const SCHEMA_OF_TYPE: Readonly<Record<Field['type'], (description: string) => TSchema>> = {
  integer: description => Type.Integer({ description }),
  bigint: description => Type.Integer({ description }),
  time: UnixSecs,
  zat: Zat,
  flag: description => Type.Boolean({ description }),
  text: description => Type.String({ description }),
  texts: description => Type.Array(Type.String(), { description }),
  json: description => Type.Unsafe<Record<string, unknown>>({ type: 'object', description }),
  price: description =>
    Type.Object({ amount: Type.String({ description: 'Decimal.' }), currency: Type.String() }, { description }),
  rate: description =>
    Type.Object(
      {
        currency: Type.String({ description: 'That of the price, or BTC for SATS.' }),
        price: Type.String({ description: 'The price of 1 ZEC. Decimal.' }),
        sources: Type.Array(Type.String(), { description: 'The sources that agreed within 3 %.' }),
        fetched_at: UnixSecs('When the oldest price of a source was true.'),
        cross: Type.Optional(CrossRateSchema),
      },
      { description },
    ),
  linkFields: description => Type.Array(LinkFieldSchema, { description }),
}

export const Txid = nullable(
  Type.String({ description: 'Transaction id of the latest counted payment, 64 hex characters.' }),
)

/** Ids have no format constraint: a malformed id gets the same 404 as an unknown one. */
export const IdParam = Type.Object({ id: Id })

export const PageQuery = wireQuery<Wire.PageQuery>()({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  before: Type.Optional(Type.String({ format: 'uuid', description: 'Id of the last row of the previous page.' })),
})

/** The page requested by a query. */
export function parsePage({ limit = 50, before }: Static<typeof PageQuery>) {
  return before === undefined ? { limit } : { limit, before: before.toLowerCase() }
}

export const ErrorBody = {
  ...wireObject<Wire.ErrorBody>()('ErrorBody', {
    code: Type.String({ description: 'Stable error code in snake_case.' }),
    message: Type.String({ description: 'Human-readable message.' }),
    detail: Type.Optional(Type.String({ description: 'Values that would be accepted.' })),
    limit: Type.Optional(Type.Integer({ description: 'The limit of the plan that is reached.' })),
    used: Type.Optional(Type.Integer({ description: 'With 402: invoices used this month.' })),
    plan: Type.Optional(Type.String({ description: 'The plan of this limit.' })),
    resets_at: Type.Optional(Type.Integer({ description: 'With 402: when the next month begins, in Unix seconds.' })),
    first_seq: Type.Optional(Type.Integer({ description: 'With 410 `events_pruned`: the first event that is kept.' })),
    invoice_id: Type.Optional(Type.String({ description: 'With 409 `order_exists`: the invoice that the order has.' })),
    doc_url: Type.Optional(
      Type.String({ description: 'Where this service shows what the code means and what to do.' }),
    ),
  }),
  description: 'Body of every response that is not 2xx.',
}

/** The error responses that every endpoint has. */
export const ERROR_RESPONSES = { '4xx': ErrorBody, '5xx': ErrorBody }

/** The responses of an endpoint: 200 with the schema `ok`, or an error. */
export function responses<S extends TSchema>(ok: S) {
  return { 200: ok, ...ERROR_RESPONSES }
}

/** The responses of an endpoint: 204 without a body, or an error. */
export const NO_CONTENT_RESPONSES = {
  204: Type.Unsafe<undefined>({ type: 'null', description: 'Done.' }),
  ...ERROR_RESPONSES,
}
