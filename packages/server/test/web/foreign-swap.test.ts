import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Invoice } from '../../src/ports/repository/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noBrowser, openBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const BTC = 'nep141:btc.omft.near'

describe('another holder of the invoice id starts a swap', { skip: noBrowser(), timeout: 180_000 }, () => {
  let harness: SandboxService
  let browser: Browser

  before(async () => {
    harness = await startSandboxService()
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await harness?.close()
  })

  async function createInvoice(): Promise<Invoice> {
    const { accounts, viewingKeys, invoices } = harness.service
    const account = await accounts.findOrCreate('shop@example.org')
    const { account: ready } = await viewingKeys.set(account, harness.sandbox.demoViewingKey)
    return invoices.create(ready, { amountZat: 2_500_000n, expiresInSecs: 3_600, idempotencyKey: undefined })
  }

  async function openPage(t: { after(work: () => Promise<void>): void }, javaScriptEnabled = true): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled })
    t.after(() => context.close())
    return context.newPage()
  }

  const startAsAttacker = ({ publicId }: Invoice) =>
    harness.service.swaps.start(publicId, { assetId: BTC, refundTo: 'an-address-of-the-attacker' })

  async function startAsBuyer(page: Page, { publicId }: Invoice) {
    await page.goto(`${harness.url}/i/${publicId}/swap`)
    await page.getByLabel('Asset').selectOption({ label: 'BTC on Bitcoin' })
    await page.getByLabel('Your refund address').fill('the-buyers-own-address')
    await page.getByRole('button', { name: 'Get the deposit address' }).click()
    await page.getByRole('heading', { name: 'Send your deposit' }).waitFor()
    const { swapId } = await harness.service.invoices.read(publicId)
    const swap = await harness.service.store.read(tx => tx.swaps.byId(swapId ?? 0))
    assert.ok(swap)
    return swap
  }

  const notice = 'was started for this invoice on another page'

  test('the open page keeps the deposit address and the refund address of its own swap, and says so', async t => {
    const invoice = await createInvoice()
    const page = await openPage(t)
    const own = await startAsBuyer(page, invoice)
    const foreign = await startAsAttacker(invoice)
    await page.getByText(notice).waitFor()
    await inspect(page)
    const shown = async () => {
      assert.equal(await page.getByText(own.depositAddress).count(), 1)
      assert.equal(await page.getByText('the-buyers-own-address').count(), 1)
      assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
    }
    await shown()
    await page.reload()
    await shown()

    await page.getByRole('link', { name: 'Show that swap' }).click()
    await page.getByText(foreign.depositAddress).waitFor()
    await page.getByText('an-address-of-the-attacker').waitFor()
  })

  test('a page in ZEC stays in ZEC until the buyer confirms the swap', async t => {
    const invoice = await createInvoice()
    const page = await openPage(t)
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    const foreign = await startAsAttacker(invoice)
    await page.getByText(notice).waitFor()
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
    await page.getByText('an-address-of-the-attacker').waitFor()
    await inspect(page)
  })

  test('without JavaScript, a fresh page asks too, and one with another invoice’s swap shows ZEC', async t => {
    const invoice = await createInvoice()
    const page = await openPage(t, false)
    const foreign = await startAsAttacker(invoice)
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    await page.getByText(notice).waitFor()
    assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
    const other = await createInvoice()
    await page.goto(`${harness.url}/i/${other.publicId}?swap=${foreign.publicId}`)
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
  })

  test('a deposit of the attacker does not make the page show where to send the rest', async t => {
    const invoice = await createInvoice()
    const page = await openPage(t)
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    const foreign = await startAsAttacker(invoice)
    harness.sandbox.oneclick.deposit(foreign.depositAddress, 1n)
    await until('the deposit is reported', async () => {
      return (await harness.service.store.read(tx => tx.swaps.byId(foreign.id)))?.status === 'INCOMPLETE_DEPOSIT'
    })
    await page.getByRole('heading', { name: 'Deposit too small' }).waitFor()
    assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
    await page.getByText(notice).waitFor()
  })
})
