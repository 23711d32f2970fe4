import type { Zat } from './money.ts'

/** The values of a field, by its type. */
interface Values {
  readonly integer: number
  /** Unix seconds. */
  readonly time: number
  readonly bigint: bigint
  readonly zat: Zat
  readonly flag: boolean
  readonly text: string
}

/**
 * A field of a stored noun. The table of all of them is the only place where a field is declared: the noun's type, its
 * SQL, its wire members and their schemas are built from it.
 */
export interface Field {
  readonly column: string
  readonly type: keyof Values
  /** The only texts that the field may hold. */
  readonly values?: readonly string[]
  readonly nullable?: true
  /** The value in a new row. Without one, and without `startsAs`, the creator gives it. */
  readonly initial?: Values[keyof Values] | null
  /** The field whose value it has in a new row. */
  readonly startsAs?: string
  /** Its later changes. Absent: there are none. */
  readonly changedBy?: string
  /** The database gives the value to a new row. */
  readonly fromDatabase?: true
  /** The request that creates the noun may give it, within these bounds; it must, unless `initial` is null. */
  readonly request?: Readonly<Partial<Record<'minimum' | 'maximum' | 'minLength' | 'maxLength', number>>>
  /** Its name in responses and events. Without one it is not public. */
  readonly wire?: string
  /** The name under which the API document shares the schema of the member. */
  readonly shared?: string
  /** The meaning of the wire member, for the API document. */
  readonly meaning?: string
}

export type Fields = Readonly<Record<string, Field>>

/** The value of a field. */
export type ValueOf<F extends Field> =
  | (F extends { values: readonly (infer Text)[] } ? Text : Values[F['type']])
  | (F extends { nullable: true } ? null : never)

/** A noun with these fields. */
export type Noun<T extends Fields> = { readonly [Name in keyof T]: ValueOf<T[Name]> }

/** The names of the fields that match a pattern. */
export type NamesOf<T extends Fields, Pattern> = {
  [Name in keyof T]: T[Name] extends Pattern ? Name : never
}[keyof T]

/** A field that a request may leave out. Where it is null, responses leave it out too. */
export type OptionalField = { readonly request: object; readonly initial: null }

export function isOptional({ request, initial }: Field): boolean {
  return request !== undefined && initial === null
}

/** A value on the wire. bigints are numbers there, which hold every amount exactly. */
type WireValue<Value> = Value extends bigint ? number : Value

type WireNames<T extends Fields, Names extends keyof T> = Extract<T[Names], { wire: string }>['wire']

type Named<T extends Fields, Wire> = ValueOf<T[NamesOf<T, { wire: Wire }>]>

/** The wire members: each field that has a wire name. */
export type WireOf<T extends Fields> = {
  [Wire in WireNames<T, Exclude<keyof T, NamesOf<T, OptionalField>>>]: WireValue<Named<T, Wire>>
} & {
  [Wire in WireNames<T, NamesOf<T, OptionalField>>]?: WireValue<NonNullable<Named<T, Wire>>>
}

/** The wire members that a request gives. */
export type GivenMembers<T extends Fields> = Pick<
  WireOf<T>,
  WireNames<T, NamesOf<T, { request: object }>> & keyof WireOf<T>
>

/** The part of a noun that a request gives. */
export type GivenOf<T extends Fields> = Pick<
  Noun<T>,
  Exclude<NamesOf<T, { request: object }>, NamesOf<T, OptionalField>>
> &
  Partial<Pick<Noun<T>, NamesOf<T, OptionalField>>>

/** The field with each wire name. */
export function wireFields(fields: Fields): ReadonlyMap<string, readonly [name: string, field: Field]> {
  return new Map(
    Object.entries(fields).flatMap(([name, field]) => (field.wire === undefined ? [] : [[field.wire, [name, field]]])),
  )
}
