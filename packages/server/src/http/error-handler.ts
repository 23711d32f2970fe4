import type { FastifyReply } from 'fastify'
import type { AppError } from '../domain/error.ts'
import type { Log } from '../ports/log.ts'
import type { AnyRequest, App } from './app.ts'
import { sendError, toAppError } from './error.ts'

/** Sends a page to a browser that requests an unknown path. Returns false if it sent nothing. */
export type NotFoundPage = (error: AppError, request: AnyRequest, reply: FastifyReply) => boolean

/** Sends every error as a response of the API, and logs internal errors. */
export function addErrorHandler(app: App, log: Log, notFoundPage: NotFoundPage = () => false): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown)
    if (error.kind === 'internal')
      log.error(
        { method: request.method, route: request.routeOptions.url, err: error.cause ?? error },
        'internal error',
      )
    if (!notFoundPage(error, request, reply)) sendError(reply, error)
  })
}
