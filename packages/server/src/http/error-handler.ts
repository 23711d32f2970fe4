import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../domain/error.ts'
import type { Log } from '../ports/log.ts'
import type { AnyRequest, App } from './app.ts'
import { sendError, toAppError } from './error.ts'

/** Sends a page to a browser that requests an unknown path. Returns false if it sent nothing. */
export type NotFoundPage = (error: AppError, request: AnyRequest, reply: FastifyReply) => boolean

/** Logs internal errors, and at log level `debug` requests that the client has aborted. */
export function logError(log: Log, error: AppError, { id: requestId, method, routeOptions }: FastifyRequest): void {
  const details = { requestId, method, route: routeOptions.url }
  if (error.kind === 'internal') log.error({ ...details, err: error.cause ?? error }, 'internal error')
  if (error.code === 'request_aborted') log.debug(details, 'request aborted by the client')
}

/** Sends every error as a response of the API. */
export function addErrorHandler(app: App, log: Log, notFoundPage: NotFoundPage = () => false): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown, request)
    logError(log, error, request)
    if (!notFoundPage(error, request, reply)) sendError(reply, error)
  })
}
