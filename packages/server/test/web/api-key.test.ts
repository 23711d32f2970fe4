import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatIso } from '../../src/domain/time.ts'
import { startSandboxService } from '../harness/service.ts'
import { inBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

inBrowser('the page API keys', newDatabase => {
  const { openPage } = useBrowser()

  test('makes a key with scopes, a last day and addresses, and lists what it may do until it is revoked', async t => {
    const harness = await startSandboxService(await newDatabase())
    t.after(() => harness.close())
    const page = await openPage()
    await signInOnPage(page, harness, 'shop@example.org')
    await page.goto(`${harness.url}/api-keys`)
    await inspect(page)

    const create = page.getByRole('button', { name: 'Create API key' })
    await page.getByLabel('Key name').fill('books')
    await page.getByText('Choose what the key may do').click()
    await page.getByLabel('Addresses').fill('203.0.113.7, 2001:DB8::1/48')
    await create.click()
    await page.getByText('Invalid addresses: choose also what the key may do.').waitFor()
    assert.equal(
      await page.getByLabel('Addresses').inputValue(),
      '203.0.113.7, 2001:DB8::1/48',
      'what was entered stays',
    )
    await inspect(page)

    await page.getByLabel('List and read invoices').check()
    await page.getByLabel('Create, read and cancel refunds, and mark them as sent').check()
    await page.getByLabel('Last day').fill('2001-01-01')
    await create.click()
    await page.getByText('Invalid last day: today or a later date.').waitFor()
    assert.ok(await page.getByLabel('List and read invoices').isChecked())
    await page.getByLabel('Last day').fill('2099-12-31')
    await create.click()
    await page.getByText('New API key “books”').waitFor()
    await page.getByText('Bearer zg_…').waitFor()
    const row = page.locator('tbody tr').first()
    assert.match(
      await row.innerText(),
      /invoices:read, refunds:write[\s\S]*ends[\s\S]*from 203\.0\.113\.7\/32, 2001:db8::\/48/,
    )
    await inspect(page)
    const account = await harness.service.accounts.findByEmail('shop@example.org')
    const [key] = await harness.service.apiKeys.list(account, { limit: 1 })
    assert.equal(formatIso(key?.rights?.expiresAt ?? 0), '2100-01-01T00:00:00Z', 'to the end of the day')

    await row.getByRole('button', { name: 'Revoke the API key books' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('API key revoked').waitFor()
    assert.match(await page.locator('tbody tr').first().innerText(), /revoked/)
    await inspect(page)
  })
})
