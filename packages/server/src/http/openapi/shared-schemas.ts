// biome-ignore lint/suspicious/noExplicitAny: a JSON document, whose parts the specification types
export type JsonObject = { [member: string]: any }

/** Formats without which generators of clients choose types of 32 bits, which amounts do not fit in. */
const NUMBER_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'double' }

/**
 * Moves each object and enumeration with a title to `components.schemas`, and puts a reference to it in its place. A
 * schema that may also be null becomes a choice of both. Numbers get a format of 64 bits.
 */
export function shareSchemas(document: JsonObject): JsonObject {
  const schemas: JsonObject = {}

  function share(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(share)
    if (typeof value !== 'object' || value === null) return value
    const members: JsonObject = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, share(member)]))
    const types = [members.type].flat()
    const format = types.map(type => NUMBER_FORMATS[type]).find(Boolean)
    if (format) return { ...members, format }
    if (typeof members.title !== 'string' || !(members.properties || members.enum)) return members
    const { title, ...schema } = members
    const isNullable = types.includes('null')
    schemas[title] = { ...schema, type: types.find(type => type !== 'null') }
    const reference = { $ref: `#/components/schemas/${title}` }
    return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  const shared = share(document) as JsonObject
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...shared, components: { ...shared.components, schemas: sorted } }
}
