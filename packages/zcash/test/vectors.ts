import { existsSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../../shared/vectors/', import.meta.url)

/** For the `skip` option of tests that need the official vectors: false, or the reason to skip. */
export const vectorsMissing = existsSync(FOLDER) ? false : 'the official vectors are not at ../shared/vectors'

/** The text of a file of the official vectors. */
export function loadVectorFile(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}

export type VectorRecord = Readonly<Record<string, unknown>>

/** The rows of a table by column name, or the objects of a list. Large numbers keep all digits. */
export function vectorRecords(name: string): VectorRecord[] {
  const [first, second, ...rows] = parseLossless(loadVectorFile(name)) as [unknown, unknown, ...unknown[][]]
  if (!Array.isArray(first)) return [first, second, ...rows] as VectorRecord[]
  const columns = (second as string[]).join(', ').split(', ')
  return rows.map(row => Object.fromEntries(columns.map((column, i) => [column, row[i]])))
}

/** The bytes of a hexadecimal column. */
export function bytes(column: unknown): Uint8Array {
  return Uint8Array.from(Buffer.from(String(column), 'hex'))
}

/** The value of a column with an integer of any size or a decimal string. */
export function integer(column: unknown): bigint {
  return BigInt(column as number | bigint | string)
}

export function hex(value: Uint8Array): string {
  return Buffer.from(value).toString('hex')
}

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown

/** Parses JSON; unsafe integers become bigint. */
function parseLossless(text: string): unknown {
  const reviver: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source) : value
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1])
}
