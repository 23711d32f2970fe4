import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { TestScope } from '../harness/container.ts'
import { startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { createInvoice, noBrowser, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { serveShopPage } from './shop-page.ts'
import { visit } from './visit.ts'

const UNKNOWN = '6f1e5e2c-6c0a-4a2e-9d3c-0f5f3f1d2b4a'

const harness = await startSandboxService()
after(() => harness.close())

test('the address that scripts of BTCPay frame opens the checkout, embedded or alone', async () => {
  const { publicId: id } = await createInvoice(harness)
  const to = async (query: string) => {
    const { status, headers } = await visit(harness, `GET /invoice?${query}`)
    assert.equal(status, 303)
    return [headers.get('location'), headers.get('content-security-policy')?.split('; ').at(-1)]
  }
  assert.deepEqual(await to(`id=${id}&view=modal`), [`/i/${id}/embed?view=modal`, 'frame-ancestors *'])
  assert.deepEqual(await to(`id=${id}&view=modal&lang=de-DE&theme=dark&animateEntrance=false`), [
    `/i/${id}/embed?view=modal&lang=de-DE&theme=dark`,
    'frame-ancestors *',
  ])
  assert.deepEqual(await to(`id=${id}`), [`/i/${id}`, "frame-ancestors 'none'"])
  assert.deepEqual(await to(`id=${id}&lang=de-DE`), [`/i/${id}?lang=de-DE`, "frame-ancestors 'none'"])
  assert.deepEqual(await to('id=..%2F..%2Fsign-in%3F'), ['/i/..%2F..%2Fsign-in%3F', "frame-ancestors 'none'"])
  assert.deepEqual(await to('view=modal'), ['/i/none/embed?view=modal', 'frame-ancestors *'])
})

test('the checkout in the modal stays in it, and takes the languages as BTCPay spells them', async () => {
  const { publicId: id } = await createInvoice(harness)
  const { text } = await visit(harness, `GET /i/${id}/embed?view=modal&lang=de-DE`)
  assert.match(text, /<html lang="de"/)
  assert.ok(text.includes(`href="/i/${id}/embed/swap?lang=de&amp;view=modal"`), text)
  assert.match(text, /\/modal\.js"/)
  assert.doesNotMatch(text, /\/embed\.js"/)
  const embedded = await visit(harness, `GET /i/${id}/embed`)
  assert.doesNotMatch(embedded.text, /\/modal\.js"|data-close/)
  assert.match((await visit(harness, `GET /i/${id}?lang=de-DE`)).text, /<html lang="de"/)
})

test('the languages of the pages are listed', async () => {
  const { status, headers, text } = await visit(harness, 'GET /misc/lang')
  assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, '*'])
  const languages = JSON.parse(text) as { code: string; currentLanguage: string }[]
  assert.equal(languages.length, 13)
  for (const known of [
    { code: 'en', currentLanguage: 'English' },
    { code: 'de-DE', currentLanguage: 'Deutsch' },
    { code: 'ko', currentLanguage: '한국어' },
  ])
    assert.deepEqual(
      languages.find(({ code }) => code === known.code),
      known,
    )
  const { publicId: id } = await createInvoice(harness)
  for (const { code } of languages) {
    const page = await visit(harness, `GET /i/${id}?lang=${code}`)
    assert.ok(page.text.includes(`<html lang="${code.slice(0, 2)}"`), code)
  }
})

/** Records what `btcpay` reports, as plugins listen to it. */
const RECORD = `
  window.log = []
  btcpay.onModalWillEnter(() => log.push('enter'))
  btcpay.onModalWillLeave(() => log.push('leave'))
  btcpay.onModalReceiveMessage(({ data }) => log.push(data))`

describe('btcpay.js on the page of a shop', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()

  async function openShop(t: TestScope, body: string, frameSrc = harness.url): Promise<Page> {
    const shop = await serveShopPage(
      `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Shop</title>
      <script src="${harness.url}/modal/btcpay.js?ver=2.8.0"></script></head>
      <body><main><h1>Order 7</h1>${body}<p>${'Text<br>'.repeat(100)}</p></main></body></html>`,
      {
        'content-security-policy': `default-src 'none'; script-src ${harness.url} 'unsafe-inline'; frame-src ${frameSrc}`,
        'cross-origin-embedder-policy': 'require-corp',
      },
    )
    t.after(() => shop.close())
    const page = await openPage()
    await page.goto(shop.url)
    await page.evaluate(RECORD)
    return page
  }

  const button = (script: string) => `<button onclick="${script}">Pay</button>`
  const pay = (page: Page) => page.getByRole('button', { name: 'Pay', exact: true })
  const dialogOn = (page: Page) => page.getByRole('dialog', { name: 'Pay with Zcash' })
  const frameOn = (page: Page) => page.frameLocator('iframe')
  const heading = (page: Page, name: string) => frameOn(page).getByRole('heading', { level: 1, name }).waitFor()
  const logOn = (page: Page) => page.evaluate<unknown[]>('log')
  const logged = (page: Page, length: number) =>
    until('the messages', async () => (await logOn(page)).length >= length && logOn(page))
  const gone = (page: Page) => dialogOn(page).waitFor({ state: 'hidden' })

  test('a buyer pays in it, and the page gets the messages in order', async t => {
    const { publicId: id, address } = await createInvoice(harness)
    const page = await openShop(t, button(`btcpay.showInvoice('${id}')`))
    await pay(page).click()
    await heading(page, 'Pay with Zcash')
    await inspect(page)
    assert.deepEqual(await dialogOn(page).boundingBox(), { x: 0, y: 0, width: 1280, height: 800 })
    await page.mouse.wheel(0, 500)
    assert.equal(await page.evaluate('scrollY'), 0)
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=0.025` })
    await heading(page, 'Payment seen')
    harness.sandbox.chain.mine(3)
    await heading(page, 'Paid')
    await inspect(page)
    const status = (status: string) => ({ invoiceId: id, status })
    const until5 = ['enter', 'loaded', status('new'), status('processing'), status('settled')]
    assert.deepEqual(await logged(page, 5), until5)
    await frameOn(page).getByRole('button', { name: 'Close' }).click()
    await gone(page)
    assert.deepEqual(await logged(page, 7), [...until5, 'leave', 'close'])
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Pay')
    await page.mouse.wheel(0, 500)
    await until('the scrolling', () => page.evaluate('scrollY > 0'))
  })

  test('Esc closes it from both sides, and opened again it is as it was', async t => {
    const { publicId: id } = await createInvoice(harness)
    const page = await openShop(t, button(`btcpay.appendInvoiceFrame('${id}'); btcpay.showFrame()`))
    const first = ['enter', 'loaded', { invoiceId: id, status: 'new' }]
    await pay(page).press('Enter')
    await heading(page, 'Pay with Zcash')
    await frameOn(page).getByRole('button', { name: 'Copy the amount' }).press('Escape')
    await gone(page)
    assert.deepEqual(await logged(page, 5), [...first, 'leave', 'close'])

    await page.evaluate('log.length = 0')
    await pay(page).press('Enter')
    assert.ok(await frameOn(page).getByRole('heading', { name: 'Pay with Zcash' }).isVisible())
    assert.deepEqual(await logged(page, 2), ['enter', { invoiceId: id, status: 'new' }])
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Escape')
    await gone(page)
    assert.deepEqual((await logged(page, 4)).slice(2), ['leave', 'close'])
    assert.equal(await page.evaluate(`document.documentElement.style.overflow`), '')
  })

  test('another invoice has its own frame, in the language that is asked for; the page can close it', async t => {
    const [first, second] = [await createInvoice(harness), await createInvoice(harness)]
    const page = await openShop(t, '')
    await page.evaluate(`btcpay.appendAndShowInvoiceFrame('${first.publicId}', { animateEntrance: false })`)
    await heading(page, 'Pay with Zcash')
    await page.evaluate(`btcpay.hideFrame(); btcpay.hideFrame()`)
    await gone(page)
    await page.evaluate(
      `btcpay.setApiUrlPrefix('${harness.url}/'); btcpay.showInvoice('${second.publicId}', { lang: 'de-DE' })`,
    )
    await heading(page, 'Mit Zcash bezahlen')
    assert.deepEqual(
      page
        .frames()
        .slice(1)
        .map(frame => frame.url()),
      [`${harness.url}/i/${second.publicId}/embed?view=modal&lang=de-DE`],
    )
    const log = await logged(page, 7)
    assert.deepEqual(log.filter(entry => entry === 'leave').length, 1)
    assert.deepEqual(log.at(-1), { invoiceId: second.publicId, status: 'new' })
  })

  test('a page that has removed it while it was open opens it anew', async t => {
    const { publicId: id } = await createInvoice(harness)
    const page = await openShop(t, button(`btcpay.showInvoice('${id}')`))
    await pay(page).click()
    await heading(page, 'Pay with Zcash')
    await page.evaluate(`document.querySelector('.zatgate-modal').remove()`)
    await pay(page).click()
    await heading(page, 'Pay with Zcash')
    await page.keyboard.press('Escape')
    await gone(page)
    const opened = ['enter', 'loaded', { invoiceId: id, status: 'new' }]
    assert.deepEqual(await logged(page, 9), [...opened, 'leave', ...opened, 'leave', 'close'])
    assert.equal(await page.evaluate(`document.documentElement.style.overflow`), '')
  })

  test('an invoice that is not found is shown as such in it, and it can be closed', async t => {
    const page = await openShop(t, button(`btcpay.showInvoice('${UNKNOWN}')`))
    await pay(page).click()
    await heading(page, 'This payment link does not work')
    await inspect(page)
    await frameOn(page).getByRole('button', { name: 'Close' }).click()
    await gone(page)
    assert.deepEqual(await logged(page, 4), ['enter', 'loaded', 'leave', 'close'])
  })

  test('messages of other windows are not taken', async t => {
    const { publicId: id } = await createInvoice(harness)
    const page = await openShop(t, button(`btcpay.showInvoice('${id}')`))
    await pay(page).click()
    await heading(page, 'Pay with Zcash')
    const before = await logged(page, 3)
    await page.evaluate(`new Promise(done => {
      addEventListener('message', ({ data }) => data === 'end' && done())
      for (const data of ['close', { invoiceId: '${id}', status: 'settled' }, 'end']) postMessage(data, '*')
    })`)
    assert.deepEqual(await logOn(page), before)
    assert.ok(await dialogOn(page).isVisible())
  })

  test('a frame that the policy of the shop refuses leaves a button to close and a link to the payment page', async t => {
    const { publicId: id } = await createInvoice(harness)
    const page = await openShop(t, button(`btcpay.showInvoice('${id}')`), "'none'")
    await page.clock.install()
    await pay(page).click()
    await dialogOn(page).getByRole('button', { name: 'Close' }).click()
    await gone(page)
    assert.deepEqual(await logged(page, 3), ['enter', 'leave', 'close'])
    await pay(page).click()
    await page.clock.fastForward(10_000)
    await inspect(page)
    await page.getByRole('link', { name: 'Open the payment page' }).click()
    await page.waitForURL(`${harness.url}/i/${id}`)
  })
})
