import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { createInvoice, noBrowser, useBrowser } from './browser.ts'
import { eventsOn, openModalShop, payLink } from './modal-page.ts'
import { serveShopPage } from './shop-page.ts'

const harness = await startSandboxService()
after(() => harness.close())

const createId = async () => (await createInvoice(harness)).publicId
const shown = (page: Page, name = 'Pay with Zcash') =>
  page.frameLocator('iframe').getByRole('heading', { name, level: 1 }).waitFor()

/** The storage and the cookies of all frames, as where a browser denies them to third parties. */
const DENY_STORAGE = `for (const [object, name] of [[window, 'localStorage'], [window, 'sessionStorage'], [Document.prototype, 'cookie']])
  Object.defineProperty(object, name, { get() { throw new DOMException('denied', 'SecurityError') } })`

describe('the script of the modal checkout', { skip: noBrowser(), timeout: 120_000 }, () => {
  const browser = useBrowser()
  const open = (t: Parameters<typeof openModalShop>[0], body: string, options = {}) =>
    openModalShop(t, harness, { browser, body, ...options })

  test('opens an invoice by its id, with theme and callbacks, and closes it', async t => {
    const id = await createId()
    const { page, errors } = await open(t, '<button id="own">Checkout</button>', {
      prepare: (it: Page) => it.addInitScript(DENY_STORAGE),
    })
    await page.locator('#own').focus()
    await page.evaluate(`window.calls = []
      window.modal = zatgate.open('${id}', { theme: 'dark', lang: 'de', onStatus: it => calls.push(it), onClose: it => calls.push(it) })`)
    await shown(page, 'Mit Zcash bezahlen')
    assert.match(
      (await page.locator('iframe').getAttribute('src')) ?? '',
      /\?parent=http%3A%2F%2Flocalhost%3A\d+&theme=dark&lang=de$/,
    )
    await until('the status', () => page.evaluate('calls.length === 1'))
    const dialog = `document.querySelector('.zatgate-modal').shadowRoot.querySelector('dialog')`
    const ground = await page.evaluate(`getComputedStyle(${dialog}).backgroundColor`)
    assert.equal(ground, 'rgb(19, 20, 18)')
    await page.evaluate('modal.close()')
    await until('both calls', () => page.evaluate('calls.length === 2'))
    assert.deepEqual(await page.evaluate('calls'), [{ status: 'pending' }, { status: 'pending' }])
    assert.equal(await page.evaluate('document.activeElement.id'), 'own')
    assert.deepEqual(errors, [])
    assert.deepEqual(await page.evaluate('Object.keys(window).filter(name => /zatgate/i.test(name))'), ['zatgate'])
  })

  test('opens nothing but checkouts of its own service', async t => {
    const { page } = await open(t, `<a class="zatgate" href="/i/none">Ours</a>`)
    for (const target of [
      '',
      'https://pay.example/i/x',
      `${harness.url}/overview`,
      `${harness.url}.example/i/x`,
      '/i/x',
      'javascript:alert(1)',
    ])
      assert.match(
        await page.evaluate<string>(
          `(() => { try { zatgate.open(${JSON.stringify(target)}) } catch (error) { return String(error) } })()`,
        ),
        /^TypeError: zatgate\.open: neither an invoice id nor a link to a checkout of http:/,
        target,
      )
    await page.getByRole('link', { name: 'Ours' }).click()
    await page.waitForURL('**/i/none')
  })

  test('believes only its own frame', async t => {
    const id = await createId()
    const message = `{ type: 'zatgate:status', status: 'paid' }`
    const stranger = await serveShopPage(
      `<!doctype html><title>Stranger</title><script>parent.postMessage(${message}, '*'); parent.postMessage('sent', '*')</script>`,
      { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-resource-policy': 'cross-origin' },
    )
    t.after(() => stranger.close())
    const { page } = await open(t, payLink(harness, id, 'id="a" data-redirect="javascript:document.title=1"'), {
      frameSrc: `${harness.url} ${stranger.url}`,
    })
    await page.getByRole('link', { name: 'Pay with Zcash' }).click()
    await shown(page)
    await page.evaluate(
      `(window.received = [], addEventListener('message', ({ data }) => received.push(data)), postMessage(${message}, '*'))`,
    )
    // A page of the service itself in another frame reports another invoice.
    for (const src of [stranger.url, `${harness.url}/i/${await createId()}/embed`])
      await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), { src: '${src}' }))`)
    const received = `received.includes('sent') && received.some(({ status }) => status === 'pending')`
    await until('all messages', () => page.evaluate(received))
    assert.deepEqual(await eventsOn(page), [['zatgate:status', 'a', { status: 'pending' }]])
  })

  test('runs no script that the attribute of a link has', async t => {
    const { publicId, address } = await createInvoice(harness)
    const { page } = await open(t, payLink(harness, publicId, `data-redirect="javascript:document.title='run'"`))
    await page.getByRole('link', { name: 'Pay with Zcash' }).click()
    await shown(page)
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=0.025` })
    await until('the payment', async () => (await harness.service.invoices.read(publicId)).status === 'detected')
    harness.sandbox.chain.mine(3)
    await page.getByRole('button', { name: 'Back to' }).click()
    await until('the end', async () => (await eventsOn(page)).at(-1)?.[0] === 'zatgate:close')
    assert.equal(await page.title(), 'Shop')
  })

  test('a page that names another origin in the address of its frame receives nothing', async t => {
    const id = await createId()
    const frame = (name: string, query: string) =>
      `<iframe title="${name}" src="${harness.url}/i/${id}/embed${query}"></iframe>`
    const hostile = await serveShopPage(`<!doctype html><title>Hostile</title>
      <script>messages = []; addEventListener('message', ({ source, data }) => messages.push([source === frames[0], data.type]))</script>
      ${frame('named', '?parent=https://shop.example')}${frame('unnamed', '')}`)
    t.after(() => hostile.close())
    const page = await browser.openPage()
    await page.goto(hostile.url)
    for (const name of ['named', 'unnamed'])
      await page.frameLocator(`[title=${name}]`).getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    await until('messages', () => page.evaluate('messages.length >= 2'))
    await page.frameLocator('[title=named]').locator('body').press('Escape')
    assert.deepEqual(
      [...new Set((await page.evaluate<[boolean, string][]>('messages')).map(message => message.join()))].sort(),
      ['false,zatgate:height', 'false,zatgate:status'],
    )
  })
})
