import { type Static, type TSchema, Type } from 'typebox'
import { MAX_ZAT } from '../../domain/money.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type Flat<T> = { [K in keyof T]: T[K] }

/** A schema that must match the wire type `W` exactly: a missing, extra or different member does not compile. */
export function wireSchema<W>() {
  return <S extends TSchema>(schema: Same<Flat<Static<S>>, Flat<W>> extends true ? S : never): S => schema
}

/** Gives a schema the name under which the API document shares it: that of the wire type. */
export const named = <S extends TSchema>(name: string, schema: S): S => ({ ...schema, title: name })

export const nullable = <S extends TSchema>(schema: S & { type: string }) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

export const noExtraFields = { additionalProperties: false } as const

export const stringEnum = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description })

export const Zat = (description: string) => Type.Integer({ minimum: 0, maximum: Number(MAX_ZAT), description })

export const UnixSecs = (description: string) => Type.Integer({ description: `${description} Unix seconds.` })

export const Id = Type.String({ description: 'UUID.' })

export const Txid = nullable(
  Type.String({ description: 'Transaction id of the latest counted payment, 64 hex characters.' }),
)

/** Ids have no format constraint: a malformed id gets the same 404 as an unknown one. */
export const IdParam = Type.Object({ id: Id })
