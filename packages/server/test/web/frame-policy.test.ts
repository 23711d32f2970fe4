import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { EMPTY_STORE } from '../../src/domain/account/store-profile.ts'
import { startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { createInvoice, noBrowser, useBrowser } from './browser.ts'
import { serveShopPage } from './shop-page.ts'
import { visit } from './visit.ts'

const harness = await startSandboxService()
after(() => harness.close())

/** Sets the origins that the account of `createInvoice` allows. */
async function allow(frameOrigins: readonly string[] | null): Promise<void> {
  const account = await harness.service.accounts.findByEmail('shop@example.org')
  await harness.service.storeProfiles.change(account, { ...EMPTY_STORE, frameOrigins }, harness.url)
}

async function ancestors(path: string): Promise<[status: number, ancestors: string | undefined]> {
  const { status, headers } = await visit(harness, `GET ${path}`)
  assert.equal(headers.get('x-frame-options'), null)
  return [status, /frame-ancestors (.*)$/.exec(headers.get('content-security-policy') ?? '')?.[1]]
}

test('the embedded pages name the origins that the account of the invoice allows, error pages included', async () => {
  const { publicId: id } = await createInvoice(harness)
  const allowed = ['https://shop.example', 'http://localhost:3000']
  const pages = [
    [200, `/i/${id}/embed`],
    [200, `/i/${id}/embed/swap`],
    [400, `/i/${id}/embed?theme=blue`],
  ] as const
  for (const [origins, expected] of [
    [null, '*'],
    [allowed, allowed.join(' ')],
    [null, '*'],
  ] as const) {
    await allow(origins)
    for (const [status, path] of pages) assert.deepEqual(await ancestors(path), [status, expected], path)
  }
})

test('an error page without a known invoice shows the error alone, so that any site may frame it', async () => {
  await createInvoice(harness)
  await allow(['https://shop.example'])
  for (const path of [`/i/${randomUUID()}/embed`, '/i/none/embed/swap'])
    assert.deepEqual(await ancestors(path), [404, '*'])
  const { text } = await visit(harness, `GET /i/${randomUUID()}/embed`)
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(text) ?? []
  assert.doesNotMatch(main, /<(?:a|form|button|input|iframe|img)\b/)
})

test('the page of an invoice that is no embedded one stays without a frame', async () => {
  const { publicId: id } = await createInvoice(harness)
  await allow(['https://shop.example'])
  const { headers } = await visit(harness, `GET /i/${id}`)
  assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'$/)
})

describe('in a real browser', { skip: noBrowser(), timeout: 60_000 }, () => {
  const { openPage } = useBrowser()

  test('a browser shows the checkout in a frame of an allowed site, and of no other', async t => {
    const { publicId: id } = await createInvoice(harness)
    const frameOf = `<!doctype html><title>Shop</title><iframe src="${harness.url}/i/${id}/embed"></iframe>`
    const [shop, other] = [await serveShopPage(frameOf), await serveShopPage(frameOf)]
    t.after(() => Promise.all([shop.close(), other.close()]))
    await allow([new URL(shop.url).origin])
    const page = await openPage()
    await page.goto(shop.url)
    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor()
    await page.goto(other.url)
    await until('the refusal', () => page.frames()[1]?.url().startsWith('chrome-error:'))
  })
})
