import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { verifyWebhook, ZatgateClient } from '@zatgate/sdk'
import { Compile } from 'typebox/compile'
import { EVENT_TYPES, invoiceEventBody, WEBHOOK_EVENT_TYPES } from '../../src/domain/notify/event.ts'
import type { JsonObject } from '../../src/http/openapi/shared-schemas.ts'
import { startTestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'
import { invoiceWith } from '../harness/invoice.ts'

/** Files, and probes. */
const WITHOUT_EXAMPLE = ['GET /v1/account/export', 'GET /v1/account/refunds/export', 'GET /healthz', 'GET /readyz']

const api = await startTestApi()
const merchant = await api.merchant()
const document = (await call(api, 'GET /openapi.json')).body
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
      assert.match(status, /^(\d\d\d|default)$/, name)
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
  for (const schema of schemas) assert.doesNotThrow(() => Compile(dereference(schema) as never))
  for (const { name, operation } of operations())
    for (const scheme of (operation.security ?? []).flatMap(Object.keys))
      assert.ok(document.components.securitySchemes[scheme], `${name}: ${scheme}`)
})

function resolve(reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/')
  return steps.reduce((value, step) => (value as Record<string, unknown> | undefined)?.[step], document as unknown)
}

/** The schema with all references replaced by what they refer to. */
// biome-ignore lint/suspicious/noExplicitAny: any schema
function dereference(schema: any): any {
  if (Array.isArray(schema)) return schema.map(dereference)
  if (typeof schema !== 'object' || schema === null) return schema
  if (typeof schema.$ref === 'string') return dereference(resolve(schema.$ref))
  return Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, dereference(member)]))
}

test('operations have the names of the SDK, tags that are described, and say which credential they take', () => {
  const names = operations().map(({ operation }) => operation.operationId)
  assert.equal(new Set(names).size, names.length)
  const methods = Object.getOwnPropertyNames(ZatgateClient.prototype).filter(name => name !== 'constructor')
  const service = ['checkHealth', 'checkReadiness']
  // `events.list`, `endpoints.create`, `store.get`
  const ofEndpoints = ['create', 'get', 'change', 'remove', 'test', 'recover'].map(method => `${method}Endpoint`)
  const ofStore = ['getStore', 'updateStore', 'setStoreLogo', 'removeStoreLogo']
  const ofLinks = ['listPaymentLinks', 'getPaymentLink', 'createPaymentLink', 'changePaymentLink']
  const grouped = ['listEvents', 'listEndpoints', 'rotateEndpointSecret', ...ofEndpoints, ...ofStore, ...ofLinks]
  assert.deepEqual(names.filter(name => !service.includes(name)).sort(), [...methods, ...grouped].sort())
  const tags = document.tags.map(({ name }: { name: string }) => name)
  for (const { name, operation } of operations()) {
    for (const tag of operation.tags) assert.ok(tags.includes(tag), name)
    assert.ok(Array.isArray(operation.security), name)
  }
  const ofAccounts = operations().filter(({ path }) => /^\/v1\/(account|auth)\b/.test(path))
  assert.ok(ofAccounts.length > 20)
  for (const { name, operation } of ofAccounts) assert.deepEqual(operation.security[0], { sessionAuth: [] }, name)
})

test('generators of clients find a separate type for everything: no name is taken twice, no number has 32 bits', () => {
  const schemas = Object.keys(document.components.schemas).map(name => name.toLowerCase())
  // They also name types after security schemes, and after an operation with `Response`.
  const names = [
    ...Object.keys(document.components.securitySchemes),
    ...operations().map(({ operation }) => `${operation.operationId}Response`),
  ]
  assert.deepEqual(
    names.filter(name => schemas.includes(name.toLowerCase())),
    [],
  )
  const tagsOfWebhooks = Object.values<{ post: { tags: string[] } }>(document.webhooks).flatMap(({ post }) => post.tags)
  const tagsOfPaths = operations().flatMap(({ operation }) => operation.tags)
  // They write one file for each tag.
  assert.deepEqual(
    tagsOfWebhooks.filter(tag => tagsOfPaths.includes(tag)),
    [],
  )
  const untyped: unknown[] = []
  JSON.stringify(document, (key, value) => {
    const types = [value?.type].flat()
    if (types.includes('integer') && value.format !== 'int64') untyped.push([key, value])
    if (types.includes('number') && value.format !== 'double') untyped.push([key, value])
    for (const [name, member] of Object.entries<{ type?: string }>(value?.properties ?? {}))
      if (member.type === 'null') untyped.push([name, member])
    return value
  })
  assert.deepEqual(untyped, [])
})

test('the webhooks are all events, and the bodies of the service match their schemas', () => {
  assert.deepEqual(Object.keys(document.webhooks).sort(), [...EVENT_TYPES].sort())
  const swap = { asset: 'nep141:btc.omft.near', blockchain: 'btc', amountInFormatted: '0.1', status: 'REFUNDED' }
  const invoice = invoiceWith()
  for (const type of EVENT_TYPES.filter(name => /^(invoice|swap)/.test(name))) {
    const { schema } = document.webhooks[type].post.requestBody.content['application/json']
    for (const given of [swap, null])
      assert.ok(Compile(strict(dereference(schema)) as never).Check(JSON.parse(invoiceEventBody(type, invoice, given))))
  }
})

test('the example of each event of the webhook is signed: a reader can check a receiver with it', async () => {
  for (const type of WEBHOOK_EVENT_TYPES) {
    const { post } = document.webhooks[type]
    const headers: Record<string, string> = Object.fromEntries(
      post.parameters.map(({ name, example }: JsonObject) => [name.toLowerCase(), example]),
    )
    const [secret] = /whsec_[\w+/=]+/.exec(post.parameters[0].description) ?? []
    const body = JSON.stringify(post.requestBody.content['application/json'].example)
    const nowMs = Number(headers['webhook-timestamp']) * 1000
    assert.equal((await verifyWebhook(body, headers, secret ?? '', { nowMs })).type, type)
    assert.equal(
      headers['x-service-signature'],
      createHmac('sha256', secret ?? '')
        .update(body)
        .digest('hex'),
    )
  }
})

test('every body has an example that matches its schema', () => {
  const bodies = [
    ...operations().map(({ name, operation }) => ({ name, operation })),
    ...Object.entries<{ post: unknown }>(document.webhooks).map(([name, { post }]) => ({ name, operation: post })),
    // biome-ignore lint/suspicious/noExplicitAny: parts of the document
  ].flatMap(({ name, operation }: { name: string; operation: any }) => {
    const success = Object.entries<object>(operation.responses).filter(([status]) => status.startsWith('2'))
    return [operation.requestBody, ...success.map(([, response]) => response)].flatMap(body => {
      const media = body?.content?.['application/json']
      return media ? [{ name, media }] : []
    })
  })
  assert.ok(bodies.length > 35)
  for (const { name, media } of bodies.filter(({ name }) => !WITHOUT_EXAMPLE.includes(name))) {
    assert.ok(media.example !== undefined, name)
    assert.ok(Compile(strict(dereference(media.schema)) as never).Check(media.example), name)
  }
})

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
    ['GET /v1/account/export?format=json', merchant.sessionToken, undefined],
    ['GET /v1/account/export?format=csv', merchant.sessionToken, undefined],
    ['GET /v1/account/refunds/export?format=csv', merchant.sessionToken, undefined],
  ]
  for (const [line, token, json] of calls) {
    const response = await call(api, line, { ...(token && { token }), ...(json ? { json } : {}) })
    const [method = '', path = ''] = line.split(' ')
    const template = path.replace(/\/invoices\/.+/, '/invoices/{id}').replace(/\?.*/, '')
    const { responses } = document.paths[template][method.toLowerCase()]
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
    const { schema } = responses[response.status].content[type] ?? assert.fail(`${line}: ${type} is not described`)
    const body = type === 'application/json' ? response.body : response.text
    assert.ok(Compile(strict(dereference(schema)) as never).Check(body), `${line}: ${response.text}`)
  }
})

/** The schema without additional properties. */
// biome-ignore lint/suspicious/noExplicitAny: any schema
function strict(schema: any): any {
  if (schema.items) return { ...schema, items: strict(schema.items) }
  return schema.properties ? { ...schema, additionalProperties: false } : schema
}
