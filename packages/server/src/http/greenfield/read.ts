import { memberTexts } from '../../domain/raw-json.ts'
import type { FieldError } from './error.ts'

/**
 * Readers of the members of a body, as lenient as BTCPay's: an absent member, null, and a number in place of text are no
 * errors. A member of another kind is noted in `errors`, by its path such as `checkout.expirationMinutes`.
 */
export class Reader {
  readonly errors: FieldError[] = []

  fail(path: string, message: string): void {
    this.errors.push({ path, message })
  }

  /** Text, or a number or flag as text. Undefined when absent. */
  text(body: Members, path: string): string | undefined {
    const value = memberOf(body, path)
    if (value === undefined) return undefined
    if (typeof value === 'object') this.fail(path, 'must be a string')
    else return String(value)
    return undefined
  }

  /** A whole or decimal number, or its text. */
  number(body: Members, path: string): number | undefined {
    const value = memberOf(body, path)
    if (value === undefined || value === '') return undefined
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number === 'number' && Number.isFinite(number)) return number
    this.fail(path, 'must be a number')
    return undefined
  }

  /** A decimal number as text, of a number as it is written in the text of the body. */
  decimal(body: Members, name: string, text: string): string | undefined {
    const value = memberOf(body, name)
    if (value === undefined) return undefined
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    if (typeof value === 'number') return withoutExponent(writtenMember(text, name) ?? String(value))
    this.fail(name, 'must be a decimal number, as a string')
    return undefined
  }

  flag(body: Members, path: string): boolean | undefined {
    const value = memberOf(body, path)
    if (value === undefined) return undefined
    if (typeof value === 'boolean') return value
    const text = String(value).toLowerCase()
    if (text === 'true' || text === '1') return true
    if (text === 'false' || text === '0' || text === '') return false
    this.fail(path, 'must be true or false')
    return undefined
  }

  /** Texts of a list, or a single one. */
  texts(body: Members, path: string): readonly string[] | undefined {
    const value = memberOf(body, path)
    if (value === undefined) return undefined
    const items = Array.isArray(value) ? value : [value]
    if (items.every(item => typeof item === 'string')) return items
    this.fail(path, 'must be a list of strings')
    return undefined
  }

  /** An object; an absent one has no members. */
  members(body: Members, path: string): Members {
    const value = memberOf(body, path)
    if (value === undefined) return {}
    // PHP writes an empty object as an empty list.
    if (typeof value === 'object' && (!Array.isArray(value) || value.length === 0)) return value as Members
    this.fail(path, 'must be an object')
    return {}
  }
}

export type Members = Readonly<Record<string, unknown>>

/** The members of a body. Null, a list and a body that is no object have none. */
export function membersOf(body: unknown): Members {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Members) : {}
}

/** @param path its last part is the name of the member. BTCPay reads names in any case of their first letter. */
function memberOf(body: Members, path: string): unknown {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const other = capitalized(name)
  const value = Object.hasOwn(body, name) ? body[name] : Object.hasOwn(body, other) ? body[other] : undefined
  return value ?? undefined
}

/** A member of an object as it is written in its text. */
export function writtenMember(object: string, name: string): string | undefined {
  const texts = memberTexts(object)
  return texts.get(name) ?? texts.get(capitalized(name))
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** `2.5e-7` is `0.00000025`: programs write small floats so. */
function withoutExponent(number: string): string {
  const parts = /^(\d+)(?:\.(\d+))?e([+-]?\d{1,2})$/i.exec(number)
  if (!parts) return number
  const [, whole = '', fraction = '', exponent = '0'] = parts
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`
  return point >= digits.length ? digits.padEnd(point, '0') : `${digits.slice(0, point)}.${digits.slice(point)}`
}
