import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { chooseAsset, createInvoice, noBrowser, REFUND_TO, submitAsset, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const BTC = 'nep141:btc.omft.near'

describe('another holder of the invoice id starts a swap', { skip: noBrowser(), timeout: 180_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  const startAsAttacker = (invoice: Invoice) =>
    harness.service.swaps.start(invoice, { assetId: BTC, refundTo: 'an-address-of-the-attacker' })

  async function startAsBuyer(page: Page, { publicId }: Invoice) {
    await page.goto(`${harness.url}/i/${publicId}/swap`)
    await chooseAsset(page, 'BTC on Bitcoin')
    await submitAsset(page)
    await page.getByRole('heading', { name: 'Send your deposit' }).waitFor()
    const { swapId } = await harness.service.invoices.read(publicId)
    const swap = await harness.service.store.read(tx => tx.swaps.byId(swapId ?? 0))
    assert.ok(swap)
    return swap
  }

  const notice = 'was started for this invoice on another page'

  test('the open page keeps the deposit address and the refund address of its own swap, and says so', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    const own = await startAsBuyer(page, invoice)
    const foreign = await startAsAttacker(invoice)
    await page.getByText(notice).waitFor()
    await inspect(page)
    const shown = async () => {
      assert.equal(await page.getByText(own.depositAddress).count(), 1)
      assert.equal(await page.getByText(REFUND_TO.Bitcoin!).count(), 1)
      assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
    }
    await shown()
    await page.reload()
    await shown()

    await page.getByRole('link', { name: 'Show that swap' }).click()
    await page.getByText(foreign.depositAddress).waitFor()
    await page.getByText('an-address-of-the-attacker').waitFor()
  })

  test('a page in ZEC stays in ZEC until the buyer confirms the swap', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    const foreign = await startAsAttacker(invoice)
    await page.getByText(notice).waitFor()
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
    await page.getByText('an-address-of-the-attacker').waitFor()
    await inspect(page)
  })

  test('without JavaScript, a fresh page asks too, and one with another invoice’s swap shows ZEC', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage({ javaScriptEnabled: false })
    const foreign = await startAsAttacker(invoice)
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    await page.getByText(notice).waitFor()
    assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
    const other = await createInvoice(harness)
    await page.goto(`${harness.url}/i/${other.publicId}?swap=${foreign.publicId}`)
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
  })

  test('a deposit of the attacker does not make the page show where to send the rest', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    const foreign = await startAsAttacker(invoice)
    harness.sandbox.oneclick.deposit(foreign.depositAddress, 1n)
    await until('the deposit is reported', async () => {
      return (await harness.service.store.read(tx => tx.swaps.byId(foreign.id)))?.status === 'INCOMPLETE_DEPOSIT'
    })
    await page.getByRole('heading', { name: 'Deposit too small' }).waitFor()
    assert.equal(await page.getByText(foreign.depositAddress).count(), 0)
    await page.getByText(notice).waitFor()
    assert.equal(await page.getByText('Send the rest').count(), 0)
    await inspect(page)
    await page.getByRole('link', { name: 'Pay with Zcash instead' }).click()
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    await page.getByText(notice).waitFor()
    assert.equal(await page.getByRole('link', { name: 'BTC, USDC, …' }).count(), 0)
  })

  test('the buyer’s own swap is not announced when the buyer goes back to Zcash or to the assets', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    const own = await startAsBuyer(page, invoice)
    await page.getByRole('link', { name: 'Pay with Zcash instead' }).click()
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    assert.equal(await page.getByText(notice).count(), 0)
    await page.getByRole('link', { name: 'BTC, USDC, …' }).click()
    await page.getByLabel('Type an asset or chain').waitFor()
    await page.getByRole('link', { name: 'Zcash', exact: true }).click()
    await page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    assert.equal(await page.getByText(notice).count(), 0)
    assert.equal(new URL(page.url()).searchParams.get('swap'), own.publicId)
  })
})
