import { afterEach, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Account } from '../../src/domain/account/account.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { inBrowser, signInOnPage, useBrowser } from './browser.ts'

const EMAIL = 'shop@example.org'

inBrowser('what can become of a sale', newDatabase => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  beforeEach(async () => {
    harness = await startSandboxService(await newDatabase())
  })
  afterEach(() => harness.close())

  async function account(): Promise<Account> {
    const { accounts, viewingKeys } = harness.service
    return (await viewingKeys.set(await accounts.findOrCreate(EMAIL), harness.sandbox.demoViewingKey)).account
  }

  async function openMerchant(): Promise<Page> {
    const page = await openPage()
    await signInOnPage(page, harness, EMAIL)
    await account()
    return page
  }

  async function openBuyer(): Promise<{ page: Page; invoice: Invoice }> {
    const request = { amountZat: 2_500_000n, expiresInSecs: 3_600, idempotencyKey: undefined }
    const invoice = await harness.service.invoices.create(await account(), request)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    return { page, invoice }
  }

  const pay = ({ address }: Invoice, amount: bigint) => harness.sandbox.wallet.pay({ uri: `zcash:${address}`, amount })
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

  test('the buyer chooses an open amount, made in the dashboard, and what arrives is the amount', async () => {
    const merchant = await openMerchant()
    await merchant.goto(`${harness.url}/invoices/new`)
    await merchant.getByLabel('Let the buyer choose the amount').check()
    await merchant.getByRole('button', { name: 'Create invoice' }).click()
    await merchant.waitForURL(/\/invoices\/[0-9a-f-]{36}$/)
    const invoice = await harness.service.invoices.read(new URL(merchant.url()).pathname.split('/').at(-1)!)
    const buyer = await openPage()
    await buyer.goto(`${harness.url}/i/${invoice.publicId}`)
    await heading(buyer, 'Choose the amount')
    pay(invoice, 5_000_000n)
    await heading(buyer, 'Payment seen')
    harness.sandbox.chain.mine(3)
    await heading(buyer, 'Paid')
    await buyer.getByText('0.05 ZEC', { exact: true }).first().waitFor()
  })

  test('the merchant cancels while the buyer pays: the open page says so, and the money counts', async () => {
    const { page, invoice } = await openBuyer()
    const merchant = await openMerchant()
    await merchant.goto(`${harness.url}/invoices/${invoice.publicId}`)
    await merchant.getByText('Cancel this invoice').click()
    await merchant.getByRole('button', { name: 'Cancel invoice' }).click()
    await heading(page, 'Canceled')
    pay(invoice, 2_500_000n)
    await heading(page, 'Payment seen')
    harness.sandbox.chain.mine(3)
    await heading(page, 'Paid')
    const read = () => harness.service.invoices.read(invoice.publicId)
    await until('the invoice to be paid', async () => (await read()).status === 'paid')
    await merchant.reload()
    await merchant.getByText('after the invoice had been canceled').waitFor()
  })
})
