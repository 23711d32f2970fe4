import { API_ERRORS, type ApiError } from '../../src/domain/error-table.ts'
import { STATUS } from '../../src/http/error.ts'
import type { JsonObject } from '../../src/http/openapi/shared-schemas.ts'

/** An error that a service has sent. */
export interface SentError {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  readonly body: { readonly code?: string; readonly message?: string }
}

/** The messages that contain a value, by code and status. */
const VARIES = new Set(
  Object.entries<ApiError>(API_ERRORS).flatMap(([name, { code = name, kind, text }]) =>
    text.includes('…') ? [`${code} ${STATUS[kind]}`] : [],
  ),
)

/** Why the document does not describe the error; null when it does. */
export function undocumented(document: JsonObject, { method, path, status, body }: SentError): string | null {
  const { code = '', message } = body
  const operation = operationAt(document, method, path)
  if (!operation) return null
  const name = `${operation.operationId}: ${status} ${code}`
  const described = operation.responses[status]?.content?.['application/json']?.examples?.[code]?.value
  if (!described) return `${name} is not in the document`
  if (described.message === message || VARIES.has(`${code} ${status}`)) return null
  return `${name} has the message '${message}', in the document '${described.message}'`
}

function operationAt(document: JsonObject, method: string, path: string): JsonObject | undefined {
  const matches = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
  const template = path in document.paths ? path : Object.keys(document.paths).find(matches)
  return template === undefined ? undefined : document.paths[template][method.toLowerCase()]
}
