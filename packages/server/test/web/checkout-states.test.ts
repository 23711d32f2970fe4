import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { PAGE_LOCALES } from '../../src/domain/locale.ts'
import { until } from '../harness/until.ts'
import { noBrowser, openBrowser } from './browser.ts'
import { type BuyerState, type OpenPage, openBuyerStates, openState } from './checkout-states.ts'
import { findBarriers } from './inspect.ts'
import { qrCodeProblems, WITH_CODE } from './qr-codes.ts'

const MIN_TARGET_PX = 44
/** Those that are too small to touch. A link in a sentence may be (WCAG 2.2, 2.5.8). */
const SMALL_TARGETS = `[...document.querySelectorAll('a[href], button, summary, select, input:not(.unseen), label.button')].filter(it => !it.matches('[aria-hidden=true]'))
  .filter(it => it.checkVisibility())
  .filter(it => !(getComputedStyle(it).display === 'inline' && it.parentElement.textContent.trim() !== it.textContent.trim()))
  .filter(it => {
    const { width, height } = it.getBoundingClientRect()
    return Math.min(width, height) < ${MIN_TARGET_PX} - 0.5
  }).map(it => it.outerHTML.slice(0, 120))`
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

const urgency = ({ name }: BuyerState) => (name.startsWith('keypad') ? 2 : name.startsWith('swap-') ? 1 : 0)

describe('the pages of buyers', { skip: noBrowser(), timeout: 420_000 }, () => {
  const stack = new AsyncDisposableStack()
  let browser: Browser
  let states: readonly BuyerState[]
  const open: OpenPage = async options => (await browser.newContext(options)).newPage()
  const state = (name: string) => states.find(it => it.name === name) as BuyerState

  before(async () => {
    states = await openBuyerStates(stack)
    browser = stack.adopt(await openBrowser(), it => it.close())
  })
  after(() => stack.disposeAsync())

  /** The faults of a page in any width or theme. */
  async function problemsOf(page: Page, { name, heading }: BuyerState): Promise<string[]> {
    const problems: string[] = []
    const report = (where: string, found: readonly string[]) =>
      problems.push(...found.map(it => `${name}, ${where}: ${it}`))
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      // The content and the colours are the same in each width.
      if (width === 360) report('axe', await findBarriers(page))
      const sideways = await page.evaluate<number>(SIDEWAYS)
      if (sideways !== 0) report(`${width} px`, [`scrolls sideways by ${sideways} px`])
      report(`${width} px, too small to touch`, await page.evaluate<string[]>(SMALL_TARGETS))
    }
    const title = await page.title()
    if (!title.startsWith(heading) && !name.startsWith('swap-')) report('title', [title])
    if ((await page.locator('h1').count()) !== 1) report('headings', ['not one of the first level'])
    if (!(await page.locator('.test-bar').isVisible())) report('test', ['does not say that it is one'])
    return problems
  }

  test('have no barrier in any state, width and theme, say the same without a script, and their QR codes can be read', async () => {
    assert.ok(states.length >= 35, `${states.length}`)
    assert.deepEqual(
      WITH_CODE.filter(name => !states.some(it => it.name === name)),
      [],
    )
    // The time of a deposit and of a sale at a counter is over soon: the clock is fast.
    const left = states.toSorted((a, b) => urgency(b) - urgency(a))
    const problems: string[] = []
    const worker = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const page = await openState(open, next, { reducedMotion: 'reduce' })
        problems.push(...(await problemsOf(page, next)))
        await page.context().close()
        if (WITH_CODE.includes(next.name)) problems.push(...(await qrCodeProblems(open, next)))
        if (next.act) continue
        const plain = await openState(open, next, { javaScriptEnabled: false })
        if (await plain.locator('[data-stale]:visible').count()) problems.push(`${next.name}: says that it is stale`)
        await plain.context().close()
      }
    }
    await Promise.all([worker(), worker()])
    assert.deepEqual(problems, [])
  })

  test('can be used with the keyboard alone: in the order in which they are read, and the focus is seen', async () => {
    const page = await openState(open, state('pay'), { viewport: { width: 360, height: 740 } })
    const reached: string[] = []
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('Tab')
      const name = await page.evaluate(`{
        const it = document.activeElement;
        it === document.body ? null : (it.ariaLabel ?? it.labels?.[0]?.textContent ?? it.textContent).trim()
      }`)
      if (name === null) break
      reached.push(String(name))
      const seen = await page.evaluate(`{
        const it = document.activeElement
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(it.labels?.[0] ?? it);
        (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
      }`)
      assert.equal(seen, true, `${name} shows that it has the focus`)
      if (name === 'Show the QR code') {
        await page.keyboard.press('Space')
        await page.locator('svg.qr').waitFor()
      }
    }
    const inOrder = ['BTC, USDC, …', 'Open in your wallet', 'Show the QR code', 'Copy the amount', 'No wallet yet?']
    const places = inOrder.map(name => reached.indexOf(name))
    assert.ok(!places.includes(-1) && places.every((at, index) => at > (places[index - 1] ?? -1)), reached.join(' | '))
    await page.context().close()
  })

  test('load in every language, with its direction', async () => {
    for (const locale of PAGE_LOCALES) {
      const page = await open({ viewport: { width: 360, height: 740 } })
      await page.goto(`${state('confirming').url}?lang=${locale}`)
      const { lang, dir } = await page.evaluate<{ lang: string; dir: string }>(
        '({ lang: document.documentElement.lang, dir: document.documentElement.dir })',
      )
      assert.deepEqual([lang, dir], [locale, locale === 'ar' ? 'rtl' : 'ltr'])
      assert.equal(await page.evaluate(SIDEWAYS), 0, locale)
      const text = await page.locator('main h1').textContent()
      assert.equal(text === 'Payment seen', locale === 'en', `${locale}: ${text}`)
      await page.context().close()
    }
  })

  test('that were frozen ask for what they missed when they wake', async () => {
    const page = await openState(open, state('pay-plain'))
    const session = await page.context().newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    const asked = page.waitForResponse(response => response.url().includes('/i/'))
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await asked
    await page.locator('[data-stale]').waitFor({ state: 'hidden' })
    await page.context().close()
  })

  test('say that the connection is lost, and forget it once it is back', async () => {
    const page = await openState(open, state('offline'))
    await page.context().setOffline(false)
    await page.locator('[data-stale]').waitFor({ state: 'hidden' })
    await until('the countdown to go on', async () => (await page.locator('.countdown').count()) > 0)
    await page.context().close()
  })
})
