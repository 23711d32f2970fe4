import type { JsonObject } from '../../http/openapi/shared-schemas.ts'
import { type Html, html } from '../html.ts'
import { prose } from './prose.ts'

/** A field of a body, with the path to it: `swap.status`, `[].id`. */
interface Field {
  readonly path: string
  readonly schema: JsonObject
  readonly required: boolean
}

/** Resolves references within an OpenAPI document. */
export type Resolve = (schema: JsonObject) => JsonObject

/** A resolver for the shared schemas of a document. */
export function resolver(document: JsonObject): Resolve {
  return schema => {
    const { $ref: reference } = schema
    return typeof reference === 'string' ? document.components.schemas[reference.split('/').at(-1) as string] : schema
  }
}

/** The fields of a body, those of objects in it included. */
export function schemaTable(schema: JsonObject, resolve: Resolve): Html {
  return fieldTable(fieldsOf(schema, resolve))
}

/** The parameters of an operation. */
export function parameterTable(parameters: readonly JsonObject[]): Html {
  return fieldTable(
    parameters.map(({ name, schema, required, description }) => ({
      path: name,
      schema: { description, ...schema },
      required: required === true,
    })),
  )
}

function fieldTable(fields: readonly Field[]): Html {
  const rows = fields.map(
    ({ path, schema, required }) => html`<tr>
      <th scope="row"><code>${path}</code>${!required && html` <span class="below">optional</span>`}</th>
      <td>${typeOf(schema)}<span class="slim">${prose(schema.description ?? '')}</span></td>
      <td class="wide">${prose(schema.description ?? '')}</td>
    </tr>`,
  )
  return html`<table class="fields"><thead><tr><th>Field</th><th>Type</th><th class="wide">Meaning</th></tr></thead><tbody>${rows}</tbody></table>`
}

function fieldsOf(given: JsonObject, resolve: Resolve, prefix = ''): Field[] {
  const schema = resolve(given)
  if (schema.items) return fieldsOf(schema.items, resolve, `${prefix}[].`)
  return Object.entries<JsonObject>(schema.properties ?? {}).flatMap(([name, member]) => {
    const resolved = withoutNull(member, resolve)
    const field = {
      path: `${prefix}${name}`,
      schema: { ...resolved, isNullable: resolved !== resolve(member) || isNullable(resolved) },
      required: (schema.required ?? []).includes(name),
    }
    const inner = resolved.properties || resolved.items?.$ref || resolved.items?.properties
    return inner ? [field, ...fieldsOf(resolved, resolve, resolved.items ? field.path : `${field.path}.`)] : [field]
  })
}

/** The schema that applies when the value is not null. */
function withoutNull(schema: JsonObject, resolve: Resolve): JsonObject {
  const choice = (schema.anyOf as JsonObject[] | undefined)?.find(({ type }) => type !== 'null')
  return resolve(choice ?? schema)
}

function isNullable({ type }: JsonObject): boolean {
  return Array.isArray(type) && type.includes('null')
}

function typeOf({ isNullable: nullable, ...schema }: JsonObject): Html {
  const { type, format, minimum, maximum, maxLength } = schema
  const values: unknown[] = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  if (values.length > 0 && values.every(value => value === null)) return html`null`
  const name = [type].flat().filter(one => one !== 'null' && one !== undefined)
  const bounds = [
    minimum !== undefined && `from ${formatted(minimum)}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `to ${formatted(maximum)}`,
    maxLength !== undefined && `up to ${formatted(maxLength)} characters`,
  ].filter(Boolean)
  // The width of numbers concerns programs only.
  const shown = name.includes('integer') || name.includes('number') ? undefined : format
  return html`${name.join(' or ')}${shown && ` (${shown})`}${nullable && ' or null'}${
    bounds.length > 0 && html` <span class="below">${bounds.join(' ')}</span>`
  }${values.length > 0 && html` <span class="below">${values.map((value, index) => html`${index > 0 && ', '}<code>${String(value)}</code>`)}</span>`}`
}

function formatted(number: number): string {
  return number.toLocaleString('en')
}
