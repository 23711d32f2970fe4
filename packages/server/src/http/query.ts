import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError } from '../domain/error.ts'
import type { App } from './app.ts'
import { printable } from './validation.ts'

/** With it, jQuery and others keep caches from answering a read. */
const CACHE_BUSTER = '_'
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses query parameters that an endpoint of the API does not have. Pages ignore them. Call before adding routes. */
export function refuseUnknownParameters(app: App): void {
  app.addHook('preValidation', (request, _reply, done) => {
    done(request.routeOptions.url?.startsWith('/v1/') ? unknownParameter(request) : undefined)
  })
}

function unknownParameter({ method, query, routeOptions }: FastifyRequest): AppError | undefined {
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as TSchema & { properties?: object }
  const given = query as Record<string, unknown>
  if (READS.has(method)) delete given[CACHE_BUSTER]
  const name = Object.keys(given).find(parameter => !Object.hasOwn(properties, parameter))
  if (name === undefined) return undefined
  const known = Object.keys(properties)
  const detail = known.length === 0 ? 'this endpoint has no parameters' : `one of ${known.join(', ')}`
  return new AppError('unknown_parameter', { value: printable(name), detail })
}
