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
  /** What sets the field later. Absent: nothing does. */
  readonly changedBy?: string
  /** The database gives the value to a new row. */
  readonly fromDatabase?: true
  /** The request that creates the noun may give it, within these bounds; it must, unless the field has an `initial` value. */
  readonly request?: { readonly minimum?: number; readonly maximum?: number; readonly maxLength?: number }
  /** Its name in responses and events. Without one it is not public. */
  readonly wire?: string
  /** The name under which the API document shares the schema of the member. */
  readonly shared?: string
  /** What the wire member means, for the API document. */
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

/** The wire members: each field that has a wire name. bigints are numbers there, which hold every amount exactly. */
export type WireOf<T extends Fields> = {
  [Name in NamesOf<T, { wire: string }> as T[Name] extends { wire: infer Wire extends string } ? Wire : never]: ValueOf<
    T[Name]
  > extends infer Value
    ? Value extends bigint
      ? number
      : Value
    : never
}

/** The part of a noun that a request gives. */
export type GivenOf<T extends Fields> = Pick<
  Noun<T>,
  Exclude<NamesOf<T, { request: object }>, NamesOf<T, { initial: unknown }>>
> &
  Partial<Pick<Noun<T>, NamesOf<T, { request: object; initial: unknown }>>>

/** The field with each wire name. */
export function wireFields(fields: Fields): ReadonlyMap<string, readonly [name: string, field: Field]> {
  return new Map(
    Object.entries(fields).flatMap(([name, field]) => (field.wire === undefined ? [] : [[field.wire, [name, field]]])),
  )
}
