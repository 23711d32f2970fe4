import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../domain/error.ts'
import { API_ERRORS, type ErrorKind } from '../domain/error-table.ts'

export const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_type: 415,
  upgrade_required: 426,
  too_many: 429,
  headers_too_large: 431,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
}

export const invalidJson = (detail?: string) => new AppError('invalid_json', { detail })

/** Fastify's own errors, mapped to the error bodies of this API. */
const FRAMEWORK_ERRORS: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () => invalidJson(),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => invalidJson('the body is empty'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalidJson('the body length does not match Content-Length'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new AppError('unsupported_media_type'),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () => invalidJson(),
  FST_ERR_BAD_URL: () => new AppError('not_found'),
  FST_ERR_MAX_PARAM_LENGTH: () => new AppError('not_found'),
}

/** Converts any error. An unknown error becomes an internal error with the original as its private cause. */
export function toAppError(error: unknown, request?: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  // The same error could come from another connection, such as one to the database: only that of the body counts.
  if (request && error === request.raw.errored) return new AppError('request_aborted')
  const convert = FRAMEWORK_ERRORS[(error as Partial<FastifyError> | null)?.code ?? '']
  return convert ? convert() : new AppError('internal_error', { cause: error })
}

export function httpStatusOf(error: AppError): number {
  return STATUS[error.kind]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The address of the service; null when it does not serve the pages of documentation. */
    publicUrl: (() => string) | null
  }
}

/**
 * The body of the response to a request that fails with `error`.
 * @param publicUrl that of the app
 */
export function errorBody({ code, message, extra }: AppError, publicUrl: FastifyInstance['publicUrl']) {
  return { code, message, ...extra, ...(publicUrl && { doc_url: errorDocUrl(code, publicUrl()) }) }
}

/** Where the service shows what an error means and what to do. A field without its own entry shares one. */
export function errorDocUrl(code: string, publicUrl: string): string {
  return `${publicUrl}/docs/errors#${Object.hasOwn(API_ERRORS, code) ? code : 'invalid_field'}`
}

export function sendError(reply: FastifyReply, error: AppError): void {
  if (error.retryAfterSecs !== undefined) reply.header('retry-after', error.retryAfterSecs)
  if (error.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  reply.code(httpStatusOf(error)).send(errorBody(error, reply.server.publicUrl))
}
