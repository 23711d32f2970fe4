import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type AppErrorKind } from '../domain/error.ts'

const STATUS: Readonly<Record<AppErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_type: 415,
  too_many: 429,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
}

export const invalidJson = (detail?: string) =>
  new AppError('invalid', 'invalid_json', 'invalid json', detail === undefined ? {} : { extra: { detail } })

export const unsupportedMediaType = (detail: string) =>
  new AppError('unsupported_type', 'unsupported_media_type', 'unsupported media type', { extra: { detail } })

export const routeNotFound = () => new AppError('not_found', 'not_found', 'not found')

/** Fastify's own errors, mapped to the error bodies of this API. */
const FRAMEWORK_ERRORS: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () => invalidJson(),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => invalidJson('the body is empty'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalidJson('the body length does not match Content-Length'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('too_large', 'body_too_large', 'body too large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedMediaType('send Content-Type: application/json'),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () => invalidJson(),
  FST_ERR_BAD_URL: routeNotFound,
  FST_ERR_MAX_PARAM_LENGTH: routeNotFound,
}

/** The code of the error of a request whose client has closed the connection before sending all of its body. */
export const ABORTED = 'request_aborted'

/** Converts any error. An unknown error becomes an internal error with the original as its private cause. */
export function toAppError(error: unknown, request?: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  // The same error could come from another connection, such as one to the database: only that of the body counts.
  if (request && error === request.raw.errored) return new AppError('invalid', ABORTED, 'request aborted')
  const convert = FRAMEWORK_ERRORS[(error as Partial<FastifyError> | null)?.code ?? '']
  return convert ? convert() : new AppError('internal', 'internal_error', 'internal error', { cause: error })
}

export function httpStatusOf(error: AppError): number {
  return STATUS[error.kind]
}

export function sendError(reply: FastifyReply, error: AppError): void {
  if (error.retryAfterSecs !== undefined) reply.header('retry-after', error.retryAfterSecs)
  if (error.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  reply.code(httpStatusOf(error)).send({ code: error.code, message: error.message, ...error.extra })
}
