import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingHttpHeaders } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { createInvoice } from './browser.ts'

/** The size of everything that the checkout loads. */
const MAX_CHECKOUT_BYTES = 60 * 1024

describe('over the wire', () => {
  let harness: TestService
  let cookie: string
  let checkout: string

  before(async () => {
    // The time that is left on a page is the same in each encoding.
    harness = await startTestService({ clock: systemClock })
    cookie = `__Host-zatgate=${harness.sessionToken}`
    checkout = `/i/${(await createInvoice(harness)).publicId}`
  })
  after(() => harness?.close())

  async function fetchRaw(path: string, headers: Record<string, string> = {}) {
    const [response] = await once(get(harness.url + path, { headers }), 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    return { status: response.statusCode as number, headers: response.headers as IncomingHttpHeaders, body }
  }

  const encodingOf = async (path: string, headers: Record<string, string>) =>
    (await fetchRaw(path, { 'accept-encoding': 'gzip, br', ...headers })).headers['content-encoding']

  test('files and pages have the best encoding that the client takes, and are the same in each', async () => {
    const [style = ''] = /\/assets\/\w+\/style\.css/.exec((await fetchRaw(checkout)).body.toString()) ?? []
    for (const path of [style, '/checkout.js', checkout, '/docs']) {
      const plain = await fetchRaw(path)
      const brotli = await fetchRaw(path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
      const gzip = await fetchRaw(path, { 'accept-encoding': 'br;q=0, gzip;q=0.5' })
      assert.deepEqual(
        [plain, brotli, gzip].map(({ headers }) => headers['content-encoding']),
        [undefined, 'br', 'gzip'],
        path,
      )
      for (const { headers, body } of [plain, brotli, gzip]) {
        assert.equal(headers.vary, 'accept-encoding', path)
        assert.equal(headers.etag, plain.headers.etag, path)
        assert.equal(headers['content-length'], String(body.length), path)
      }
      const withoutTime = (body: Buffer) => body.toString().replace(/data-left="\d+">[\d:]+/g, '')
      assert.equal(withoutTime(brotliDecompressSync(brotli.body)), withoutTime(plain.body), path)
      assert.equal(withoutTime(gunzipSync(gzip.body)), withoutTime(plain.body), path)
      assert.ok(brotli.body.length < plain.body.length / 2, `${path}: ${brotli.body.length} of ${plain.body.length}`)
    }
    const known = await fetchRaw(style, { 'if-none-match': (await fetchRaw(style)).headers.etag ?? '' })
    assert.deepEqual([known.status, known.body.length, known.headers.vary], [304, 0, 'accept-encoding'])
  })

  test('the pages of a session are not compressed: their length would tell of the secrets in them', async () => {
    for (const path of ['/overview', '/invoices', '/export', '/sign-in'])
      assert.equal(await encodingOf(path, { cookie }), undefined, path)
    assert.equal(await encodingOf('/sign-in', {}), 'br')
    // It reads no cookie.
    assert.equal(await encodingOf(checkout, { cookie }), 'br')
    assert.equal(await encodingOf('/v1/account', { authorization: `Bearer ${harness.sessionToken}` }), undefined)
  })

  test(`the checkout with all its files has less than ${MAX_CHECKOUT_BYTES} bytes`, async () => {
    const page = (await fetchRaw(checkout)).body.toString()
    const paths = [checkout, ...[...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)]
    assert.ok(paths.length >= 6, paths.join())
    const all = await Promise.all(paths.map(path => fetchRaw(path, { 'accept-encoding': 'br' })))
    const bytes = all.reduce((sum, { body }) => sum + body.length, 0)
    assert.ok(bytes > 5_000 && bytes < MAX_CHECKOUT_BYTES, `${bytes}`)
  })
})
