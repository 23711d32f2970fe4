import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { createInvoice, noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

describe('an overpaid invoice', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()

  test('shows the buyer and the merchant how much is too much: a notice, a badge and a filter', async t => {
    const harness = await startSandboxService()
    t.after(() => harness.close())
    const page = await openPage()
    await signInOnPage(page, harness, 'shop@example.org')
    const [exact, over] = [await createInvoice(harness), await createInvoice(harness)]
    const buyer = await openPage()
    await buyer.goto(`${harness.url}/i/${over.publicId}`)
    harness.sandbox.wallet.pay({ uri: `zcash:${exact.address}?amount=0.025` })
    harness.sandbox.wallet.pay({ uri: `zcash:${over.address}?amount=0.035` })
    await buyer.getByText('You have paid 0.01 ZEC too much.').waitFor()
    harness.sandbox.chain.mine(3)
    await buyer.getByRole('heading', { name: 'Paid' }).waitFor()
    await buyer.getByText('You have paid 0.01 ZEC too much.').waitFor()
    await inspect(buyer)
    await until('both to be paid', async () => {
      const { invoices } = harness.service
      return (
        (await invoices.read(exact.publicId)).status === 'paid' &&
        (await invoices.read(over.publicId)).status === 'paid'
      )
    })

    await page.goto(`${harness.url}/overview`)
    const attention = page.locator('section.attention')
    await attention.getByText('1 paid invoice was overpaid').waitFor()
    await inspect(page)
    await attention.getByRole('link', { name: over.publicId.slice(0, 8) }).click()
    await page.getByText('The buyer has paid 0.01 ZEC too much').waitFor()
    await inspect(page)
    await page.goto(`${harness.url}/invoices`)
    assert.equal(await page.locator('tbody tr').count(), 2)
    assert.equal(await page.locator('.badge', { hasText: 'Overpaid' }).filter({ visible: true }).count(), 1)
    await page.getByLabel('Status').selectOption('overpaid')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL('**status=overpaid**')
    assert.equal(await page.locator('tbody tr').count(), 1)
    await page.getByRole('link', { name: over.publicId }).waitFor()
    await inspect(page)
  })
})
