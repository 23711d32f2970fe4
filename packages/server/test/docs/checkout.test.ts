import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CreatedInvoice } from '@zatgate/sdk'
import { ZatgateClient } from '@zatgate/sdk'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import type { TestScope } from '../harness/container.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noBrowser, openBrowser } from '../web/browser.ts'
import { inspect } from '../web/inspect.ts'
import { serveShopPage } from '../web/shop-page.ts'
import { visit } from '../web/visit.ts'
import { Guide, runModule } from './guide.ts'

const GUIDE = new Guide('docs/checkout.md')
const SDK = fileURLToPath(import.meta.resolve('@zatgate/sdk'))
const UQR = createRequire(import.meta.url).resolve('uqr')

let service: TestService
let client: ZatgateClient
before(async () => {
  service = await startTestService()
  client = new ZatgateClient({ baseUrl: service.url, apiKey: service.apiKey })
})
after(() => service?.close())

/** The block for this service and this invoice. */
function adapted(info: string, id = ''): string {
  return GUIDE.block(info).replaceAll('https://pay.example.com', service.url).replaceAll('INVOICE_ID', id)
}

/** The module as a bundler makes it for browsers. */
async function bundled(code: string): Promise<string> {
  const entry = 'payment.js'
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    resolve: { alias: { '@zatgate/sdk': SDK, uqr: UQR } },
    plugins: [{ name: 'guide', resolveId: id => (id === entry ? id : null), load: id => (id === entry ? code : null) }],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  return output[0].code
}

test('the redirect opens a checkout with the way back', async () => {
  const { id } = await client.createInvoice({ amount_zat: 2_500_000 })
  const around = `const invoice = { id: '${id}' }
    const response = { writeHead(status, { location }) { console.log(status, location); return this }, end() {} }
`
  const [status, location = ''] = (await runModule(around + adapted('js redirect'))).trim().split(' ')
  assert.equal(status, '303')
  const { text } = await visit(service, `GET ${location.slice(service.url.length)}`)
  assert.match(text, /href="https:\/\/shop\.example\.com\/orders\/1042">Back to <bdi>shop\.example\.com</)
})

describe('in a real browser', { skip: noBrowser(), timeout: 120_000 }, () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser?.close())

  async function openShop(t: TestScope, body: string): Promise<{ page: Page; errors: string[] }> {
    const shop = await serveShopPage(
      `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
      <main><h1>Order 1042</h1>${body}</main></html>`,
    )
    t.after(() => shop.close())
    const page = await (await browser.newContext()).newPage()
    const errors: string[] = []
    page.on('pageerror', error => errors.push(String(error)))
    page.on('console', message => void (message.type() === 'error' && errors.push(message.text())))
    await page.goto(shop.url)
    return { page, errors }
  }

  function pay({ zip321_uri: uri }: CreatedInvoice, amountZat?: bigint): void {
    service.sandbox.wallet.pay({ uri, ...(amountZat !== undefined && { amount: amountZat }) })
  }

  const headingOf = (page: Page, name: string) => page.frameLocator('iframe').getByRole('heading', { name }).waitFor()

  /** Pays what the checkout in the page asks for. */
  async function payInFrame(page: Page, invoice: CreatedInvoice): Promise<void> {
    await headingOf(page, 'Pay with Zcash')
    pay(invoice)
    await headingOf(page, 'Payment seen')
    service.sandbox.chain.mine(3)
  }

  test('the embedded checkout takes its height, and opens the next page when it is paid', async t => {
    const invoice = await client.createInvoice({ amount_zat: 2_500_000 })
    const { page, errors } = await openShop(t, adapted('html embed', invoice.id))
    await headingOf(page, 'Pay with Zcash')
    await inspect(page)
    // The frame neither scrolls nor leaves room below its content.
    const room = 'innerHeight - document.body.getBoundingClientRect().height'
    await until('the height', async () => {
      const left = await page.frames()[1]?.evaluate<number>(room)
      return left !== undefined && left >= 0 && left < 1
    })
    await payInFrame(page, invoice)
    await page.waitForURL('**/orders/1042/thanks')
    assert.deepEqual(errors, [])
  })

  test('the button opens the checkout over the page, and the next page when it is paid and closed', async t => {
    const invoice = await client.createInvoice({ amount_zat: 2_500_000 })
    const { page, errors } = await openShop(t, adapted('html button', invoice.id))
    await page.getByRole('link', { name: 'Pay with Zcash' }).click()
    await payInFrame(page, invoice)
    await page.getByRole('button', { name: 'Back to localhost' }).click()
    await page.waitForURL('**/orders/1042/thanks')
    assert.deepEqual(errors, [])
  })

  test('a script opens the checkout, and closes it when it is paid', async t => {
    const invoice = await client.createInvoice({ amount_zat: 2_500_000 })
    const script = `<script src="${service.url}/checkout.js"></script>`
    const code = adapted('js open', invoice.id)
    const { page, errors } = await openShop(t, `${script}<button id="pay">Pay</button><script>${code}</script>`)
    await page.getByRole('button', { name: 'Pay' }).click()
    await payInFrame(page, invoice)
    await page.waitForURL('**/orders/1042/thanks')
    assert.deepEqual(errors, [])
  })

  test('a page made for BTCPay Server opens the checkout, and the next page when it is paid', async t => {
    const invoice = await client.createInvoice({ amount_zat: 2_500_000 })
    const { page, errors } = await openShop(t, adapted('html btcpay', invoice.id))
    await page.getByRole('button', { name: 'Pay with Zcash' }).click()
    await payInFrame(page, invoice)
    await page.waitForURL('**/orders/1042/thanks')
    assert.deepEqual(errors, [])
  })

  test('the payment box shows the request, each status, and the way to pay the rest', async t => {
    const code = await bundled(adapted('js box'))
    const open = async (id: string) =>
      openShop(
        t,
        adapted('html box', id).replace(/<script.*<\/script>/, () => `<script type="module">${code}</script>`),
      )

    const invoice = await client.createInvoice({ amount_zat: 2_500_000 })
    const { page, errors } = await open(invoice.id)
    await page.getByText('Waiting for your payment.').waitFor()
    assert.equal(await page.getByRole('link').getAttribute('href'), invoice.zip321_uri)
    await page.locator('#code svg').waitFor()
    await page.getByText('0.025 ZEC').waitFor()
    await inspect(page)
    pay(invoice)
    await page.getByText('Payment detected.').waitFor()
    assert.equal(await page.getByRole('link').count(), 0)
    service.sandbox.chain.mine(3)
    await page.getByText('Paid. Thank you!').waitFor()
    assert.deepEqual(errors, [])

    const partly = await client.createInvoice({ amount_zat: 2_500_000 })
    const other = await open(partly.id)
    pay(partly, 1_000_000n)
    await other.page.getByRole('link', { name: 'Pay the rest' }).waitFor()
    assert.equal(await other.page.getByRole('link').getAttribute('href'), `${service.url}/i/${partly.id}`)
  })
})

test('every block of the guide was run', { skip: noBrowser() }, () => GUIDE.assertAllUsed())
