import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { type Merchant, startTestApi, type TestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'

// biome-ignore lint/suspicious/noExplicitAny: an untyped JSON document
let document: any
let api: TestApi
let merchant: Merchant

before(async () => {
  api = await startTestApi()
  merchant = await api.merchant()
  document = (await call(api, 'GET /openapi.json')).body
})
after(() => api.close())

// biome-ignore lint/suspicious/noExplicitAny: the same
function operations(): { name: string; path: string; method: string; operation: any }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  )
}

test('the document is OpenAPI 3.1 and names the address of this service', () => {
  assert.match(document.openapi, /^3\.1\./)
  assert.equal(document.info.title, 'zatgate')
  assert.deepEqual(document.servers, [{ url: api.url }])
})

test('the document has the endpoints, without removed or internal ones', () => {
  const names = operations().map(({ name }) => name)
  for (const name of [
    'GET /healthz',
    'POST /v1/invoices',
    'GET /v1/invoices/{id}',
    'GET /v1/invoices/{id}/ws',
    'GET /v1/account',
    'PATCH /v1/account',
    'PUT /v1/account/viewing-key',
    'GET /v1/account/invoices',
    'GET /v1/account/api-keys',
    'POST /v1/account/api-keys',
    'DELETE /v1/account/api-keys/{id}',
    'GET /v1/account/sessions',
    'DELETE /v1/account/sessions/{id}',
    'POST /v1/auth/logout',
  ])
    assert.ok(names.includes(name), name)
  assert.deepEqual(
    names.filter(name => /signup|login|metrics|openapi|^OPTIONS|^HEAD/.test(name)),
    [],
  )
})

test('every operation has a summary, its path parameters and described responses', () => {
  for (const { name, path, operation } of operations()) {
    assert.ok(operation.summary.length > 5, name)
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    const parameters = (operation.parameters ?? []).filter((parameter: { in: string }) => parameter.in === 'path')
    assert.deepEqual(parameters.map((parameter: { name: string }) => parameter.name).sort(), named.sort(), name)
    assert.ok(
      parameters.every((parameter: { required: boolean }) => parameter.required),
      name,
    )
    for (const [status, response] of Object.entries(operation.responses)) {
      assert.match(status, /^(\d\d\d|4XX|5XX)$/, name)
      assert.equal(typeof (response as { description: unknown }).description, 'string', name)
    }
  }
})

test('every schema is valid, every security scheme is declared, every reference resolves', () => {
  const schemas: object[] = []
  JSON.stringify(document, (key, value) => {
    if (key === 'schema') schemas.push(value)
    if (key === '$ref') assert.ok(resolve(value), value)
    return value
  })
  assert.ok(schemas.length > 30)
  for (const schema of schemas) assert.doesNotThrow(() => Compile(schema as never))
  for (const { name, operation } of operations())
    for (const scheme of (operation.security ?? []).flatMap(Object.keys))
      assert.ok(document.components.securitySchemes[scheme], `${name}: ${scheme}`)
})

function resolve(reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/')
  return steps.reduce((value, step) => (value as Record<string, unknown> | undefined)?.[step], document as unknown)
}

test('real responses match the schemas, and the schemas contain all their members', async () => {
  const { body: created } = await call(api, 'POST /v1/invoices', { token: merchant.apiKey, json: { amount_zat: 5 } })
  const calls: [string, string | undefined, unknown][] = [
    [`GET /v1/invoices/${created.id}`, undefined, undefined],
    [`GET /v1/invoices/3fa85f64-5717-4562-b3fc-2c963f66afa6`, undefined, undefined],
    ['GET /v1/account', merchant.sessionToken, undefined],
    ['PATCH /v1/account', merchant.sessionToken, { confirmations: 5 }],
    ['GET /v1/account/invoices', merchant.sessionToken, undefined],
    ['GET /v1/account/api-keys', merchant.sessionToken, undefined],
    ['POST /v1/account/api-keys', merchant.sessionToken, { name: 'x' }],
    ['GET /v1/account/sessions', merchant.sessionToken, undefined],
  ]
  for (const [line, token, json] of calls) {
    const response = await call(api, line, { ...(token && { token }), ...(json ? { json } : {}) })
    const [method = '', path = ''] = line.split(' ')
    const template = path.replace(/\/invoices\/.+/, '/invoices/{id}')
    const { responses } = document.paths[template][method.toLowerCase()]
    const { schema } = (responses[response.status] ?? responses['4XX']).content['application/json']
    assert.ok(Compile(strict(schema) as never).Check(response.body), `${line}: ${response.text}`)
  }
})

/** The schema without additional properties. */
// biome-ignore lint/suspicious/noExplicitAny: any schema
function strict(schema: any): any {
  if (schema.items) return { ...schema, items: strict(schema.items) }
  return schema.properties ? { ...schema, additionalProperties: false } : schema
}
