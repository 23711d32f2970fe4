import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { chooseAsset, createInvoice, fillRefundTo, noBrowser, REFUND_TO, submitAsset, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const AMOUNT = 2_500_000n
/** Clock speed. The first poll of a swap comes five seconds after its start. */
const SPEED = 10

describe('a buyer in a real browser', { skip: noBrowser(), timeout: 180_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  // The provider’s clock is not sped up: after half a minute the quotes would be too old.
  beforeEach(async () => {
    harness = await startSandboxService({ clock: new SkewedClock({ factor: SPEED }) })
  })
  afterEach(() => harness?.close())

  async function choose(page: Page, asset: string, refundTo?: string): Promise<void> {
    await chooseAsset(page, asset, refundTo)
    await submitAsset(page)
  }

  /** The step that the page says the swap is in. */
  function step(page: Page): Promise<string | null> {
    return page.locator('.progress [aria-current=step]').textContent()
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
    await page.getByRole('link', { name: 'Open in your wallet' }).waitFor()
    await page.getByRole('img', { name: 'Deposit as a QR code' }).waitFor()
    await page.getByText('Fee, included').waitFor()
    assert.equal(await step(page), 'Deposit')

    drive(invoice, 'INCOMPLETE_DEPOSIT')
    await heading('Deposit too small')
    await page.getByText(swap.depositAddress).waitFor()
    drive(invoice, 'KNOWN_DEPOSIT_TX')
    await heading('Deposit detected')
    assert.equal(await step(page), 'Detected')
    drive(invoice, 'PROCESSING')
    await heading('Swap in progress')
    assert.equal(await step(page), 'Swapping')
    await page.getByRole('button', { name: 'Copy the transaction ID' }).waitFor()
    await inspect(page)
    assert.equal(await page.getByText(swap.depositAddress).count(), 0)
    await page.goto(`${harness.url}/i/${invoice.publicId}?with=zec`)
    await heading('Swap in progress')
    drive(invoice, 'SUCCESS')
    await heading('Payment seen')
    harness.sandbox.chain.mine(3)
    await heading('Paid')
  })

  test('finds an asset while typing, and finds those used before first', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    const shown = () => page.locator('.assets li:not([hidden]) b').allTextContents()
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    assert.deepEqual((await shown()).slice(0, 2), ['BTC', 'ETH'])
    await page.getByText('≈ 0.0004245 BTC').waitFor()
    const search = page.getByLabel('Type an asset or chain')
    await search.fill('usdc BASE')
    assert.deepEqual(await shown(), ['USDC'])
    await search.fill('nothing like it')
    await page.getByText('Nothing matches.').waitFor()
    await inspect(page)
    await search.fill('sol')
    await page.getByRole('link', { name: /^SOL/ }).click()
    await page.getByRole('heading', { name: 'SOL on Solana' }).waitFor()
    await page.getByText(/^≈ [0-9.]+ SOL$/).waitFor()
    await inspect(page)
    await page.getByRole('link', { name: 'Choose another asset' }).click()
    await search.waitFor()
    assert.equal((await shown())[0], 'SOL')
  })

  test('without JavaScript, reloading shows the same and errors show in the form', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage({ javaScriptEnabled: false })
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    await page.getByLabel('Type an asset or chain').fill('stellar')
    await page.getByRole('button', { name: 'Search' }).click()
    assert.equal(await page.locator('.assets li:not([hidden])').count(), 1)
    await choose(page, 'XLM on Stellar', REFUND_TO.Bitcoin)
    await page.getByRole('alert').getByText('This is not an address on Stellar.').waitFor()
    assert.equal(await page.getByLabel('Where should we send it back').inputValue(), REFUND_TO.Bitcoin)
    await fillRefundTo(page, REFUND_TO.Stellar!.replace('GA7', 'GA6'))
    await submitAsset(page)
    await page.getByRole('alert').getByText('its checksum is wrong').waitFor()
    await fillRefundTo(page, `  ${REFUND_TO.Stellar} `)
    await submitAsset(page)
    await page.getByRole('heading', { level: 1, name: 'Send your deposit' }).waitFor()
    const [swap] = harness.sandbox.oneclick.swaps()
    assert.equal(swap?.quoteResponse.quoteRequest.refundTo, REFUND_TO.Stellar)
    await page.getByText('Without this memo the deposit is lost.').waitFor()
    await page.getByText(swap?.depositMemo ?? '?', { exact: true }).waitFor()
    // A code without the memo would tempt the buyer to forget it.
    assert.equal(await page.locator('.qr').count(), 0)
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
    await page.getByRole('heading', { level: 1, name: 'Pay again' }).waitFor()
    await page.getByRole('link', { name: 'BTC, USDC, …' }).waitFor()
  })

  test('while the swap provider is unavailable, the buyer sees an error and can pay with Zcash', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    harness.sandbox.oneclick.script.add('quote', 'bad_gateway_html', 1)
    await choose(page, 'BTC on Bitcoin')
    await page.getByRole('alert').getByText('The swap provider does not answer.').waitFor()
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
    await chooseAsset(page, 'BTC on Bitcoin')
    harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}?amount=0.025` })
    await until('the payment to be detected', async () => {
      return (await harness.service.invoices.read(invoice.publicId)).status === 'detected'
    })
    await submitAsset(page)
    await page.getByRole('heading', { name: 'Payment seen' }).waitFor()
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    await page.getByRole('heading', { name: 'Payment seen' }).waitFor()
  })
})
