import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startSandboxService } from '../harness/service.ts'
import { visit } from './visit.ts'

const MAX_COMPRESSED_BYTES = 4_500

const service = await startSandboxService()
after(() => service.close())

for (const path of ['/checkout.js', '/modal/btcpay.js'])
  test(`${path} is small, loads on pages of any site, and is asked for again with its tag`, () => check(path))

async function check(path: string): Promise<void> {
  // Plugins add their version.
  const { status, headers, text } = await visit(service, `GET ${path}?ver=2.8.0`)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8')
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
  assert.equal(headers.get('cache-control'), 'public, max-age=300')
  assert.deepEqual(headers.getSetCookie(), [])
  const bytes = gzipSync(text).length
  assert.ok(bytes <= MAX_COMPRESSED_BYTES, `${bytes} bytes`)
  // Syntax after ES2019 would be an error in browsers that follow the links instead.
  assert.doesNotMatch(text, /\?\.[a-z([]|\?\?|\bawait\b|\bimport\b|\bexport\b/)

  const texts = JSON.parse(/\(({"en":.*})\)\n$/.exec(text)?.[1] ?? '') as Record<string, string[]>
  assert.deepEqual(texts.en, ['Pay with Zcash', 'Close', 'Loading …', 'Open the payment page', 'Back to {shop}'])
  for (const [locale, messages] of Object.entries(texts)) {
    assert.deepEqual([messages.length, messages.includes('')], [5, false], locale)
    assert.match(messages[4] ?? '', /\{shop\}/, locale)
  }

  const again = await visit(service, `GET ${path}`, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  assert.deepEqual([again.status, again.text], [304, ''])
}
