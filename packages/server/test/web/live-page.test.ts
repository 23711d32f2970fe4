import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { ASSET_VERSION } from '../../src/web/assets.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import {
  assertSamePage,
  createInvoice,
  noBrowser,
  openWithoutTimers,
  REFUND_TO,
  signInOnPage,
  useBrowser,
} from './browser.ts'
import { visit } from './visit.ts'

describe('a change of an open page', { skip: noBrowser(), timeout: 180_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const pay = ({ address }: Invoice, zec: string) =>
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=${zec}` })
  const startSwap = ({ publicId }: Invoice, refundTo: string) =>
    visit(harness, `POST /i/${publicId}/swap`, { form: { asset_id: 'nep141:btc.omft.near', refund_to: refundTo } })

  /** The requests of the page itself, with the length of their responses; 0 for one without a change. */
  function recordRequests(page: Page): number[] {
    const lengths: number[] = []
    page.on('response', async response => {
      if (!response.url().includes('/i/')) return
      lengths.push(response.status() === 304 ? 0 : (await response.body()).length)
    })
    return lengths
  }

  test('reaches the buyer by its live part alone, once for each confirmation', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await openWithoutTimers(page, `${harness.url}/i/${invoice.publicId}`)
    await page.evaluate(`{
      window.announced = []
      const announcer = document.querySelector('[data-announcer]')
      new MutationObserver(() => announced.push(announcer.textContent)).observe(announcer, { childList: true })
    }`)
    const lengths = recordRequests(page)
    pay(invoice, '0.025')
    await heading(page, 'Payment seen')
    await page.getByText('0 of 3').waitFor()
    for (const confirmed of [1, 2]) {
      harness.sandbox.chain.mine(1)
      await page.getByText(`${confirmed} of 3`).waitFor()
    }
    harness.sandbox.chain.mine(1)
    await heading(page, 'Paid')
    assert.equal(await page.title(), 'Paid: 0.025 ZEC · zatgate')
    await assertSamePage(page)
    assert.deepEqual(await page.evaluate('window.announced'), ['Payment seen', 'Paid'])
    const changes = lengths.filter(length => length > 0)
    assert.ok(changes.length <= 4 && lengths.length <= 6, lengths.join())
    assert.ok(Math.max(...changes) < 1_500, lengths.join())
  })

  test('keeps the focus, the selection, the copied label and the QR code', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await openWithoutTimers(page, `${harness.url}/i/${invoice.publicId}`)
    const copy = page.getByRole('button', { name: 'Copy the address' })
    await copy.click()
    await copy.getByText('Copied').waitFor()
    await page.evaluate(`{
      window.qr = document.querySelector('.qr')
      getSelection().selectAllChildren(document.querySelector('.facts code'))
      document.querySelector('.facts code').scrollIntoView()
      window.scrolled = scrollY
    }`)
    await startSwap(invoice, REFUND_TO.Bitcoin!)
    await page.getByText(REFUND_TO.Bitcoin!).waitFor()
    assert.deepEqual(
      await page.evaluate(`({
        marker: window.marker,
        focused: document.activeElement.ariaLabel,
        label: document.activeElement.textContent,
        selected: getSelection().toString(),
        isSameCode: document.querySelector('.qr') === qr && qr.getBoundingClientRect().height > 100,
        hasMoved: scrollY !== scrolled,
      })`),
      {
        marker: true,
        focused: 'Copy the address',
        label: 'Copied',
        selected: '0.025 ZEC',
        isSameCode: true,
        hasMoved: false,
      },
    )
  })

  test('reaches the merchant’s page too, which keeps its place', async () => {
    const page = await openPage()
    await signInOnPage(page, harness, 'shop@example.org')
    const invoice = await createInvoice(harness)
    await page.goto(`${harness.url}/invoices/${invoice.publicId}`)
    await page.getByRole('button', { name: 'Copy the address' }).focus()
    await page.evaluate('window.marker = true')
    pay(invoice, '0.025')
    await page.locator('.hero').getByText('Detected').waitFor()
    harness.sandbox.chain.mine(1)
    await page.getByText('1 of 3').filter({ visible: true }).waitFor()
    assert.deepEqual(await page.evaluate('[window.marker, document.activeElement.ariaLabel]'), [
      true,
      'Copy the address',
    ])
  })

  test('of the files of the pages reloads an open page, and not again at once', async () => {
    const { publicId } = await createInvoice(harness)
    const page = await openPage()
    let requests = 0
    await page.route(`**/i/${publicId}`, async route => {
      const { 'live-parts': isPart, ...headers } = route.request().headers()
      if (!isPart) return route.continue()
      requests += 1
      const response = await route.fetch({
        headers: { ...headers, 'live-parts': 'changed', 'if-none-match': 'W/"other"' },
      })
      const etag = response.headers().etag?.replace(ASSET_VERSION, 'later') ?? ''
      return route.fulfill({ response, headers: { ...response.headers(), etag } })
    })
    await page.goto(`${harness.url}/i/${publicId}`)
    // The reload may begin before the call returns.
    const ask = () => page.evaluate("dispatchEvent(new Event('online'))").catch(() => undefined)
    await page.evaluate('window.marker = true; performance.now = () => 61_000')
    await ask()
    await until('the reload', () => page.evaluate('window.marker === undefined').catch(() => false))
    await page.evaluate('window.marker = true')
    const asked = requests
    await until('a further request', async () => {
      await ask()
      return requests > asked + 2
    })
    assert.equal(await page.evaluate('window.marker'), true)
    await heading(page, 'Pay with Zcash')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('shows on a page without its script too, which reloads itself', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage({ javaScriptEnabled: false })
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    await heading(page, 'Pay with Zcash')
    pay(invoice, '0.025')
    await heading(page, 'Payment seen')
  })
})
