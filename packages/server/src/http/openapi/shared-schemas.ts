// biome-ignore lint/suspicious/noExplicitAny: a JSON document, whose parts the specification types
export type JsonObject = { [member: string]: any }

/**
 * Moves each schema with a title to `components.schemas`, and puts a reference to it in its place. A schema that may
 * also be null becomes a choice of both.
 */
export function shareSchemas(document: JsonObject): JsonObject {
  const schemas: JsonObject = {}

  function share(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(share)
    if (typeof value !== 'object' || value === null) return value
    const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, share(member)]))
    if (typeof members.title !== 'string' || members.properties === undefined) return members
    const { title, ...schema } = members
    const isNullable = Array.isArray(schema.type) && schema.type.includes('null')
    schemas[title as string] = { ...schema, type: 'object' }
    const reference = { $ref: `#/components/schemas/${title}` }
    return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  const shared = share(document) as JsonObject
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b, 'en')))
  return { ...shared, components: { ...shared.components, schemas: sorted } }
}
