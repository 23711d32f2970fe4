import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createPlainNoteScanner } from '../harness/plain-note-scanner.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { createInvoice, inBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const TXID = 'ab'.repeat(32)

inBrowser('a refund', newDatabase => {
  const { openPage } = useBrowser()
  let harness: SandboxService
  beforeEach(async () => {
    harness = await startSandboxService(await newDatabase())
  })
  afterEach(() => harness.close())

  async function openMerchant(): Promise<Page> {
    const page = await openPage()
    await signInOnPage(page, harness, 'shop@example.org')
    return page
  }

  async function paidInvoice(zec: string) {
    const invoice = await createInvoice(harness)
    harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}?amount=${zec}` })
    const status = async () => (await harness.service.invoices.read(invoice.publicId)).status
    await until('the payment to be seen', async () => (await status()) === 'detected')
    harness.sandbox.chain.mine(3)
    await until('the invoice to be paid', async () => (await status()) === 'paid')
    return invoice
  }

  async function buyerAddress(index: bigint): Promise<string> {
    const noteScanner = createPlainNoteScanner()
    const { incoming } = noteScanner.parseViewingKey(harness.sandbox.operatorViewingKey)
    const [address] = await noteScanner.deriveAddresses(incoming, 'regtest', index, 1)
    return address as string
  }

  test('goes from the merchant to the buyer and back: overpaid, asked for, given, seen, sent', async () => {
    const invoice = await paidInvoice('0.03')
    const merchant = await openMerchant()
    await merchant.goto(`${harness.url}/invoices/${invoice.publicId}/refund`)
    await inspect(merchant)
    await merchant.getByLabel('Reason').fill('paid twice')
    await merchant.getByRole('button', { name: 'Create refund' }).click()
    await merchant.getByText('Awaiting address').waitFor()
    await merchant.getByText('0.005 ZEC').first().waitFor()
    await inspect(merchant)
    await merchant.goBack()
    await merchant.goto(`${harness.url}/invoices/${invoice.publicId}/refund`)
    assert.equal(await merchant.getByRole('option', { name: 'overpaid' }).count(), 0, 'its refund is ordered')
    await merchant.goto(`${harness.url}/refunds`)
    await merchant.locator('main a[href^="/refunds/"]').first().click()
    const link = (await merchant.locator('[data-copy*="/r/"]').getAttribute('data-copy')) as string

    const buyer = await openPage()
    await buyer.goto(link)
    await buyer.getByRole('heading', { name: 'Your refund' }).waitFor()
    await inspect(buyer)
    const field = buyer.getByLabel('Address of your Zcash wallet')
    await field.fill('t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC')
    await buyer.getByRole('button', { name: 'Send it here' }).click()
    await buyer.getByText('not an address that the shop can pay').waitFor()
    assert.equal(await field.inputValue(), 't1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC')
    await inspect(buyer)
    await field.fill(`  ${await buyerAddress(5_001n)} `)
    await buyer.getByRole('button', { name: 'Send it here' }).click()
    await buyer.getByRole('heading', { name: 'Your refund is on its way' }).waitFor()
    const address = await buyerAddress(5_002n)
    await field.fill(address)
    await buyer.getByRole('button', { name: 'Change the address' }).click()
    await buyer.getByText(address).first().waitFor()

    await merchant.goto(`${harness.url}/refunds`)
    await inspect(merchant)
    await merchant
      .getByRole('link', { name: /^Refund [0-9a-f]{8}-/ })
      .first()
      .click()
    await merchant.getByText('Pay it from your own wallet').waitFor()
    await merchant.getByText(address).first().waitFor()
    await inspect(merchant)
    await buyer.reload()
    await buyer.getByText('can no longer be changed').waitFor()
    assert.equal(await field.count(), 0)

    await merchant.getByLabel('Transaction ID').fill('not one')
    await merchant.getByRole('button', { name: 'Mark as sent' }).click()
    await merchant.getByText('64 hexadecimal digits').waitFor()
    await merchant.getByLabel('Transaction ID').fill(TXID)
    await merchant.getByRole('button', { name: 'Mark as sent' }).click()
    await merchant.getByText('You marked this refund as sent.').waitFor()
    await buyer.reload()
    await buyer.getByRole('heading', { name: 'Refund sent' }).waitFor()
    await inspect(buyer)
    assert.equal((await harness.service.invoices.read(invoice.publicId)).refundedZat, 500_000n)
  })

  test('several ready ones are paid by one request and marked together', async () => {
    const invoice = await paidInvoice('0.025')
    const { accounts, refunds } = harness.service
    const account = (await accounts.list()).find(({ id }) => id === invoice.accountId)!
    for (const index of [6_001n, 6_002n]) {
      const given = { amountZat: 100_000n, address: await buyerAddress(index), idempotencyKey: undefined }
      await refunds.create(account, invoice.publicId, given)
    }
    const merchant = await openMerchant()
    await merchant.goto(`${harness.url}/refunds?status=ready`)
    await merchant.getByRole('button', { name: 'Pay the selected' }).click()
    await merchant.getByText('Select the refunds to pay.').waitFor()
    await merchant.goto(`${harness.url}/refunds?status=ready`)
    for (const box of await merchant.getByRole('checkbox').all()) await box.check()
    await merchant.getByRole('button', { name: 'Pay the selected' }).click()
    await merchant.getByRole('heading', { name: 'Pay 2 refunds' }).waitFor()
    await inspect(merchant)
    const uri = await merchant.getByRole('link', { name: 'Open in your wallet' }).getAttribute('href')
    assert.match(uri ?? '', /^zcash:\?address=\w+&amount=0\.001&memo=[\w-]+&address\.1=/)
    await merchant.getByLabel('Transaction ID').fill(TXID)
    await merchant.getByRole('button', { name: 'Mark as sent' }).click()
    await merchant.waitForURL(/status=sent/)
    assert.equal((await harness.service.invoices.read(invoice.publicId)).refundedZat, 200_000n)
  })

  test('nothing is offered where nothing is left, and a wrong link leads nowhere', async () => {
    const invoice = await createInvoice(harness)
    const page = await openMerchant()
    await page.goto(`${harness.url}/invoices/${invoice.publicId}/refund`)
    await page.getByText('Nothing can be refunded now').waitFor()
    const response = await page.goto(`${harness.url}/r/${invoice.publicId}`)
    assert.equal(response?.status(), 404)
  })
})
