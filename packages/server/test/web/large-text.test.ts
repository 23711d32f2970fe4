import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { chooseAsset, createInvoice, noBrowser, submitAsset, useBrowser } from './browser.ts'

/** The amounts whose digits are on more than one line. */
const BROKEN = `[...document.querySelectorAll('.amount')].filter(it => it.checkVisibility()).filter(({ firstChild }) => {
  const range = document.createRange()
  range.setStart(firstChild, 0)
  range.setEnd(firstChild, firstChild.data.indexOf(' '))
  return range.getClientRects().length !== 1
}).map(it => it.textContent)`
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describe('on a phone with text of 200 %', { skip: noBrowser(), timeout: 60_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService
  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  async function openLarge(path: string) {
    const page = await openPage({ viewport: { width: 360, height: 800 } })
    await page.goto(harness.url + path)
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
    return page
  }

  test('amounts stay on one line, and copy buttons are as large as a finger', async () => {
    const account = await harness.service.accounts.findOrCreate('shop@example.org')
    const { account: shop } = await harness.service.viewingKeys.set(account, harness.sandbox.demoViewingKey)
    for (const amountZat of [2_500_000n, 1_234_567_891n, 2_099_999_912_345_678n]) {
      const order = { amountZat, expiresInSecs: 3_600, idempotencyKey: undefined }
      const { publicId } = await harness.service.invoices.create(shop, order)
      const page = await openLarge(`/i/${publicId}`)
      assert.deepEqual(await page.evaluate(BROKEN), [], String(amountZat))
      assert.equal(await page.locator('.amount').count(), 2)
      assert.equal(await page.evaluate(OVERFLOW), 0)
      for (const button of await page.locator('button[data-copy]').all()) {
        const box = await button.boundingBox()
        assert.ok(box && box.width >= 44 && box.height >= 44, JSON.stringify(box))
      }
      await page.evaluate(`document.documentElement.style.fontSize = ''`)
      const box = await page.locator('button[data-copy]').first().boundingBox()
      assert.ok(box && box.width >= 44 && box.height >= 44, JSON.stringify(box))
    }
  })

  test('so do the amounts of other assets', async () => {
    const { publicId } = await createInvoice(harness)
    const page = await openLarge(`/i/${publicId}/swap`)
    await chooseAsset(page, 'ETH on Ethereum')
    await submitAsset(page)
    await page.getByRole('heading', { name: 'Send your deposit' }).waitFor()
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
    assert.equal(await page.locator('.amount').count(), 2)
    assert.deepEqual(await page.evaluate(BROKEN), [])
    assert.equal(await page.evaluate(OVERFLOW), 0)
  })
})
