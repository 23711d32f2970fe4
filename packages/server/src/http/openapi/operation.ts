import type { FastifySchema } from 'fastify'
import type { JsonObject } from './shared-schemas.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** A route without it is not part of the interface. */
    readonly summary?: string
    /** Unique. */
    readonly operationId?: string
    readonly description?: string
    readonly tags?: readonly string[]
    /** Media types of the body. Default: JSON. */
    readonly consumes?: readonly string[]
  }
}

export const JSON_TYPE = 'application/json'

/** The path of a route as OpenAPI writes it: `/invoices/:id` is `/invoices/{id}`. */
export function openApiPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}')
}

/** The operation of a route, from the schemas that validate it. Its errors and examples are not in them. */
export function operationOf(schema: FastifySchema): JsonObject {
  const { operationId, summary, tags, description, consumes = [JSON_TYPE] } = schema
  const { querystring, params, headers, body, response = {} }: JsonObject = schema
  const parameters = [
    ...parametersOf('query', querystring),
    ...parametersOf('path', params),
    ...parametersOf('header', headers),
  ]
  return {
    operationId,
    summary,
    tags,
    ...(description !== undefined && { description }),
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(consumes.map(type => [type, { schema: body }])),
        ...(body.description && { description: body.description }),
      },
    }),
    ...(parameters.length > 0 && { parameters }),
    responses: Object.fromEntries(
      Object.entries<JsonObject>(response).map(([status, answer]) => [status, responseOf(answer)]),
    ),
  }
}

function parametersOf(place: 'query' | 'path' | 'header', schema: JsonObject | undefined): JsonObject[] {
  return Object.entries<JsonObject>(schema?.properties ?? {}).map(([name, { description, ...member }]) => ({
    schema: member,
    in: place,
    name,
    required: place === 'path' || (schema?.required ?? []).includes(name),
    ...(description && { description }),
  }))
}

/** @param answer the schema of a JSON body, or one for each media type */
function responseOf(answer: JsonObject): JsonObject {
  return { content: answer.content ?? { [JSON_TYPE]: { schema: answer } } }
}
