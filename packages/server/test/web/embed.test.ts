import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startSandboxService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { chooseAsset, createInvoice, noBrowser, REFUND_TO, submitAsset, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { serveShopPage } from './shop-page.ts'
import { visit } from './visit.ts'

const UNKNOWN = '6f1e5e2c-6c0a-4a2e-9d3c-0f5f3f1d2b4a'
/** Clock speed. The first poll of a swap comes five seconds after its start. */
const SPEED = 5

// The provider’s clock is not sped up: after a minute its quotes would be too old.
const harness = await startSandboxService({ clock: new SkewedClock({ factor: SPEED }) })
after(() => harness.close())

const createId = async (shop = harness) => (await createInvoice(shop)).publicId

test('only the embedded checkout can be framed, its error pages too, and it sets and reads no cookie', async () => {
  const id = await createId()
  for (const path of [`/i/${id}/embed`, `/i/${id}/embed/swap`, `/i/${UNKNOWN}/embed`, '/i/none/embed/swap']) {
    const { headers, text } = await visit(harness, `GET ${path}`, { cookie: '__Host-zatgate=anything' })
    const policy = headers.get('content-security-policy') as string
    assert.match(policy, /^default-src 'none'; .*frame-ancestors \*$/, path)
    assert.doesNotMatch(policy, /unsafe|https?:|data:/)
    assert.equal(headers.get('x-frame-options'), null)
    assert.equal(headers.get('referrer-policy'), 'same-origin')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(headers.getSetCookie(), [])
    assert.doesNotMatch(text, /dashboard/)
  }
  for (const path of [`/i/${id}`, `/i/${id}/swap`, `/i/${UNKNOWN}`, '/sign-in', '/overview', '/docs']) {
    const { headers } = await visit(harness, `GET ${path}`)
    assert.match(headers.get('content-security-policy') as string, /frame-ancestors 'none'$/, path)
    assert.equal(headers.get('x-frame-options'), 'DENY')
  }
})

test('a page that says that there are too many requests is styled, and framed where its page can be', async () => {
  const limited = await startSandboxService({ env: { RATE_LIMIT: '2' } })
  try {
    const paths = [`/i/${UNKNOWN}/embed`, `/i/${UNKNOWN}/embed`, `/i/${UNKNOWN}/embed`, `/i/${UNKNOWN}`]
    const [, , framed, plain] = await Promise.all(paths.map(path => visit(limited, `GET ${path}`)))
    for (const [page, ancestors] of [
      [framed, '*'],
      [plain, "'none'"],
    ] as const) {
      assert.equal(page?.status, 429)
      const policy = page?.headers.get('content-security-policy')
      assert.ok(policy?.includes("style-src 'self'") && policy.endsWith(`frame-ancestors ${ancestors}`), policy ?? '')
    }
  } finally {
    await limited.close()
  }
})

test('an embedded checkout stays in the frame', async () => {
  const id = await createId()
  const page = async (path: string) => (await visit(harness, `GET ${path}`)).text
  assert.match(await page(`/i/${id}/embed`), new RegExp(`href="/i/${id}/embed/swap"`))
  assert.match(await page(`/i/${id}/embed/swap`), new RegExp(`action="/i/${id}/embed/swap"`))
  const form = { asset_id: 'nep141:btc.omft.near', refund_to: REFUND_TO.Bitcoin! }
  const started = await visit(harness, `POST /i/${id}/embed/swap`, { form })
  const location = started.headers.get('location') ?? ''
  assert.equal(started.status, 303)
  assert.match(location, new RegExp(`^/i/${id}/embed\\?swap=[0-9a-f-]{36}$`))
  const deposit = await page(location)
  assert.match(deposit, /data-status="pending" data-swap-status="PENDING_DEPOSIT"/)
  assert.match(deposit, new RegExp(`href="/i/${id}/embed\\?swap=[0-9a-f-]{36}&amp;with=zec"`))
  assert.match(await page(`/i/${id}/embed?with=zec`), /Pay with Zcash/)
  const foreign = { form, headers: { 'sec-fetch-site': 'cross-site' } }
  assert.equal((await visit(harness, `POST /i/${id}/embed/swap`, foreign)).status, 403)
})

test('the origin of the page around the frame stays in all addresses of the checkout, and is one', async () => {
  const id = await createId()
  const page = async (path: string) => visit(harness, `GET ${path}`)
  const query = 'parent=https%3A%2F%2Fshop.example%3A8443'
  const marked = /<main id="main" aria-label="Payment" data-parent="https:\/\/shop\.example:8443">/
  const checkout = await page(`/i/${id}/embed?${query}`)
  assert.match(checkout.text, marked)
  assert.ok(checkout.text.includes(`href="/i/${id}/embed/swap?${query}"`), checkout.text)
  const swap = await page(`/i/${id}/embed/swap?${query}`)
  assert.match(swap.text, marked)
  assert.ok(swap.text.includes(`action="/i/${id}/embed/swap?${query}"`))
  // Also on an error page, which the page around it can close.
  assert.match((await page(`/i/${UNKNOWN}/embed?${query}`)).text, marked)
  for (const parent of ['', '*', 'null', 'https://shop.example/', 'javascript:alert(1)']) {
    const { status, text } = await page(`/i/${id}/embed?parent=${encodeURIComponent(parent)}`)
    assert.equal(status, 400, parent)
    assert.match(text, /Invalid parent: it must be the origin of the page around the frame, such as https:/)
    assert.doesNotMatch(text, /data-parent/)
  }
})

test('return_to shows a link to the shop, by its host, on every page of the checkout', async () => {
  const id = await createId()
  const query = `return_to=${encodeURIComponent('https://shop.example/orders/7?a=1&b="<')}`
  const link = 'href="https://shop.example/orders/7?a=1&amp;b=%22%3C">Back to <bdi>shop.example</bdi></a>'
  const page = async (path: string) => (await visit(harness, `GET ${path}`)).text.replaceAll('&#39;', "'")
  const checkout = await page(`/i/${id}?${query}`)
  assert.ok(checkout.includes(link), checkout)
  const [, swapPath = ''] = /href="(\/i\/[^"]+\/swap\?return_to=[^"]+)"/.exec(checkout) ?? []
  const [, action = ''] = /action="([^"]+)"/.exec(await page(swapPath)) ?? []
  assert.equal(action, swapPath)
  const form = { asset_id: 'nep141:btc.omft.near', refund_to: REFUND_TO.Bitcoin! }
  const { headers } = await visit(harness, `POST ${action}`, { form })
  const deposit = await page(headers.get('location') as string)
  assert.match(deposit, /Send your deposit/)
  assert.ok(deposit.includes(link))
})

const ON_THIS_MACHINE = [
  'http://localhost:8080/a',
  'http://shop.localhost/',
  'http://127.0.0.1/',
  'http://127.0.0.2/',
  'http://[::1]:3/',
]

test('return_to must be an https URL; while the service is on this machine, http URLs of this machine are allowed', async () => {
  const id = await createId()
  const status = async (returnTo: string) => {
    const { status, text } = await visit(harness, `GET /i/${id}?return_to=${encodeURIComponent(returnTo)}`)
    if (status !== 200) assert.match(text, /Invalid return to: it must be an absolute https URL/)
    return status
  }
  for (const good of ['https://shop.example', ...ON_THIS_MACHINE]) assert.equal(await status(good), 200, good)
  for (const bad of [
    '',
    '/orders/7',
    '//shop.example',
    'shop.example',
    'http://shop.example',
    'http://localhost.shop.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'zcash:u1',
    'https://user:secret@shop.example',
    'https://pay.example@shop.example',
    `https://shop.example/${'x'.repeat(2048)}`,
  ])
    assert.equal(await status(bad), 400, bad)
})

test('a public service refuses a return_to on the machine of the buyer', async t => {
  const publicService = await startSandboxService({ env: { PUBLIC_URL: 'https://pay.example.com' } })
  t.after(() => publicService.close())
  const id = await createId(publicService)
  const status = async (returnTo: string) =>
    (await visit(publicService, `GET /i/${id}?return_to=${encodeURIComponent(returnTo)}`)).status
  assert.equal(await status('https://shop.example'), 200)
  for (const local of ON_THIS_MACHINE) assert.equal(await status(local), 400, local)
})

describe('in a real browser', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()

  async function openShop(t: { after(work: () => Promise<void>): void }, html: string): Promise<Page> {
    // A shop that isolates its own pages may frame the checkout too.
    const shop = await serveShopPage(html, { 'cross-origin-embedder-policy': 'require-corp' })
    t.after(() => shop.close())
    const page = await openPage()
    await page.goto(shop.url)
    return page
  }

  const shopWith = (src: string) => `<!doctype html><html lang="en"><head><title>Shop</title>
    <meta name="viewport" content="width=device-width"></head><body><main><h1>Order 7</h1>
    <script>
      window.messages = []
      addEventListener('message', ({ origin, data }) => messages.push({ origin, ...data }))
    </script>
    <iframe src="${src}" title="Payment" style="width: 100%; height: 60rem; border: 0"></iframe></main></body></html>`

  const statuses = (page: Page) =>
    page.evaluate<string[]>(
      `messages.filter(({ type }) => type === 'zatgate:status').map(it => it.swap_status ? it.status + ' ' + it.swap_status : it.status)`,
    )

  test('a buyer pays inside the page of a shop on another site, which receives the statuses and the height', async t => {
    const id = await createId()
    const page = await openShop(t, shopWith(`${harness.url}/i/${id}/embed`))
    const frame = page.frameLocator('iframe')
    const heading = (name: string) => frame.getByRole('heading', { level: 1, name }).waitFor()
    await heading('Pay with Zcash')
    await inspect(page)
    const inner = page.frames().find(({ url }) => url === page.url) ?? page.frames()[1]
    assert.equal(
      await inner?.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      0,
    )

    await frame.getByRole('link', { name: 'BTC, USDC, …' }).click()
    await chooseAsset(frame, 'BTC on Bitcoin')
    await inspect(page)
    await submitAsset(frame)
    await heading('Send your deposit')
    await frame.getByRole('link', { name: 'Pay with Zcash instead' }).click()
    await heading('Pay with Zcash')
    await frame.getByRole('button', { name: 'Copy the amount' }).click()
    await frame.getByRole('button', { name: 'Copy the amount' }).getByText('Copied').waitFor()

    const { zip321Uri } = await paymentOf(id)
    harness.sandbox.wallet.pay({ uri: zip321Uri })
    await heading('Payment seen')
    harness.sandbox.chain.mine(3)
    await heading('Paid')
    await inspect(page)
    await until('the message', async () => (await statuses(page)).at(-1)?.startsWith('paid'))
    assert.deepEqual(
      [...new Set((await statuses(page)).map(text => text.split(' ')[0]))],
      ['pending', 'detected', 'paid'],
    )
    assert.ok((await statuses(page)).includes('pending PENDING_DEPOSIT'))
    const messages = await page.evaluate<{ origin: string }[]>('messages')
    assert.deepEqual([...new Set(messages.map(({ origin }) => origin))], [harness.url])
    // The last resize of `inspect` may still be on its way.
    const heights = await until('the height', async () => {
      const sent = await page.evaluate<number[]>('messages.flatMap(({ height }) => height ?? [])')
      const inner = await page.frames()[1]?.evaluate('Math.ceil(document.body.getBoundingClientRect().height)')
      return sent.at(-1) === inner && sent
    })
    assert.ok(Math.max(...heights) > (heights.at(-1) ?? 0))
    assert.ok(!JSON.stringify(messages).includes(id))
  })

  test('the theme of the shop wins over the system, also after choosing another asset', async t => {
    const id = await createId()
    const colours = { light: 'rgb(255, 255, 255)', dark: 'rgb(28, 30, 27)' }
    for (const [theme, system] of [
      ['light', 'dark'],
      ['dark', 'light'],
    ] as const) {
      const page = await openShop(t, shopWith(`${harness.url}/i/${id}/embed?theme=${theme}`))
      await page.emulateMedia({ colorScheme: system })
      await page.frameLocator('iframe').locator('.checkout').waitFor()
      const colour = () =>
        page.frames()[1]?.evaluate(`getComputedStyle(document.querySelector('.checkout')).backgroundColor`)
      assert.equal(await colour(), colours[theme])
      await page.frameLocator('iframe').getByRole('link', { name: 'BTC, USDC, …' }).click()
      await page.frameLocator('iframe').getByLabel('Type an asset or chain').waitFor()
      assert.equal(await colour(), colours[theme])
      await page.emulateMedia({ colorScheme: null })
    }
    const status = async (query: string) => (await visit(harness, `GET /i/${id}/embed?${query}`)).status
    assert.deepEqual(
      [await status('theme=blue'), await status('theme='), await status('return_to=https://a.example')],
      [400, 400, 400],
    )
  })

  test('no other page of the service loads in a frame', async t => {
    const id = await createId()
    for (const path of [`/i/${id}`, '/sign-in']) {
      const page = await openShop(t, shopWith(harness.url + path))
      const [, frame] = page.frames()
      await until('the refusal', () => frame?.url().startsWith('chrome-error:'))
    }
  })

  test('a buyer goes from the shop to the checkout and back, and neither site learns an address of the other', async t => {
    const id = await createId()
    const shop = await serveShopPage('<!doctype html><title>Shop</title>Thank you')
    t.after(() => shop.close())
    const page = await openPage()
    await page.goto(`${harness.url}/i/${id}?return_to=${encodeURIComponent(`${shop.url}orders/7`)}`)
    await inspect(page)
    await page.getByRole('link', { name: `Back to ${new URL(shop.url).host}` }).click()
    await page.getByText('Thank you').waitFor()
    assert.equal(page.url(), `${shop.url}orders/7`)
    assert.deepEqual(shop.referrers, [undefined])
  })

  async function paymentOf(id: string): Promise<{ zip321Uri: string }> {
    const { address } = await harness.service.invoices.read(id)
    return { zip321Uri: `zcash:${address}?amount=0.025` }
  }
})
