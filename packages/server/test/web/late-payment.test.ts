import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { fastClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { assertSamePage, createInvoice, inBrowser, openWithoutTimers, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const HOUR = 3_600
const DAY = 24 * HOUR

inBrowser('a buyer who pays late, on an open page', newDatabase => {
  const { openPage } = useBrowser()
  const clock = fastClock()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService({ clock, ...(await newDatabase()) })
  })
  after(() => harness.close())

  const urlOf = ({ publicId }: Invoice) => `${harness.url}/i/${publicId}`

  async function openStopped(url: string): Promise<Page> {
    const page = await openPage()
    await openWithoutTimers(page, url)
    await heading(page, 'Pay with Zcash')
    return page
  }

  /** In a second page: axe needs the timers. */
  async function inspectCopy(of: Page): Promise<void> {
    const page = await openPage()
    await page.goto(of.url())
    await inspect(page)
  }

  function pay({ address }: Invoice, zec: string): void {
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=${zec}` })
  }

  async function expire(invoice: Invoice): Promise<void> {
    clock.advance(HOUR + 1)
    await until('the invoice to expire', async () =>
      ['expired', 'underpaid'].includes((await harness.service.invoices.read(invoice.publicId)).status),
    )
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

  test('with the full amount reads that it has arrived, each confirmation, and that it is paid, with no reload and no poll', async () => {
    const invoice = await createInvoice(harness)
    const page = await openStopped(urlOf(invoice))
    await expire(invoice)
    await heading(page, 'Expired')
    await page.getByText('If you have paid, do not pay again.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Open in your wallet' }).count(), 0)
    await inspectCopy(page)
    pay(invoice, '0.025')
    await heading(page, 'Payment seen')
    await page.getByText('Your payment arrived after the time was up.').waitFor()
    assert.equal(await page.getByText('ask the shop for a new one').count(), 0)
    assert.equal(await page.title(), 'Payment seen: 0.025 ZEC · zatgate')
    await inspectCopy(page)
    for (const confirmed of [1, 2]) {
      harness.sandbox.chain.mine(1)
      await page.getByText(`${confirmed} of 3`).waitFor()
    }
    harness.sandbox.chain.mine(1)
    await heading(page, 'Paid')
    pay(invoice, '0.005')
    await page.getByText('You have paid 0.005 ZEC too much').waitFor()
    await assertSamePage(page)
    await page.clock.resume()
    await inspect(page)
  })

  test('after a part pays the rest on the same page, with no reload and no poll', async () => {
    const invoice = await createInvoice(harness)
    const page = await openStopped(`${urlOf(invoice)}/embed`)
    pay(invoice, '0.01')
    await page.getByText('0.01 ZEC has arrived. 0.015 ZEC is left to pay.').waitFor()
    await expire(invoice)
    await heading(page, 'Pay the rest')
    await page.getByText('0.01 ZEC of 0.025 ZEC has arrived.').waitFor()
    const wallet = page.getByRole('link', { name: 'Open in your wallet' })
    assert.match((await wallet.getAttribute('href')) ?? '', /amount=0\.015&/)
    await inspectCopy(page)
    pay(invoice, '0.015')
    await heading(page, 'Payment seen')
    assert.equal(await wallet.count(), 0)
    harness.sandbox.chain.mine(3)
    await heading(page, 'Paid')
    await assertSamePage(page)
    await page.clock.resume()
    await inspect(page)
  })

  test('after the late window reads that payments no longer count', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await page.goto(urlOf(invoice))
    await heading(page, 'Pay with Zcash')
    pay(invoice, '0.01')
    await page.getByText('0.01 ZEC has arrived.').waitFor()
    await expire(invoice)
    await heading(page, 'Pay the rest')
    await page.getByText('The time is up, but the rest still counts until').waitFor()
    clock.advance(7 * DAY)
    await heading(page, 'Not paid in full')
    await page.getByText('Payments to this invoice no longer count').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Open in your wallet' }).count(), 0)
    await inspect(page)
  })

  test('shows the merchant the late payment too, on an open page', async () => {
    const email = 'shop@example.org'
    const page = await openPage()
    await signInOnPage(page, harness, email)
    const invoice = await createInvoice(harness)
    await expire(invoice)
    await page.goto(`${harness.url}/invoices/${invoice.publicId}`)
    await page.locator('.hero').getByText('Expired').waitFor()
    await page.getByText('The expiry time has passed, and the full amount has not arrived.').waitFor()
    pay(invoice, '0.025')
    await page.getByText('in the mempool').filter({ visible: true }).waitFor()
    await page.getByText('The full amount has arrived after the invoice closed.').waitFor()
    harness.sandbox.chain.mine(3)
    await page.locator('.hero').getByText('Paid').waitFor()
  })
})
