import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'

/** The shapes of BTCPay's Greenfield API and the recorded requests lie beside the repository. */
const FOLDER = new URL('../../../../../shared/greenfield/', import.meta.url)

/** For `test`'s `skip`: false if they are there, otherwise the reason to skip. */
export const greenfieldMissing = existsSync(FOLDER) ? false : 'the shapes are not at ../shared/greenfield'

/** The recorded clients: `recorded/<name>.json`. */
export const RECORDINGS = [
  'woocommerce',
  'magento',
  'prestashop',
  'php-library',
  'node-client',
  'python-pygreenfield',
  'python-btcpay-sdk',
] as const

// biome-ignore lint/suspicious/noExplicitAny: JSON that the checks walk freely
export type Json = any

/** Members which BTCPay answers in another way than its document says. By schema and member. */
const CORRECTIONS: Readonly<Record<string, Json>> = {
  'ApplicationServerInfoData.onion': { type: 'string', nullable: true },
  'ApplicationServerInfoData.syncStatus.nodeInformation': { type: 'object', nullable: true },
  'StoreBaseData.paymentMethodCriteria': { type: 'array', items: {} },
  'StoreBaseData.defaultPaymentMethod': { type: 'string', nullable: true },
  'PullPaymentData.BOLT11Expiration': { type: 'integer' },
}

/** Members which BTCPay answers beyond its document. By schema. */
const BEYOND: Readonly<Record<string, Json>> = {
  StoreBaseData: { userRole: { type: 'string' } },
  InvoiceDataBase: {
    paymentMethods: { type: 'array', items: { $ref: '#/components/schemas/InvoicePaymentMethodDataModel' } },
  },
}

/** Events that BTCPay sends and its document does not describe. They have the members of every event of an invoice. */
const NEWER_EVENTS = ['InvoiceExpiredPaidPartial', 'InvoicePaidAfterExpiration', 'InvoiceRefund']

/** The names of payment methods in version 1, at the place of their ids. Their answers were lists. */
const OLD_METHODS = /\/payment-methods\/(?:OnChain|LightningNetwork)$/

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  validateFormats: true,
  formats: {
    decimal: /^-?\d+(?:\.\d+)?$/,
    url: isUrl,
    uri: isUrl,
    double: true,
    int32: { type: 'number', validate: Number.isInteger },
    integer: { type: 'number', validate: Number.isInteger },
    // Times and spans of time are whole numbers of this unit.
    seconds: { type: 'number', validate: Number.isInteger },
    minutes: { type: 'number', validate: Number.isInteger },
    days: { type: 'number', validate: Number.isInteger },
  },
})

const compiled = new Map<string, ValidateFunction>()
let document: Json

/**
 * Asserts that a value is as a schema of BTCPay's document says: no member that it does not know where it forbids others,
 * decimals as text, null only where it may be. It names few members that must be there. Without the document, passes.
 *
 * @param schemaName such as `InvoiceData`
 */
export function conforms(schemaName: string, value: unknown): void {
  if (greenfieldMissing === false) check(schemaName, value, () => ({ $ref: `#/components/schemas/${schemaName}` }))
}

/** An answer over HTTP. */
export interface GreenfieldAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Asserts that an answer is one of an operation: its status, and its body. Errors are BTCPay's. Without the document, passes.
 *
 * @param operationId such as `Invoices_GetInvoice`
 */
export function conformsTo(operationId: string, { status, headers, text }: GreenfieldAnswer): void {
  if (greenfieldMissing !== false) return
  const { responses } = findOperation(operationId)
  const type = headers.get('content-type')
  const schema = responses[status]?.content?.['application/json']?.schema
  if (status === 200 && schema === undefined) {
    assert.deepEqual([text, type], ['', null], `${operationId} answers without a body`)
    return
  }
  assert.ok(status === 200 || status >= 400, `${operationId} never answers ${status}`)
  assert.match(type ?? 'no content type', /^application\/json\b/, `${operationId} ${status}: ${text}`)
  const body = JSON.parse(text)
  if (schema !== undefined && status === 200) check(`${operationId} 200`, body, () => schema)
  else requireError(`${operationId} ${status}`, status, body)
}

/** Asserts that the body of a webhook is as the document says for its type. Without the document, passes. */
export function conformsToEvent(event: { readonly type: string }): void {
  if (greenfieldMissing !== false) return
  const described = readDocumentation()['x-webhooks'][event.type]
  if (!described && !NEWER_EVENTS.includes(event.type)) assert.fail(`BTCPay has no event ${event.type}`)
  const schema = described?.post.requestBody.content['application/json'].schema
  check(`event ${event.type}`, event, () => schema ?? { $ref: '#/components/schemas/WebhookInvoiceEvent' })
}

/**
 * The operation of a request; null for one that the document no longer has, such as those of version 1.
 *
 * @param path without the query; under `/stores/{storeId}/`, too, where the document has the shorter path only
 */
export function operationOf(method: string, path: string): string | null {
  if (OLD_METHODS.test(path)) return null
  const given = path.replace(/\/$/, '')
  const short = given.replace(/\/stores\/[^/]+\/(invoices|webhooks|pull-payments)\//, '/$1/')
  for (const [template, operations] of Object.entries<Json>(readDocumentation().paths)) {
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const operation = operations[method.toLowerCase()]
    if (operation && (pattern.test(given) || pattern.test(short))) return operation.operationId
  }
  return null
}

/** The requests that a client sent, of a file of `recorded/`. */
export function readRecording(name: string): Json {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, FOLDER), 'utf8'))
}

/** Every error is `{code, message}`; refused members are a list of `{path, message}`. Both are never empty. */
function requireError(name: string, status: number, body: Json): void {
  conforms(status === 422 ? 'ValidationProblemDetails' : 'ProblemDetails', body)
  const members = status === 422 ? ['path', 'message'] : ['code', 'message']
  assert.equal(Array.isArray(body), status === 422, `${name}: ${JSON.stringify(body)}`)
  const problems: Json[] = status === 422 ? body : [body]
  assert.ok(problems.length > 0, name)
  for (const problem of problems)
    for (const member of members) assert.ok(problem[member], `${name} has no ${member}: ${JSON.stringify(body)}`)
}

function check(name: string, value: unknown, schema: () => Json): void {
  let validate = compiled.get(name)
  if (!validate) {
    validate = ajv.compile(toJsonSchema(schema(), name))
    compiled.set(name, validate)
  }
  if (validate(value)) return
  const errors = validate.errors?.map(({ instancePath, message, params }) =>
    `${instancePath || '/'} ${message} ${'additionalProperty' in params ? params.additionalProperty : ''}`.trim(),
  )
  assert.fail(`${name}: ${errors?.join('; ')}\n${JSON.stringify(value)}`)
}

function readDocumentation(): Json {
  document ??= JSON.parse(readFileSync(new URL('openapi.json', FOLDER), 'utf8'))
  return document
}

function findOperation(operationId: string): Json {
  for (const operations of Object.values<Json>(readDocumentation().paths))
    for (const operation of Object.values<Json>(operations)) if (operation.operationId === operationId) return operation
  return assert.fail(`the document has no operation ${operationId}`)
}

/**
 * A schema of OpenAPI 3.0 as JSON Schema: references are inlined, and the parts of an `allOf` are one object, so that
 * `additionalProperties: false` of one part allows the members of the others.
 */
function toJsonSchema(schema: Json, path: string): Json {
  const { name, ...merged } = merge(schema, path)
  const { nullable, properties, items, anyOf, oneOf, enum: values, additionalProperties, ...rest } = merged
  const here = name ?? path
  const each = (schemas: Json[]) => schemas.map(part => toJsonSchema({ type: merged.type, ...part }, here))
  const result = {
    ...rest,
    ...(values && { enum: nullable ? [...values, null] : values }),
    ...(nullable && rest.type && { type: [rest.type, 'null'] }),
    ...(additionalProperties === false && { additionalProperties }),
    ...(items && { items: toJsonSchema(items, here) }),
    ...(anyOf && { anyOf: each(anyOf) }),
    ...(oneOf && { anyOf: each(oneOf) }),
  }
  if (properties)
    result.properties = Object.fromEntries(
      Object.entries<Json>(properties).map(([member, { schema: part, owner }]) => {
        const known = `${owner}.${member}`
        return [member, toJsonSchema(CORRECTIONS[known] ?? part, known)]
      }),
    )
  return result
}

/** One schema of a schema, those that it refers to and the parts of its `allOf`. What stands outside counts. */
function merge(schema: Json, owner: string): Json {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)
    const target = readDocumentation().components.schemas[name] ?? assert.fail(`no schema ${name}`)
    return { ...merge(target, name), name }
  }
  const { allOf = [], properties = {}, description: _, example: __, default: ___, ...outer } = schema
  const own = Object.fromEntries(
    Object.entries<Json>({ ...properties, ...BEYOND[owner] }).map(([member, part]) => [
      member,
      { schema: part, owner },
    ]),
  )
  const parts: Json[] = allOf.map((part: Json) => merge(part, owner))
  const isClosed = [outer, ...parts].some(part => part.additionalProperties === false)
  const members = Object.assign({}, ...parts.map(part => part.properties), own)
  return {
    ...Object.assign({}, ...parts),
    ...outer,
    ...(Object.keys(members).length > 0 && { type: 'object', properties: members }),
    ...(isClosed && { additionalProperties: false }),
  }
}

function isUrl(text: string): boolean {
  return URL.canParse(text)
}
