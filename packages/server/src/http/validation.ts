import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Fault, invalidField } from '../domain/error.ts'
import { invalidJson } from './errors.ts'

type Problem = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

/**
 * Checks a request against its schema, changing nothing: no type is coerced, no default filled in, no member taken
 * away. Only numbers in a query string, which has nothing but text, are read as the whole numbers they spell.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const shape = Compile(schema)
  const integers = httpPart === 'querystring' ? integerMembers(schema) : []
  return (given: unknown) => {
    const value = integers.length > 0 ? withIntegers(given, integers) : given
    return shape.Check(value) ? { value } : { error: refusal(shape.Errors(value)) }
  }
}

/** A member that should not be there comes first: most often it is the misspelt name of one that is missing. */
function refusal(problems: readonly Problem[]): Fault {
  const stray = problems.find(({ keyword }) => keyword === 'additionalProperties')
  if (stray) return unknownField(stray)
  const problem = problems[0]
  if (!problem) throw new Error('a value was refused without a reason')
  const field = fieldOf(problem)
  return field === undefined ? invalidJson('the body should be a JSON object') : invalidField(field, problem.message)
}

function unknownField({ params }: Problem): Fault {
  const [name = ''] = (params as { additionalProperties?: string[] }).additionalProperties ?? []
  return new Fault('invalid', 'unknown_field', `unknown field ${printable(name)}`)
}

function fieldOf({ keyword, instancePath, params }: Problem): string | undefined {
  if (keyword === 'required') return (params as { requiredProperties?: string[] }).requiredProperties?.[0]
  return instancePath.split('/')[1]
}

/** A name that the client chose, fit to be shown. */
function printable(name: string): string {
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
