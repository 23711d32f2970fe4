import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { chooseAsset, createInvoice, noBrowser, submitAsset, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const AMOUNT = 2_500_000n
/** Clock speed. The first poll of a swap comes five seconds after its start. */
const SPEED = 10

describe('a buyer in a real browser', { skip: noBrowser(), timeout: 180_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService({ clock: new SkewedClock({ factor: SPEED }) })
  })
  after(() => harness?.close())

  async function choose(page: Page, asset: string, refundTo?: string): Promise<void> {
    await chooseAsset(page, asset, refundTo)
    await submitAsset(page)
  }

  function drive(invoice: Invoice, outcome: string): void {
    const [swap] = harness.sandbox.oneclick
      .swaps()
      .filter(({ quoteResponse }) => quoteResponse.quoteRequest.recipient === invoice.address)
    assert.ok(swap)
    harness.sandbox.oneclick.drive(swap.depositAddress, { outcome })
  }

  test('chooses an asset, gets a deposit address and sees the invoice become paid', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    await page.getByRole('link', { name: 'BTC, USDC, …' }).click()
    await inspect(page)
    await choose(page, 'USDC on Base')
    await heading('Send your deposit')
    await inspect(page)
    const [swap] = harness.sandbox.oneclick.swaps()
    assert.ok(swap)
    await page.getByText(swap.depositAddress).waitFor()
    await page
      .getByText(`${swap.quoteResponse.quote.amountInFormatted.replace(/\.?0+$/, '')} USDC`)
      .first()
      .waitFor()
    await page.getByRole('img', { name: 'Deposit address as a QR code' }).waitFor()

    drive(invoice, 'INCOMPLETE_DEPOSIT')
    await heading('Deposit too small')
    await page.getByText(swap.depositAddress).waitFor()
    drive(invoice, 'PROCESSING')
    await heading('Swap in progress')
    assert.equal(await page.getByText(swap.depositAddress).count(), 0)
    await page.goto(`${harness.url}/i/${invoice.publicId}?with=zec`)
    await heading('Swap in progress')
    drive(invoice, 'SUCCESS')
    await heading('Payment seen')
    harness.sandbox.chain.mine(3)
    await heading('Paid')
  })

  test('without JavaScript, reloading shows the same and errors show in the form', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage({ javaScriptEnabled: false })
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    await choose(page, 'XLM on Stellar', 'invalid')
    await page.getByRole('alert').getByText('RefundTo is not valid.').waitFor()
    assert.equal(await page.getByLabel('Your refund address').inputValue(), 'invalid')
    assert.match(await page.getByLabel('Asset').inputValue(), /^nep245:/)
    await choose(page, 'XLM on Stellar', '  the-buyers-own-address ')
    await page.getByRole('heading', { name: 'Send your deposit' }).waitFor()
    const [swap] = harness.sandbox.oneclick.swaps()
    assert.equal(swap?.quoteResponse.quoteRequest.refundTo, 'the-buyers-own-address')
    await page.getByText('With this memo').waitFor()
    await page.getByText(swap?.depositMemo ?? '?', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Pay with Zcash instead' }).click()
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()

    drive(invoice, 'REFUNDED')
    await until('the refund to be reported', async () => {
      const [found] = (
        await harness.service.swaps.currentByInvoice([await harness.service.invoices.read(invoice.publicId)])
      ).values()
      return found?.status === 'REFUNDED'
    })
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    await page.getByText('The deposit was sent back to the refund address.').waitFor()
    await page.getByRole('link', { name: 'BTC, USDC, …' }).waitFor()
  })

  test('while the swap provider is unavailable, the buyer sees an error and can pay with Zcash', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    harness.sandbox.oneclick.script.add('quote', 'bad_gateway_html', 1)
    await choose(page, 'BTC on Bitcoin')
    await page.getByRole('alert').getByText('Swap provider unavailable.').waitFor()
    await page.getByRole('link', { name: 'Pay with Zcash instead' }).click()
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
  })

  test('the merchant sees a notice about a completed swap until its payment arrives', async () => {
    const { service, url } = harness
    const invoice = await createInvoice(harness)
    const swap = await service.swaps.start(invoice, {
      assetId: 'nep141:btc.omft.near',
      refundTo: 'the-buyers-own-address',
    })
    const outcome = { ...swap, status: 'SUCCESS', needsAttention: true } as const
    await service.store.write(tx =>
      tx.swaps.update(swap.id, { ...outcome, keepsInvoiceOpen: false, nextPollAtMs: null, statusRaw: null }),
    )
    const account = await service.accounts.findByEmail('shop@example.org')
    const { token } = await service.sessions.create(account, 'test')
    const page = async (path: string) =>
      (await fetch(url + path, { headers: { cookie: `__Host-zatgate=${token}` } })).text()
    assert.match(await page('/overview'), /has had the status SUCCESS for an hour/)
    assert.match(await page(`/invoices/${invoice.publicId}`), /no payment has arrived\. Ask the provider/)
    harness.sandbox.oneclick.deliver(swap.depositAddress)
    await until('the payment to be detected', async () => {
      return (await service.invoices.read(invoice.publicId)).receivedZat === AMOUNT
    })
    assert.doesNotMatch(await page('/overview'), /The swap for invoice/)
    assert.doesNotMatch(await page(`/invoices/${invoice.publicId}`), /no payment has arrived/)
  })

  test('an invoice that cannot take a swap redirects to the checkout page', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}?amount=0.025` })
    await until('the payment to be detected', async () => {
      return (await harness.service.invoices.read(invoice.publicId)).status === 'detected'
    })
    await choose(page, 'BTC on Bitcoin')
    await page.getByRole('heading', { name: 'Payment seen' }).waitFor()
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    await page.getByRole('heading', { name: 'Payment seen' }).waitFor()
  })
})
