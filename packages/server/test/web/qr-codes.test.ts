import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { readQrCode } from '../harness/qr-decoder.ts'
import { noBrowser, openBrowser } from './browser.ts'
import { type BuyerState, openBuyerStates, openState, STATE_VIEWS } from './checkout-states.ts'

const MIN_QUIET_ZONE = 4
/** A measured edge lies on a whole pixel. */
const ROUNDING = 0.25
const WITH_CODE = ['pay', 'pay-plain', 'open-amount', 'part-paid', 'short', 'swap-deposit', 'swap-incomplete']

describe('a QR code on a page of a buyer', { skip: noBrowser(), timeout: 240_000 }, () => {
  const stack = new AsyncDisposableStack()
  let browser: Browser
  let states: readonly BuyerState[]

  before(async () => {
    states = (await openBuyerStates(stack)).filter(({ name }) => WITH_CODE.includes(name))
    browser = stack.adopt(await openBrowser(), it => it.close())
  })
  after(() => stack.disposeAsync())

  async function shownCode(page: Page): Promise<Locator> {
    const code = page.locator('svg.qr')
    if (!(await code.isVisible())) await page.getByText('Show the QR code').click()
    await code.waitFor()
    return code
  }

  test('is read by another library in both themes and widths, says what its link or the text beside it says, and has its quiet zone', async () => {
    assert.equal(states.length, WITH_CODE.length)
    for (const state of states)
      for (const { name, width, height, colorScheme } of STATE_VIEWS) {
        const where = `${state.name}, ${name}`
        const options = { viewport: { width, height }, colorScheme, deviceScaleFactor: width < 500 ? 2 : 1 }
        const page = await openState(async given => (await browser.newContext(given)).newPage(), state, options)
        const code = await shownCode(page)
        const { text, quietZone, isDarkOnLight } = await readQrCode(await code.screenshot())
        const link = await page.evaluate(`document.querySelector('svg.qr').closest('a')?.getAttribute('href') ?? null`)
        const beside = await page.locator('.facts code').allTextContents()
        assert.ok(link === null ? beside.includes(text) : text === link, `${where}: ${text}, beside ${link ?? beside}`)
        assert.ok(link === null || beside.includes(addressOf(text)), `${where}: ${text}, beside ${beside}`)
        assert.ok(quietZone >= MIN_QUIET_ZONE - ROUNDING, `${where}: ${quietZone} modules`)
        assert.ok(isDarkOnLight, where)
        await page.context().close()
      }
  })
})

/** `zcash:address?amount=1` → address */
function addressOf(uri: string): string {
  return uri.replace(/^\w+:/, '').split('?')[0] ?? ''
}
