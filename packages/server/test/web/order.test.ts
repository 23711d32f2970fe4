import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSandboxService } from '../harness/service.ts'
import { createInvoice, inBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

inBrowser('an invoice of an order', newDatabase => {
  const { openPage } = useBrowser()

  test('is made in the dashboard, found by the beginning of its order, and says to the buyer what it is for', async t => {
    const harness = await startSandboxService(await newDatabase())
    t.after(() => harness.close())
    const page = await openPage()
    await signInOnPage(page, harness, 'shop@example.org')
    const plain = await createInvoice(harness)

    await page.goto(`${harness.url}/invoices/new`)
    await page.getByLabel('Amount', { exact: true }).fill('0.025')
    await page.getByLabel('Order').fill('1001<b>')
    await page.getByLabel('Description').fill('T-shirt\u202e')
    await inspect(page)
    await page.getByRole('button', { name: 'Create invoice' }).click()
    await page.getByText('without invisible ones').waitFor()
    assert.equal(await page.getByLabel('Order').inputValue(), '1001<b>', 'what was entered stays')
    await page.getByLabel('Description').fill('T-shirt, green')
    await page.getByRole('button', { name: 'Create invoice' }).click()
    await page.getByRole('heading', { name: 'Order 1001<b>' }).waitFor()
    await page.getByText('T-shirt, green').waitFor()
    await inspect(page)
    const id = new URL(page.url()).pathname.split('/').at(-1)

    await page.goto(`${harness.url}/invoices`)
    assert.equal(await page.locator('tbody tr').count(), 2)
    await page.getByText(plain.publicId.slice(0, 8)).first().waitFor()
    await page.getByLabel('Search', { exact: true }).fill('100')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL('**q=100**')
    assert.deepEqual(await page.locator('tbody tr a').allTextContents(), ['1001<b>'])
    await inspect(page)

    const buyer = await openPage()
    for (const path of [`/i/${id}`, `/i/${id}/embed`]) {
      await buyer.goto(`${harness.url}${path}`)
      await buyer.getByText('Order 1001<b> · T-shirt, green').waitFor()
      await inspect(buyer)
    }
    await buyer.goto(`${harness.url}/i/${plain.publicId}`)
    await buyer.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    assert.equal(await buyer.locator('.order').count(), 0)
  })
})
