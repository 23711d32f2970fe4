import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { chooseAsset, createInvoice, noBrowser, REFUND_TO, signInOnPage, submitAsset, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const WHOM = 'Ask the shop, with these details. The shop can ask the swap provider.'
const HOUR = 3_600

describe('a buyer whose swap does not pay the invoice', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService
  let clock: SkewedClock

  beforeEach(async () => {
    clock = new SkewedClock({ factor: 10 })
    harness = await startSandboxService({ clock })
  })
  afterEach(() => harness.close())

  async function startSwap(invoice: Invoice): Promise<{ page: Page; depositAddress: string; amountIn: bigint }> {
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}/swap`)
    await chooseAsset(page, 'BTC on Bitcoin')
    await submitAsset(page)
    await page.getByRole('heading', { name: 'Send your deposit' }).waitFor()
    const [swap] = harness.sandbox.oneclick.swaps()
    assert.ok(swap)
    return { page, depositAddress: swap.depositAddress, amountIn: BigInt(swap.quoteResponse.quote.amountIn) }
  }

  /** The outcome is the first thing on the card, with all that a person who helps needs. */
  async function assertNotice(page: Page, title: string, parts: readonly string[]): Promise<void> {
    const notice = page.locator('.swap-notice')
    await notice.getByRole('heading', { name: title }).waitFor()
    const text = (await notice.textContent()) ?? ''
    for (const part of [...parts, REFUND_TO.Bitcoin!, WHOM]) assert.ok(text.includes(part), `${part}: ${text}`)
    assert.equal(
      await page.evaluate(`document.querySelector('#live > :first-child').className`),
      await notice.getAttribute('class'),
    )
    await inspect(page)
  }

  test('reads of a failed swap, with the reference, and can still pay', async () => {
    const invoice = await createInvoice(harness)
    const { page, depositAddress } = await startSwap(invoice)
    harness.sandbox.oneclick.drive(depositAddress, { outcome: 'FAILED' })
    await assertNotice(page, 'Swap failed', [depositAddress, 'Deposited', 'has not paid this invoice'])
    await page.getByRole('link', { name: 'Open in your wallet' }).waitFor()
    await page.getByRole('link', { name: 'BTC, USDC, …' }).waitFor()
    // The same without the id of the swap, and after the expiry.
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    await assertNotice(page, 'Swap failed', [depositAddress])
    clock.advance(HOUR + 1)
    await page.getByRole('heading', { level: 1, name: 'Expired' }).waitFor()
    await assertNotice(page, 'Swap failed', [depositAddress])
  })

  test('reads how much of a deposit has arrived, and why it was refunded; so does the merchant', async () => {
    const email = 'shop@example.org'
    const merchant = await openPage()
    await signInOnPage(merchant, harness, email)
    const invoice = await createInvoice(harness)
    const { page, depositAddress, amountIn } = await startSwap(invoice)
    harness.sandbox.oneclick.deposit(depositAddress, 10_000n)
    const missing = page.locator('.facts div', { hasText: 'Still missing' })
    await missing.getByText(`${Number(amountIn - 10_000n) / 1e8} BTC`).waitFor()
    assert.match((await page.locator('.facts').first().textContent()) ?? '', /Received0\.0001 BTC/)
    // The total would be paid on top of what has arrived.
    const copied = await page.getByRole('button', { name: 'Copy the amount' }).getAttribute('data-copy')
    assert.equal(copied, String(Number(amountIn - 10_000n) / 1e8))
    await inspect(page)
    harness.sandbox.oneclick.drive(depositAddress, { outcome: 'REFUNDED' })
    const facts = [depositAddress, 'Deposited0.0001 BTC', 'Sent back0.0000999 BTC', 'the deposit was too small']
    await assertNotice(page, 'Deposit refunded', facts)
    await merchant.goto(`${harness.url}/invoices/${invoice.publicId}`)
    const card = (await merchant.locator('#swap').textContent()) ?? ''
    for (const fact of [...facts, '1Click (NEAR Intents)', 'You have nothing to refund'])
      assert.ok(card.includes(fact), `${fact}: ${card}`)
    await inspect(merchant)
  })

  test('keeps the reference of a deposit that was sent at the last moment', async () => {
    const invoice = await createInvoice(harness)
    const { page, depositAddress } = await startSwap(invoice)
    clock.advance(HOUR + 1)
    await assertNotice(page, 'No deposit yet', [depositAddress, 'do not pay again'])
    // A buyer without the id of the swap may not have started it: anyone with the invoice id can.
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    assert.equal(await page.locator('.swap-notice').count(), 0)
  })
})
