import { RequestError } from './json-server.ts'

type Fields = Readonly<Record<string, unknown>>

/** Gives the field's value; throws the refusal of {@link invalidField}. */
export type Reader<T> = (fields: Fields, name: string) => T

/** A field that cannot be taken: 400 `invalid_<name>`, saying what would be right. */
export function invalidField(name: string, wanted: string): RequestError {
  return new RequestError(400, `invalid_${name}`, `invalid ${name}: ${wanted}`)
}

/** The value, or undefined where the field is absent. The other readers below take what this leaves. */
export function optional<T>(fields: Fields, name: string, read: Reader<T>): T | undefined {
  return fields[name] === undefined ? undefined : read(fields, name)
}

export function integer(min: number, max: number): Reader<number> {
  return (fields, name) => {
    const value = fields[name]
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number
    throw invalidField(name, `must be an integer from ${min} to ${max}`)
  }
}

export function boolean(fields: Fields, name: string): boolean {
  const value = fields[name]
  if (typeof value === 'boolean') return value
  throw invalidField(name, 'must be true or false')
}

export function text(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw invalidField(name, 'must be a string')
}

export function oneOf<const T extends string>(choices: readonly T[]): Reader<T> {
  return (fields, name) => {
    const value = fields[name]
    if (choices.includes(value as T)) return value as T
    throw invalidField(name, `must be one of ${choices.join(', ')}`)
  }
}

/** An array of some of the choices, or of none. */
export function someOf<const T extends string>(choices: readonly T[]): Reader<T[]> {
  return (fields, name) => {
    const value = fields[name]
    if (Array.isArray(value) && value.every(item => choices.includes(item))) return value
    throw invalidField(name, `must be an array of ${choices.join(', ')}`)
  }
}

/** A consensus branch id as nodes write it. */
export function branchId(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string' && /^[0-9a-f]{8}$/.test(value)) return value
  throw invalidField(name, 'must be 8 lower-case hexadecimal digits')
}

/** Transaction ids in display order. */
export function txids(fields: Fields, name: string): string[] {
  const value = fields[name]
  if (Array.isArray(value) && value.every(id => typeof id === 'string' && /^[0-9a-f]{64}$/.test(id))) return value
  throw invalidField(name, 'must be an array of transaction ids, each 64 lower-case hexadecimal digits')
}

/** A value that one of two readers takes; `wanted` says what would be right. */
export function either<A, B>(one: Reader<A>, other: Reader<B>, wanted: string): Reader<A | B> {
  return (fields, name) => {
    for (const read of [one, other]) {
      try {
        return read(fields, name)
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
      }
    }
    throw invalidField(name, `must be ${wanted}`)
  }
}

export function orNull<T>(read: Reader<T>): (fields: Fields, name: string) => T | null {
  return (fields, name) => (fields[name] === null ? null : read(fields, name))
}
