import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError } from '../domain/error.ts'
import type { App } from './app.ts'
import { printable } from './validation.ts'

/** Refuses query parameters that an endpoint of the API does not have. Pages ignore them. Call before adding routes. */
export function refuseUnknownParameters(app: App): void {
  app.addHook('preValidation', (request, _reply, done) => {
    done(request.routeOptions.url?.startsWith('/v1/') ? unknownParameter(request) : undefined)
  })
}

function unknownParameter({ query, routeOptions }: FastifyRequest): AppError | undefined {
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as TSchema & { properties?: object }
  const name = Object.keys(query as object).find(given => !Object.hasOwn(properties, given))
  if (name === undefined) return undefined
  const known = Object.keys(properties)
  const detail = known.length === 0 ? 'this endpoint has no parameters' : `one of ${known.join(', ')}`
  return new AppError('invalid', 'unknown_parameter', `unknown parameter ${printable(name)}`, { extra: { detail } })
}
