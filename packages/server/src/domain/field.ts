import type { Zat } from './money.ts'
import type { LinkField } from './sale/link-field.ts'
import type { LockedRate, Price } from './sale/price.ts'

/** The values of a field, by its type. */
interface Values {
  readonly integer: number
  /** Unix seconds. */
  readonly time: number
  readonly bigint: bigint
  readonly zat: Zat
  readonly flag: boolean
  readonly text: string
  readonly texts: readonly string[]
  /** The text of a JSON object, kept as it was given. */
  readonly json: string
  readonly price: Price
  readonly rate: LockedRate
  readonly linkFields: readonly LinkField[]
}

/**
 * A field of a stored noun. The noun's type, SQL, wire members and schemas are built from the table of its fields. The SQL
 * reads, writes and erases them. The compiler checks the SDK's types against that table.
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
  /** Responses leave it out where it is null. Without `changedBy`, the creator may give it. */
  readonly optional?: true
  /** It is erased with the account, or before that with the texts of its row. Absent: it stays. */
  readonly erased?: 'account' | 'texts'
  /** The request that creates the noun may give it, within these bounds. */
  readonly request?: Readonly<Partial<Record<'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'maxItems', number>>>
  /** Its name in responses and events. Without one it is not public. */
  readonly wire?: string
  /** Who gets the member in every view of an invoice. Absent: `INVOICE_VIEWS` names it in the views that have it. */
  readonly seenBy?: 'everyone' | 'merchant'
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

/** A field that may be left out. */
export type OptionalField = { readonly optional: true }

export function isOptional({ optional }: Field): boolean {
  return optional === true
}

/** Whether the creator of a row may give the field or leave it out. */
export function isGiven({ optional, changedBy }: Field): boolean {
  return optional === true && changedBy === undefined
}

/** The values on the wire. bigints are numbers there, which hold every amount exactly. */
interface WireValues extends Omit<Values, 'bigint' | 'zat' | 'json'> {
  readonly bigint: number
  readonly zat: number
  readonly json: Record<string, unknown>
}

type WireValue<F extends Field> =
  | (F extends { values: readonly (infer Text)[] } ? Text : WireValues[F['type']])
  | (F extends { nullable: true } ? null : never)

type WireNames<T extends Fields, Names extends keyof T> = Extract<T[Names], { wire: string }>['wire']

type Named<T extends Fields, Wire> = WireValue<T[NamesOf<T, { wire: Wire }>]>

/** The wire members: each field that has a wire name. */
export type WireOf<T extends Fields> = {
  [Wire in WireNames<T, Exclude<keyof T, NamesOf<T, OptionalField>>>]: Named<T, Wire>
} & {
  [Wire in WireNames<T, NamesOf<T, OptionalField>>]?: NonNullable<Named<T, Wire>>
}

/** The wire members that a request gives. */
export type GivenMembers<T extends Fields> = Pick<
  WireOf<T>,
  WireNames<T, NamesOf<T, { request: object }>> & keyof WireOf<T>
>

/** The part of a noun that its creator may give. */
export type GivenOf<T extends Fields> = Partial<
  Pick<Noun<T>, Exclude<NamesOf<T, OptionalField>, NamesOf<T, { changedBy: string }>>>
>

/** The field with each wire name. */
export function wireFields(fields: Fields): ReadonlyMap<string, readonly [name: string, field: Field]> {
  return new Map(
    Object.entries(fields).flatMap(([name, field]) => (field.wire === undefined ? [] : [[field.wire, [name, field]]])),
  )
}

/** The fields that a table of fields declares, with their names, in its order. */
export function selectFields(
  fields: Fields,
  isSelected: (field: Field) => boolean,
): readonly (readonly [string, Field])[] {
  return Object.entries(fields).filter(([, field]) => isSelected(field))
}
