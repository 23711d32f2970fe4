import type * as Wire from '@zatgate/sdk/wire'
import { type Static, type TSchema, Type } from 'typebox'
import { INVOICE_STATUSES } from '../../domain/invoice.ts'
import { MAX_ZAT } from '../../domain/money.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type Flat<T> = { [K in keyof T]: T[K] }

/** A schema that must match the wire type `W` exactly: a missing, extra or different member does not compile. */
export function wireSchema<W>() {
  return <S extends TSchema>(schema: Same<Flat<Static<S>>, Flat<W>> extends true ? S : never): S => schema
}

export const nullable = <S extends TSchema>(schema: S & { type: string }) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

export const noExtraFields = { additionalProperties: false } as const

export const stringEnum = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description })

export const Zat = (description: string) => Type.Integer({ minimum: 0, maximum: Number(MAX_ZAT), description })

export const UnixSecs = (description: string) => Type.Integer({ description: `${description} Unix seconds.` })

export const Id = Type.String({ description: 'UUID.' })

export const Status = stringEnum(
  INVOICE_STATUSES,
  '`detected`: the full amount is seen. `paid`: it is confirmed. `underpaid`: expired with a payment that is too small.',
)

export const Txid = nullable(
  Type.String({ description: 'Transaction id of the latest counted payment, 64 hex characters.' }),
)

export const ErrorBody = wireSchema<Wire.ErrorBody>()(
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
export function responses<S extends TSchema>(ok: S) {
  return { 200: ok, '4xx': ErrorBody, '5xx': ErrorBody }
}

/** The responses of an endpoint: 204 without a body, or an error. */
export const NO_CONTENT_RESPONSES = {
  204: Type.Unsafe<undefined>({ type: 'null', description: 'Done.' }),
  '4xx': ErrorBody,
  '5xx': ErrorBody,
}

/** The responses of an endpoint: 202 with the given schema, or an error. */
export function acceptedResponses<S extends TSchema>(body: S) {
  return { 202: body, '4xx': ErrorBody, '5xx': ErrorBody }
}

/** Ids have no format constraint: a malformed id gets the same 404 as an unknown one. */
export const IdParam = Type.Object({ id: Id })

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  before: Type.Optional(Type.String({ format: 'uuid', description: 'Id of the last row of the previous page.' })),
})

/** The page requested by a query. */
export function parsePage({ limit = 50, before }: Static<typeof PageQuery>) {
  return before === undefined ? { limit } : { limit, before: before.toLowerCase() }
}
