import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { API_ERRORS, type ApiError } from '../../src/domain/error-table.ts'
import { errorDocUrl, STATUS } from '../../src/http/error.ts'
import { startTestService } from '../harness/service.ts'

const service = await startTestService()
after(() => service.close())

/** Sends a request that fails. @returns the text of the entry that its error links to */
async function entryOf(path: string, json?: object): Promise<string> {
  const request = { method: 'POST', body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  const headers = { ...request.headers, authorization: `Bearer ${service.apiKey}` }
  const response = await fetch(service.url + path, json ? { ...request, headers } : { headers })
  const { doc_url: url } = (await response.json()) as { doc_url: string }
  return entryAt(url)
}

async function entryAt(url: string): Promise<string> {
  const [page = '', anchor] = url.split('#')
  const text = await (await fetch(page)).text()
  const start = text.indexOf(`<h3 id="${anchor}">`)
  assert.ok(start >= 0, url)
  const [entry = ''] = text.slice(start + 1).split(/<h[23] /, 1)
  return entry.replace(/<[^>]*>/g, '')
}

test('the link of an error opens its entry: status, message, when, and what to do', async () => {
  const entry = await entryOf('/v1/account')
  const { text, when, fix, kind } = API_ERRORS.bad_session_token
  for (const part of [`${STATUS[kind]} ${text}`, when, fix])
    assert.ok(entry.includes(part.replaceAll('`', '')), `${part} is not in ${entry}`)
})

test('an invalid field links to the entry of all fields, an invalid amount to its own', async () => {
  assert.match(
    await entryOf('/v1/invoices', { amount_zat: 5, expires_in_secs: 1 }),
    /missing, malformed or out of range/,
  )
  assert.match(await entryOf('/v1/invoices', { amount_zat: 0 }), /1 ZEC is 100000000 zat/)
})

test('an unknown path links to its entry too, with the address in PUBLIC_URL when it is set', async () => {
  assert.match(await entryOf('/unknown'), /nothing at this path/)
  const other = await startTestService({ env: { PUBLIC_URL: 'https://pay.example.com' } })
  try {
    const body = (await (await fetch(`${other.url}/v1/account`)).json()) as { doc_url: string }
    assert.equal(body.doc_url, 'https://pay.example.com/docs/errors#missing_session_token')
  } finally {
    await other.close()
  }
})

test('every link in the examples of the document, and every code of the table, has its entry', async () => {
  const page = await (await fetch(errorDocUrl('internal_error', service.url))).text()
  const anchors = new Set([...page.matchAll(/<h3 id="(\w+)"/g)].map(([, id]) => id))
  const document = await (await fetch(`${service.url}/openapi.json`)).text()
  const linked = [...document.matchAll(/"doc_url":"[^"#]*\/docs\/errors#(\w+)"/g)].map(([, id]) => id)
  assert.ok(linked.length > 300)
  const codes = Object.entries<ApiError>(API_ERRORS).map(([name, { code = name }]) => code)
  assert.deepEqual(
    [...linked, ...codes].filter(code => !anchors.has(code)),
    [],
  )
})
