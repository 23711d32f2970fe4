import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { fastClock, SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { inBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { type ShopPage, serveShopPage } from './shop-page.ts'

const EMAIL = 'shop@example.org'

inBrowser('a sale in money', newDatabase => {
  const { openPage } = useBrowser()
  const clock = fastClock()
  let harness: SandboxService
  let shop: ShopPage

  before(async () => {
    harness = await startSandboxService({ clock, ...(await newDatabase()) })
    shop = await serveShopPage('<!doctype html><title>Shop</title><h1>Thank you</h1>')
  })
  after(async () => {
    await shop.close()
    await harness.close()
  })

  async function account() {
    const { accounts, viewingKeys } = harness.service
    return (await viewingKeys.set(await accounts.findOrCreate(EMAIL), harness.sandbox.demoViewingKey)).account
  }

  async function sell(): Promise<Invoice> {
    return harness.service.invoices.create(await account(), {
      amountZat: 2_500_000n,
      orderId: '1001',
      successUrl: `${shop.url}orders/{order_id}`,
      cancelUrl: `${shop.url}cart`,
      autoRedirect: true,
      expiresInSecs: 3_600,
      idempotencyKey: undefined,
    })
  }

  async function pay({ publicId, address }: Invoice): Promise<void> {
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=0.025` })
    await until('the payment', async () => (await harness.service.invoices.read(publicId)).status === 'detected')
    harness.sandbox.chain.mine(3)
  }

  const checkoutOf = ({ publicId }: Invoice) => `${harness.url}/i/${publicId}`
  const atShop = (page: Page) => page.waitForURL(`${shop.url}orders/1001`)

  test('of 25 EUR is made in the dashboard, keeps its amount while the rate moves, and is paid', async () => {
    const page = await openPage()
    await signInOnPage(page, harness, EMAIL)
    await account()
    await page.goto(`${harness.url}/invoices/new`)
    await page.getByLabel('Amount', { exact: true }).fill('25,00')
    await page.getByLabel('Currency').selectOption('EUR')
    await page.getByLabel('Order').fill('1001')
    await page.getByLabel('Description').fill('T-shirt')
    await inspect(page)
    await page.getByRole('button', { name: 'Create invoice' }).click()
    await page.getByRole('heading', { name: 'Order 1001' }).waitFor()
    await page.getByText('25.00 EUR', { exact: true }).waitFor()
    const send = page.getByRole('link', { name: 'Write an email' })
    const id = new URL(page.url()).pathname.split('/').at(-1) as string
    const mail = new URL((await send.getAttribute('href')) as string)
    assert.deepEqual(
      [mail.searchParams.get('subject'), mail.searchParams.get('body')],
      ['Order 1001: T-shirt', `${harness.url}/i/${id}`],
    )
    await inspect(page)

    const buyer = await openPage()
    await buyer.goto(`${harness.url}/i/${id}`)
    const exact = async () => buyer.locator('.sum .beside').textContent()
    await buyer.getByText('25.00 EUR', { exact: true }).waitFor()
    const before = await exact()
    for (const pair of ['ZECUSD', 'ZECEUR']) harness.sandbox.rates.setPrice(pair, pair === 'ZECUSD' ? '1700' : '1500')
    clock.advance(61)
    await buyer.reload()
    assert.equal(await exact(), before)
    await inspect(buyer)
    await page.getByRole('button', { name: 'Pay this invoice' }).click()
    await buyer.getByRole('heading', { name: 'Payment seen' }).waitFor()
    harness.sandbox.chain.mine(3)
    await buyer.getByRole('heading', { name: 'Paid' }).waitFor()
    await page.goto(`${harness.url}/invoices`)
    assert.match((await page.locator('tbody tr').textContent()) ?? '', /1001.*25\.00 EUR/s)
    await inspect(page)
  })

  test('opens success_url by itself, once: neither the shop’s link back nor the Back button repeats it', async () => {
    const invoice = await sell()
    const buyer = await openPage()
    await buyer.goto(`${shop.url}cart`)
    await buyer.goto(checkoutOf(invoice))
    await buyer.getByRole('link', { name: `Back to ${new URL(shop.url).host}` }).waitFor()
    await inspect(buyer)
    await pay(invoice)
    await buyer
      .getByRole('status')
      .getByText(`Returning to ${new URL(shop.url).host} …`)
      .waitFor()
    await atShop(buyer)
    await buyer.goBack()
    assert.equal(buyer.url(), `${shop.url}cart`)
    await buyer.goto(checkoutOf(invoice))
    await buyer.getByRole('heading', { name: 'Paid' }).waitFor()
    assert.equal(await buyer.locator('[data-redirect]').innerText(), '')
    await inspect(buyer)
    await buyer.getByRole('link', { name: 'Back to' }).click()
    await atShop(buyer)

    const discarded = await openPage()
    await discarded.goto(checkoutOf(invoice))
    await atShop(discarded)
    clock.advance(600)
    const later = await openPage()
    await later.goto(checkoutOf(invoice))
    await later.getByRole('heading', { name: 'Paid' }).waitFor()
    assert.equal(await later.locator('[data-redirect]').innerText(), '')
  })

  test('leads back without a script too, and never out of a frame', async () => {
    // For 30 s, which are over soon by the fast clock.
    await harness.close()
    harness = await startSandboxService({ clock: new SkewedClock(), ...(await newDatabase()) })
    const invoice = await sell()
    await pay(invoice)
    await until('it to be paid', async () => (await harness.service.invoices.read(invoice.publicId)).status === 'paid')
    const framed = await openPage()
    await framed.goto(`${checkoutOf(invoice)}/embed`)
    await framed.getByRole('heading', { name: 'Paid' }).waitFor()
    assert.equal(await framed.locator('[data-redirect], a:not([hreflang], [target=_blank])').count(), 0)
    const plain = await openPage({ javaScriptEnabled: false })
    await plain.goto(checkoutOf(invoice))
    assert.equal(await plain.locator('[data-redirect]').innerText(), `Returning to ${new URL(shop.url).host} …`)
    await atShop(plain)
  })
})
