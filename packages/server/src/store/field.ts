import { type RawBuilder, sql } from 'kysely'
import type { Field, Fields } from '../domain/field.ts'
import { num } from './mapping.ts'
import type { Int64 } from './tables.ts'
import { int, text } from './values.ts'

type Stored = Int64 | string | null

const READ: Readonly<Record<Field['type'], (stored: never) => unknown>> = {
  integer: num,
  time: num,
  bigint: (stored: Int64) => BigInt(stored),
  zat: (stored: Int64) => BigInt(stored),
  flag: (stored: Int64) => num(stored) === 1,
  text: (stored: string) => stored,
  texts: (stored: string) => JSON.parse(stored),
  json: (stored: string) => stored,
  price: (stored: string) => JSON.parse(stored),
  rate: (stored: string) => JSON.parse(stored),
  linkFields: (stored: string) => JSON.parse(stored),
}

const IS_TEXT: Readonly<Record<Field['type'], boolean>> = {
  integer: false,
  time: false,
  bigint: false,
  zat: false,
  flag: false,
  text: true,
  texts: true,
  json: true,
  price: true,
  rate: true,
  linkFields: true,
}

/** Reads the fields of rows. @param fields the table of a noun */
export function rowReader<Noun>(fields: Fields): (row: object) => Noun {
  const columns = Object.entries(fields).map(([name, { column, type }]) => [name, column, READ[type]] as const)
  return row => {
    const noun: Record<string, unknown> = {}
    for (const [name, column, read] of columns) {
      const stored = (row as Record<string, Stored>)[column] as never
      noun[name] = stored === null ? null : read(stored)
    }
    return noun as Noun
  }
}

/** A value as the database stores it. */
export function storedValue(value: unknown): Stored {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Stored)
}

/** The values of a row, by column. @param names of these fields; one that the noun lacks is null */
export function rowValues<T extends Fields>(
  fields: T,
  noun: object,
  names: readonly (keyof T & string)[],
): Record<string, Stored> {
  const values = noun as Readonly<Record<string, unknown>>
  return Object.fromEntries(names.map(name => [fields[name]!.column, storedValue(values[name] ?? null)]))
}

/** A value with the type of its column, for a row of a VALUES list. */
export function typed({ type }: Field, value: unknown): RawBuilder<unknown> {
  return IS_TEXT[type] ? text(storedValue(value) as string | null) : int(storedValue(value) as Int64 | null)
}

/** Whether any of the columns has a value. Their order is that of the condition of a partial index. */
export function isAnySet(columns: readonly string[]): RawBuilder<boolean> {
  return sql`(${sql.raw(columns.map(column => `${column} IS NOT NULL`).join(' OR '))})`
}

/** The update that empties the columns. */
export function nulls(columns: readonly string[]): Readonly<Record<string, null>> {
  return Object.fromEntries(columns.map(column => [column, null]))
}
