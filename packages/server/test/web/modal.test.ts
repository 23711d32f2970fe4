import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { chooseAsset, createInvoice, noBrowser, submitAsset, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { eventsOn, openModalShop, payLink } from './modal-page.ts'

const harness = await startSandboxService()
after(() => harness.close())

const createId = async () => (await createInvoice(harness)).publicId
const dialogOn = (page: Page) => page.getByRole('dialog', { name: 'Pay with Zcash' })
const linkOn = (page: Page) => page.getByRole('link', { name: 'Pay with Zcash' })
const heading = (page: Page, name: string) =>
  page.frameLocator('iframe').getByRole('heading', { level: 1, name }).waitFor()
const gone = (page: Page) => dialogOn(page).waitFor({ state: 'hidden' })

const FRAMES = `document.querySelector('.zatgate-modal').shadowRoot.querySelectorAll('iframe')`

describe('the checkout over the page of a shop', { skip: noBrowser(), timeout: 120_000 }, () => {
  const browser = useBrowser()
  const open = (t: Parameters<typeof openModalShop>[0], body: string, options = {}) =>
    openModalShop(t, harness, { browser, body, ...options })

  test('a buyer pays in it; a click beside it closes it only then, and the shop goes on', async t => {
    const { publicId, address } = await createInvoice(harness)
    const { page, url, errors } = await open(t, payLink(harness, publicId, 'id="a" data-redirect="/thanks"'))
    await linkOn(page).click()
    await heading(page, 'Pay with Zcash')
    await inspect(page)
    // Nothing is hidden below the frame, which is as high as its content or as there is room.
    await until('the height', async () => {
      const fits = 'document.documentElement.scrollWidth <= innerWidth && document.body.offsetHeight > 300'
      return page.frames()[1]?.evaluate(fits)
    })
    await page.mouse.click(5, 400)
    assert.ok(await dialogOn(page).isVisible())
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=0.025` })
    await heading(page, 'Payment seen')
    harness.sandbox.chain.mine(3)
    await heading(page, 'Paid')
    await page.getByRole('button', { name: `Back to ${new URL(url).host}` }).waitFor()
    await inspect(page)
    assert.equal(page.url(), url)
    const events = await eventsOn(page)
    assert.deepEqual(
      events,
      ['pending', 'detected', 'paid'].map(status => ['zatgate:status', 'a', { status }]),
    )
    await page.mouse.click(5, 400)
    await page.waitForURL(`${url}thanks`)
    assert.deepEqual(errors, [])
  })

  test('the keyboard stays in it, and Esc closes it from both sides and gives the focus back', async t => {
    const { page, errors } = await open(t, payLink(harness, await createId(), 'id="a"'))
    const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.className')
    await linkOn(page).press('Enter')
    await heading(page, 'Pay with Zcash')
    for (let presses = 0; presses < 15; presses++) {
      await page.keyboard.press(presses < 12 ? 'Tab' : 'Shift+Tab')
      // The body: the controls of the browser have the focus.
      assert.ok(['zatgate-modal', ''].includes(await focused()), await focused())
    }
    await page.getByRole('button', { name: 'Close' }).focus()
    await page.keyboard.press('Escape')
    await gone(page)
    assert.equal(await focused(), 'a')

    await page.keyboard.press('Enter')
    await page.frameLocator('iframe').getByRole('button', { name: 'Copy the amount' }).focus()
    await page.keyboard.press('Escape')
    await gone(page)
    assert.equal(await focused(), 'a')
    const closed = await until('both events', async () => {
      const events = (await eventsOn(page)).filter(([name]) => name === 'zatgate:close')
      return events.length > 1 && events
    })
    assert.deepEqual(closed, Array(2).fill(['zatgate:close', 'a', { status: 'pending' }]))
    assert.deepEqual(errors, [])
  })

  test('a swap that was started in it is still there after it was closed', async t => {
    const { page } = await open(t, payLink(harness, await createId()))
    await linkOn(page).click()
    const frame = page.frameLocator('iframe')
    await frame.getByRole('link', { name: 'BTC, USDC, …' }).click()
    await chooseAsset(frame, 'BTC on Bitcoin')
    await submitAsset(frame)
    await heading(page, 'Send your deposit')
    await frame.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('Escape')
    await gone(page)
    await linkOn(page).click()
    assert.ok(await frame.getByRole('heading', { level: 1, name: 'Send your deposit' }).isVisible())
    const last = (await eventsOn(page)).filter(([name]) => name === 'zatgate:status').at(-1)
    assert.deepEqual(last?.[2], { status: 'pending', swap_status: 'PENDING_DEPOSIT' })
  })

  test('without script, and with the keys for a new tab, the link is followed', async t => {
    const id = await createId()
    const checkout = `${harness.url}/i/${id}`
    const plain = await open(t, payLink(harness, id), { javaScriptEnabled: false })
    await linkOn(plain.page).click()
    await plain.page.waitForURL(checkout)

    const { page } = await open(t, payLink(harness, id))
    for (const options of [{ modifiers: ['Control'] }, { button: 'middle' }] as const) {
      const opened = page.context().waitForEvent('page')
      await linkOn(page).click(options as Parameters<ReturnType<typeof linkOn>['click']>[0])
      await (await opened).waitForURL(checkout)
    }
    assert.equal(await page.locator('.zatgate-modal').count(), 0)
  })

  test('a double click opens one, and another link its own invoice', async t => {
    const [first, second] = [await createId(), await createId()]
    const links = `${payLink(harness, first, 'id="a"')} <a id="b" data-zatgate href="${harness.url}/i/${second}?return_to=https://shop.example">Pay the other</a>`
    const { page } = await open(t, links)
    const frames = () => page.evaluate(`Array.from(${FRAMES}, frame => frame.src)`)
    const srcOf = (id: string) =>
      `${harness.url}/i/${id}/embed?parent=${encodeURIComponent(new URL(page.url()).origin)}&lang=en`
    await linkOn(page).dblclick()
    await heading(page, 'Pay with Zcash')
    assert.deepEqual(await frames(), [srcOf(first)])
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Pay the other' }).click()
    assert.deepEqual(await frames(), [srcOf(second)])
    await heading(page, 'Pay with Zcash')
    await until('the status', async () => (await eventsOn(page)).at(-1)?.[1] === 'b')
  })

  test('on a phone it fills the screen, and the page behind it does not scroll', async t => {
    const { page } = await open(t, payLink(harness, await createId()) + '<br>More'.repeat(100))
    await page.setViewportSize({ width: 360, height: 640 })
    await linkOn(page).click()
    await heading(page, 'Pay with Zcash')
    assert.deepEqual(await dialogOn(page).boundingBox(), { x: 0, y: 0, width: 360, height: 640 })
    const { width = 0, height = 0 } = (await page.getByRole('button', { name: 'Close' }).boundingBox()) ?? {}
    assert.ok(width >= 44 && height >= 44)
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.deepEqual([await page.evaluate(sideways), await page.frames()[1]?.evaluate(sideways)], [0, 0])
    await page.mouse.move(180, 20)
    await page.mouse.wheel(0, 500)
    await page.frames()[1]?.evaluate('new Promise(requestAnimationFrame)')
    assert.equal(await page.evaluate('scrollY'), 0)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.mouse.wheel(0, 500)
    await until('the scrolling', () => page.evaluate('scrollY > 0'))
  })

  test('a page that is not found is shown in it, in the theme of the shop, and Esc closes it', async t => {
    const unknown = '6f1e5e2c-6c0a-4a2e-9d3c-0f5f3f1d2b4a'
    const { page, errors } = await open(t, payLink(harness, unknown, 'data-theme="dark"'))
    await linkOn(page).click()
    await heading(page, 'This payment link does not work')
    await inspect(page)
    const colour = `getComputedStyle(document.querySelector('.card')).backgroundColor`
    assert.equal(await page.frames()[1]?.evaluate(colour), 'rgb(28, 30, 27)')
    // The link goes away, as in a cart that updates itself.
    await page.evaluate(`document.querySelector('main').replaceChildren()`)
    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('Escape')
    await gone(page)
    assert.deepEqual(errors, [])
  })

  test('a frame that the policy of the shop refuses leaves a link to the payment page', async t => {
    const id = await createId()
    const { page } = await open(t, payLink(harness, id), {
      frameSrc: "'none'",
      prepare: (it: Page) => it.clock.install(),
    })
    await linkOn(page).click()
    await page.getByRole('status').getByText('Loading …').waitFor()
    await page.clock.fastForward(10_000)
    await page.getByRole('link', { name: 'Open the payment page' }).click()
    await page.waitForURL(`${harness.url}/i/${id}`)
  })
})
