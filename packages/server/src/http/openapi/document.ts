import type { FastifyContextConfig, RouteOptions } from 'fastify'
import { invalidFieldCode } from '../../domain/error.ts'
import { API_ERRORS, type ApiError, type ApiErrorName } from '../../domain/error-table.ts'
import { type Access, errorsOfAccess, securityOf } from '../access.ts'
import { errorDocUrl, STATUS } from '../error.ts'
import { IDEMPOTENCY_KEY } from '../idempotency.ts'
import { ERROR_RESPONSES, ErrorBody } from '../schema.ts'
import { EXAMPLES } from './examples.ts'
import { JSON_TYPE, openApiPath, operationOf } from './operation.ts'
import { type JsonObject, shareSchemas } from './shared-schemas.ts'
import { webhooks } from './webhooks.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The errors of the operation other than those that follow from its schema, its authentication and its rate limits. */
    errors?: readonly ApiErrorName[]
  }
}

const TAGS = [
  { name: 'invoices', description: 'Create, read and follow invoices.' },
  { name: 'swaps', description: 'Pay an invoice in another asset, through a swap provider.' },
  { name: 'account', description: 'The account, its invoices and its viewing key.' },
  { name: 'API keys', description: 'Keys that create invoices, or do what their scopes name.' },
  { name: 'sessions', description: 'Sign-ins and tokens of scripts.' },
  { name: 'webhooks', description: 'The webhook of an account, and its deliveries.' },
  { name: 'feed', description: 'The events of an account, read in their order.' },
  { name: 'payment links', description: 'Reusable pages from which buyers create invoices.' },
  { name: 'refunds', description: 'Orders to pay buyers back, which the wallet of the merchant pays.' },
  { name: 'withdrawals', description: 'Orders to pay out in fiat.' },
  { name: 'billing', description: 'Plans, and the invoices used this month.' },
  { name: 'service', description: 'Health checks.' },
  { name: 'events', description: 'Requests to the webhook of an account.' },
]

const RETRY_AFTER = { description: 'Seconds until a retry can succeed.', schema: { type: 'integer' } }
const AUTHENTICATE = { description: 'The authentication scheme.', schema: { type: 'string', const: 'Bearer' } }

/** The address of the service in the examples of errors. */
const EXAMPLE_URL = 'https://pay.example.com'

/** All that can be wrong with a health check. */
const MALFORMED: [code: string, error: ApiError] = ['bad_request', API_ERRORS.bad_request]

/** Errors of all operations that use the database. */
const COMMON_ERRORS: readonly ApiErrorName[] = [
  'internal_error',
  'overloaded',
  'database_unavailable',
  'timed_out',
  'closing',
]

/** Errors with a `Retry-After` header. */
const RETRIED_STATUSES: readonly number[] = [429, 503]

const WEBSOCKET_RESPONSES = {
  101: { description: 'The connection is a WebSocket. Its messages are described above.' },
  default: { description: 'Any other error.', content: { [JSON_TYPE]: { schema: ErrorBody } } },
}

/** The responses that are not errors, and the one of a probe. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Success.',
  202: 'Accepted: it is done soon.',
  204: 'Done.',
  503: 'Not ready.',
}

/**
 * The document of these routes: their operations, shared schemas, tags and the webhooks.
 * @param head all other members of the document
 */
export function apiDocument(head: JsonObject, routes: readonly RouteOptions[]): JsonObject {
  const paths: JsonObject = {}
  for (const route of routes) {
    const path = openApiPath(route.url)
    paths[path] = { ...paths[path], [String(route.method).toLowerCase()]: describedOperation(route) }
  }
  return shareSchemas({ ...head, paths, tags: TAGS, webhooks: webhooks() })
}

function describedOperation({ schema = {}, config = {} }: RouteOptions): JsonObject {
  const operation = operationOf(schema)
  const access = config.access ?? 'public'
  const example = EXAMPLES[operation.operationId]
  const isService = operation.tags[0] === 'service'
  return {
    ...operation,
    security: securityOf(access),
    ...(operation.parameters && { parameters: operation.parameters.map(describedParameter) }),
    ...(operation.requestBody && { requestBody: withExample(operation.requestBody, example?.request) }),
    responses: {
      // In place of the two for all errors, each error is described.
      ...Object.fromEntries(
        Object.entries<JsonObject>(operation.responses).flatMap(([status, response]) =>
          status in ERROR_RESPONSES ? [] : [[status, describedResponse(status, response, example?.response)]],
        ),
      ),
      ...errorResponses(isService ? [MALFORMED] : errorsOf(operation, config, access)),
      ...(operation.operationId === 'followInvoice' && WEBSOCKET_RESPONSES),
    },
  }
}

function describedResponse(status: string, response: JsonObject, example: unknown): JsonObject {
  const description = DESCRIPTIONS[status]
  if (status === '204') return { description }
  return { ...(status.startsWith('2') ? withExample(response, example) : response), description }
}

function withExample(body: JsonObject, example: unknown): JsonObject {
  if (example === undefined || !body.content) return body
  const content = Object.entries<JsonObject>(body.content).map(([type, media]) => [type, { ...media, example }])
  return { ...body, content: Object.fromEntries(content) }
}

/** The errors of an operation by their codes, in the order of the judgement. */
function errorsOf(
  operation: JsonObject,
  { errors = [], rate }: FastifyContextConfig,
  access: Access,
): [code: string, error: ApiError][] {
  const body = operation.requestBody?.content?.[JSON_TYPE]?.schema
  const names: ApiErrorName[] = [
    ...(rate !== 'unlimited' ? (['too_many_requests'] as const) : []),
    ...errorsOfAccess(access),
    'unknown_parameter',
    ...(body
      ? (['unsupported_media_type', 'body_too_large', 'invalid_json', 'unknown_field', 'invalid_text'] as const)
      : []),
    ...errors,
    ...COMMON_ERRORS,
  ]
  const fields = [
    ...Object.entries<JsonObject>(body?.properties ?? {}),
    ...(operation.parameters ?? [])
      .filter((parameter: JsonObject) => parameter.in !== 'path')
      .map((parameter: JsonObject) => [parameter.name, parameter.schema]),
  ] as [string, JsonObject][]
  return [
    ...fields.map(([name]) => invalidFieldError(name)),
    ...names.map(name => {
      const error: ApiError = API_ERRORS[name]
      return [error.code ?? name, error] as [string, ApiError]
    }),
  ]
}

/** The header's schema has the name in lower case, as Node reads it, and no limits: those are checked after the body. */
function describedParameter(parameter: JsonObject): JsonObject {
  const { name, schema } = parameter
  if (name !== 'idempotency-key') return parameter
  return { ...parameter, name: canonicalName(name), schema: { ...schema, ...IDEMPOTENCY_KEY } }
}

function canonicalName(field: string): string {
  return field === 'idempotency-key' ? 'Idempotency-Key' : field
}

function invalidFieldError(field: string): [code: string, error: ApiError] {
  const name = canonicalName(field)
  const { kind, text, fix } = API_ERRORS.invalid_field
  return [
    invalidFieldCode(field),
    { kind, text, fix, when: `\`${name}\` is missing, malformed or out of range.`, example: { value: name } },
  ]
}

function errorResponses(errors: readonly [code: string, error: ApiError][]): JsonObject {
  const byStatus = Map.groupBy(errors, ([, { kind }]) => STATUS[kind])
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, same]) => [
        status,
        {
          description: same.map(([code, { when }]) => `\`${code}\`: ${when}`).join('\n\n'),
          ...(RETRIED_STATUSES.includes(status) && { headers: { 'Retry-After': RETRY_AFTER } }),
          ...(status === 401 && { headers: { 'WWW-Authenticate': AUTHENTICATE } }),
          content: { [JSON_TYPE]: { schema: ErrorBody, examples: Object.fromEntries(same.map(errorExample)) } },
        },
      ]),
  )
}

function errorExample([code, { text, when, detail, example }]: [string, ApiError]) {
  const { value, extra, detail: computed = detail } = example ?? {}
  const message = value === undefined ? text : text.replace('…', value)
  const details = { ...(computed !== undefined && { detail: computed }), ...extra }
  return [code, { summary: when, value: { code, message, ...details, doc_url: errorDocUrl(code, EXAMPLE_URL) } }]
}
