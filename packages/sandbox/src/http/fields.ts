import { RequestError } from './json-server.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the value of a field. Throws the error of {@link invalidField} when the value is invalid. */
export type Parser<T> = (fields: Fields, name: string) => T

/** The error for an invalid field: status 400, code `invalid_<name>`, and a message that says what is expected. */
export function invalidField(name: string, expected: string): RequestError {
  return new RequestError(400, `invalid_${name}`, `invalid ${name}: ${expected}`)
}

/** The parsed value, or undefined when the field is absent. */
export function optional<T>(fields: Fields, name: string, parse: Parser<T>): T | undefined {
  return fields[name] === undefined ? undefined : parse(fields, name)
}

/** A change without the fields that are undefined, that is, absent from the request. */
export function definedFields<T>(change: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** An integer from `min` to `max`. */
export function integer(min: number, max: number): Parser<number> {
  return (fields, name) => {
    const value = fields[name]
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number
    throw invalidField(name, `must be an integer from ${min} to ${max}`)
  }
}

/** A boolean. */
export function boolean(fields: Fields, name: string): boolean {
  const value = fields[name]
  if (typeof value === 'boolean') return value
  throw invalidField(name, 'must be true or false')
}

/** A string; it may be empty. */
export function text(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw invalidField(name, 'must be a string')
}

/** One of the choices. */
export function oneOf<const T extends string>(choices: readonly T[]): Parser<T> {
  return (fields, name) => {
    const value = fields[name]
    if (choices.includes(value as T)) return value as T
    throw invalidField(name, `must be one of ${choices.join(', ')}`)
  }
}

/** An array of the choices; it may be empty. */
export function someOf<const T extends string>(choices: readonly T[]): Parser<T[]> {
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

/** A value that one of two parsers accepts. `expected` describes it for the error message. */
export function either<A, B>(first: Parser<A>, second: Parser<B>, expected: string): Parser<A | B> {
  return (fields, name) => {
    for (const parse of [first, second]) {
      try {
        return parse(fields, name)
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
      }
    }
    throw invalidField(name, `must be ${expected}`)
  }
}

/** Null, or a value that the parser accepts. */
export function orNull<T>(parse: Parser<T>): (fields: Fields, name: string) => T | null {
  return (fields, name) => (fields[name] === null ? null : parse(fields, name))
}
