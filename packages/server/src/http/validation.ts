import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { AppError, invalidField } from '../domain/error.ts'
import { invalidJson } from './error.ts'

type ValidationError = ReturnType<ReturnType<typeof Compile>['Errors']>[1][number]

/**
 * Validates a request against its schema without changing it: no coercion, no defaults, no removed members. Only
 * integers in a query string are parsed from their text.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // With the first request: most routes of a small shop are never called.
  let compiled: ReturnType<typeof Compile> | undefined
  const integers = httpPart === 'querystring' ? integerMembers(schema) : []
  return (given: unknown) => {
    const value = integers.length > 0 ? withIntegers(given, integers) : given
    compiled ??= Compile(schema)
    return compiled.Check(value) ? { value } : { error: toValidationError(compiled.Errors(value)[1], schema) }
  }
}

/** Unknown members are reported first: they are often misspelt names of missing ones. */
function toValidationError(errors: readonly ValidationError[], schema: TSchema): AppError {
  const unknown = errors.find(({ keyword, instancePath }) => keyword === 'additionalProperties' && instancePath === '')
  if (unknown) return unknownField(unknown, schema)
  const first = errors[0]
  if (!first) throw new Error('validation failed without an error')
  const field = fieldOf(first)
  return field === undefined ? invalidJson('the body should be a JSON object') : invalidField(field, first.message)
}

function unknownField({ params }: ValidationError, schema: TSchema): AppError {
  const [name = ''] = (params as { additionalProperties?: string[] }).additionalProperties ?? []
  const known = Object.keys((schema as { properties?: object }).properties ?? {})
  const detail = known.length === 0 ? 'this endpoint has no fields' : `one of ${known.join(', ')}`
  return new AppError('unknown_field', { value: printable(name), detail })
}

/** The member of the body. What is wrong inside of it is an error of the member. */
function fieldOf({ keyword, instancePath, params }: ValidationError): string | undefined {
  const member = instancePath.split('/')[1]
  if (member !== undefined || keyword !== 'required') return member
  return (params as { requiredProperties?: string[] }).requiredProperties?.[0]
}

/** Bounds and sanitises a field name chosen by the client. */
export function printable(name: string): string {
  return name.slice(0, 100).replace(/[^\x20-\x7e]/g, '?')
}

function integerMembers(schema: TSchema): string[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  return Object.keys(properties).filter(name => properties[name]?.type === 'integer')
}

function withIntegers(given: unknown, names: readonly string[]): unknown {
  const query = { ...(given as Record<string, unknown>) }
  for (const name of names) {
    const text = query[name]
    if (typeof text === 'string' && /^(0|[1-9]\d{0,15})$/.test(text)) query[name] = Number(text)
  }
  return query
}
