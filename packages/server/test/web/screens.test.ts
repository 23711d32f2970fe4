import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

describe('the lists of the dashboard', { skip: noBrowser(), timeout: 180_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  before(async () => {
    // The browser says how long ago an invoice was created.
    harness = await startSandboxService({ clock: systemClock })
  })
  after(() => harness?.close())

  /** A page of a new account, and a function that creates an invoice of it. */
  async function signIn(email: string, options?: BrowserContextOptions) {
    const page = await openPage({ viewport: { width: 1280, height: 800 }, ...options })
    await signInOnPage(page, harness, email)
    const { accounts, invoices, viewingKeys } = harness.service
    const found = await accounts.findByEmail(email)
    const { account } = await viewingKeys.set(found, harness.sandbox.demoViewingKey)
    const sell = (orderId: string, amountZat = 2_500_000n) =>
      invoices.create(account, { amountZat, orderId, expiresInSecs: 3_600, idempotencyKey: undefined })
    return { page, sell }
  }

  test('all of a row opens its invoice, and new invoices appear by themselves', async () => {
    const { page, sell } = await signIn('rows@example.org')
    const first = await sell('1001')
    await page.goto(`${harness.url}/invoices`)
    await inspect(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    const second = await sell('1002')
    const rows = page.locator('tbody tr')
    await page.locator(`#invoice-${second.publicId}`).waitFor()
    assert.equal(await rows.count(), 2)
    await page.getByText('2 invoices').waitFor()
    const time = rows.first().locator('time')
    assert.match((await time.textContent()) ?? '', /^(now|\d+ min\. ago)$/)
    assert.match((await time.getAttribute('title')) ?? '', /T\d\d:\d\d:\d\dZ$/)
    await time.click()
    await page.waitForURL(`**/invoices/${second.publicId}`)
    await page.goBack()
    const box = await page.locator(`#invoice-${first.publicId}`).boundingBox()
    assert.ok(box)
    await page.mouse.click(box.x + box.width - 20, box.y + box.height / 2)
    await page.waitForURL(`**/invoices/${first.publicId}`)
  })

  test('the export of a list has the rows of its filter', async () => {
    const { page, sell } = await signIn('export@example.org')
    const { publicId } = await sell('1001')
    await page.goto(`${harness.url}/invoices?status=paid`)
    await page.getByText('No matching invoices.').waitFor()
    await page.goto(`${harness.url}/invoices?status=pending`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^zatgate-invoices-.*\.csv$/)
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n')
    assert.deepEqual([lines.length, lines[1]?.startsWith(`${publicId},pending,`)], [2, true])
  })

  test('on a phone the filters are behind one button, and on a desktop they are not', async () => {
    const { page } = await signIn('phone@example.org')
    await page.goto(`${harness.url}/invoices?status=pending`)
    await page.getByLabel('Status').waitFor()
    assert.equal(await page.getByText('Filters (1)').isVisible(), false)
    await page.setViewportSize({ width: 360, height: 800 })
    assert.equal(await page.getByLabel('Status').isVisible(), false)
    await page.getByText('Filters (1)').click()
    await page.getByLabel('Status').selectOption('paid')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL('**status=paid**')
  })

  test('without JavaScript it asks before a session ends, and another page keeps it', async () => {
    const { page } = await signIn('plain@example.org', { javaScriptEnabled: false })
    await page.goto(`${harness.url}/sessions`)
    const ask = page.getByRole('button', { name: 'Sign out everywhere', exact: true })
    await ask.click()
    const dialog = page.getByRole('dialog', { name: 'Sign out everywhere?' })
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    assert.equal(await dialog.isVisible(), false)
    await ask.click()
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('amounts in a list stay on one line with text of 200 %, and nothing scrolls sideways', async () => {
    const { page, sell } = await signIn('large@example.org', { viewport: { width: 360, height: 800 } })
    await sell('W'.repeat(64), 123_456_789n)
    for (const path of ['/invoices', '/overview', '/events', '/webhook', '/sessions']) {
      await page.goto(harness.url + path)
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
      const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      assert.equal(over, 0, `${path} scrolls sideways`)
      const broken = await page.evaluate(`[...document.querySelectorAll('.amount')]
        .filter(it => it.checkVisibility() && it.firstChild?.data)
        .filter(({ firstChild }) => {
          const range = document.createRange()
          range.setStart(firstChild, 0)
          range.setEnd(firstChild, Math.max(0, firstChild.data.search(/ |$/)))
          return range.getClientRects().length > 1
        }).map(it => it.textContent)`)
      assert.deepEqual(broken, [], `${path} breaks a number`)
    }
  })
})
