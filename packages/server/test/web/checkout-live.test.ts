import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { chooseAsset, createInvoice, noBrowser, submitAsset, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { visit } from './visit.ts'

const UNKNOWN = '6f1e5e2c-6c0a-4a2e-9d3c-0f5f3f1d2b4a'
const STALE = 'No connection. This page may be out of date.'
/** Past every timer of the page. */
const POLL_MS = 300_000

describe('an open checkout page', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const countdown = (page: Page) => page.locator('.countdown').textContent()
  const secsOf = (text: string | null) => (text ?? '').split(':').reduce((secs, part) => secs * 60 + Number(part), 0)

  test('says that it may be out of date while there is no connection', async () => {
    const { publicId } = await createInvoice(harness)
    const page = await openPage()
    await page.clock.install()
    await page.goto(`${harness.url}/i/${publicId}`)
    await heading(page, 'Pay with Zcash')
    assert.equal(await page.getByText(STALE).isVisible(), false)
    await page.context().setOffline(true)
    await page.getByText(STALE).waitFor()
    await inspect(page)
    await page.context().setOffline(false)
    await page.getByText(STALE).waitFor({ state: 'hidden' })
    // The service does not respond, although the browser is online.
    await page.route('**/i/**', route => route.fulfill({ status: 503, body: '' }))
    const failed = page.waitForResponse(response => response.status() === 503)
    await page.clock.fastForward(POLL_MS)
    await failed
    await page.clock.fastForward(POLL_MS)
    await page.getByText(STALE).waitFor()
    await page.unroute('**/i/**')
    await page.clock.fastForward(POLL_MS)
    await page.getByText(STALE).waitFor({ state: 'hidden' })
  })

  test('counts down by the clock of the server, whatever the clock of the buyer shows', async () => {
    const { publicId } = await createInvoice(harness)
    for (const wrongByMs of [-20 * 60_000, 20 * 60_000, 40 * 365 * 86_400_000]) {
      const page = await openPage()
      await page.clock.install({ time: Date.now() + wrongByMs })
      await page.goto(`${harness.url}/i/${publicId}`)
      const secs = secsOf(await until('the countdown', () => countdown(page)))
      assert.ok(secs > 3_550 && secs <= 3_600, `${wrongByMs}: ${secs} s`)
    }
  })

  test('takes the time that is left from the server again when the clock of the buyer jumps', async () => {
    const { publicId } = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${publicId}`)
    await until('the countdown', () => countdown(page))
    // As a clock that is set, or a phone that slept.
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 1200_000 }')
    await until('the countdown to be right again', async () => {
      const secs = secsOf(await countdown(page))
      return secs > 3_500 && secs <= 3_600
    })
  })

  test('takes the time that is left also when the clock jumps while the service does not respond', async () => {
    const { publicId } = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${publicId}`)
    await page.getByRole('link', { name: 'Open in your wallet' }).waitFor()
    await page.route('**/i/**', route => route.fulfill({ status: 503, body: '' }))
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 3_700_000 }')
    await page.getByText('Time is up.').waitFor()
    await page.getByText(STALE).waitFor()
    await page.unroute('**/i/**')
    await until('the countdown to be right again', async () => {
      const secs = secsOf(await countdown(page))
      return secs > 3_500 && secs <= 3_600
    })
  })

  test('offers no payment once the time is up, also without a connection', async () => {
    const { publicId } = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${publicId}`)
    const wallet = page.getByRole('link', { name: 'Open in your wallet' })
    await wallet.waitFor()
    await page.context().setOffline(true)
    await page.getByText(STALE).waitFor()
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 3601_000 }')
    await page.getByText('If you have not, do not pay now.').waitFor()
    assert.equal(await wallet.isVisible(), false)
    await inspect(page)
    await page.context().setOffline(false)
    await wallet.waitFor()
  })

  test('offers no deposit in another asset once its time is up', async () => {
    const shop = await startSandboxService()
    try {
      const { publicId } = await createInvoice(shop)
      const page = await openPage()
      await page.goto(`${shop.url}/i/${publicId}/swap`)
      await chooseAsset(page, 'BTC on Bitcoin')
      await submitAsset(page)
      const address = page.getByText(shop.sandbox.oneclick.swaps()[0]?.depositAddress ?? '?')
      await address.waitFor()
      // The script has begun to count.
      await page.locator('.time progress').waitFor()
      await page.context().setOffline(true)
      await page.evaluate('{ const now = Date.now; Date.now = () => now() + 1801_000 }')
      await page.getByText('The time for the deposit is over: do not send it now.').waitFor()
      assert.equal(await address.isVisible(), false)
    } finally {
      await shop.close()
    }
  })

  test('tells that it is a test where no money is real, framed or not', async () => {
    const { publicId } = await createInvoice(harness)
    for (const path of [`/i/${publicId}`, `/i/${publicId}/embed`, `/i/${publicId}/swap`])
      assert.match((await visit(harness, `GET ${path}`)).text, />TEST\.</, path)
    const testnet = await startSandboxService({ sandboxOptions: { network: 'test' } })
    try {
      const shop = await createInvoice(testnet)
      assert.match((await visit(testnet, `GET /i/${shop.publicId}`)).text, />TEST\.</)
    } finally {
      await testnet.close()
    }
  })

  test('of a wrong link does not lead a buyer to the dashboard', async () => {
    for (const path of [`/i/${UNKNOWN}`, `/i/${UNKNOWN}/embed`, '/i/none', '/i/', '/i', `/i/${UNKNOWN}/swap/x`]) {
      const { status, text } = await visit(harness, `GET ${path}`, { headers: { accept: 'text/html' } })
      assert.equal(status, 404, path)
      assert.doesNotMatch(text, /dashboard/, path)
      assert.match(text, /Check the link in your order, or ask the shop/, path)
    }
    assert.match((await visit(harness, 'GET /x', { headers: { accept: 'text/html' } })).text, /Go to the dashboard/)
  })

  test('isolates times from the direction of the text around them', async () => {
    const { publicId } = await createInvoice(harness)
    const page = await openPage({ locale: 'ar-EG' })
    await page.goto(`${harness.url}/i/${publicId}`)
    const time = page.locator('bdi > time')
    await until('the time in the language of the buyer', async () =>
      /[\u0600-\u06ff]/.test((await time.first().textContent()) ?? ''),
    )
    assert.equal(await page.locator('time').count(), await time.count())
  })
})
