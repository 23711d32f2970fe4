import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../harness/service.ts'
import { createInvoice } from './browser.ts'
import { visit } from './visit.ts'

test('no search engine may list the address of an invoice; the documentation may be listed', async t => {
  const service = await startTestService()
  t.after(() => service.close())
  const { publicId } = await createInvoice(service)
  const tag = async (path: string) => (await visit(service, `GET ${path}`)).headers.get('x-robots-tag')
  for (const path of ['', '/embed', '/swap', '/embed/swap'])
    assert.equal(await tag(`/i/${publicId}${path}`), 'noindex, nofollow, noarchive', path)
  for (const path of [`/v1/invoices/${publicId}`, '/i/none', '/invoices', '/sign-in'])
    assert.equal(await tag(path), 'noindex, nofollow, noarchive', path)
  assert.equal(await tag('/docs'), null)

  const { status, headers, text } = await visit(service, 'GET /robots.txt')
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
  // A page that they may not read could be listed by its address, since its noindex would not be seen.
  assert.match(text, /^User-agent: \*\nAllow: \/\n\n/)
  assert.match(text, /User-agent: CCBot\nDisallow: \/i\/\nDisallow: \/l\/\nDisallow: \/pos\/\n/)
})
