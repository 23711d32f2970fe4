import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { call } from '../harness/http-call.ts'
import { CONSENTS } from '../harness/plugin-consents.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { type KeyReceiver, startKeyReceiver } from './key-receiver.ts'
import { expireRecentAuth, openVisitor, Visitor } from './visitor.ts'

const EMAIL = 'shop@example.org'
/** Those of Magento, in its order. */
const ASKED = [
  'btcpay.store.canviewinvoices',
  'btcpay.store.cancreateinvoice',
  'btcpay.store.webhooks.canmodifywebhooks',
  'btcpay.store.canviewstoresettings',
  'btcpay.store.canmodifyinvoices',
]
const PATH = '/api-keys/authorize'

interface Asked {
  readonly permissions?: readonly string[]
  readonly name?: string
  readonly strict?: string
  readonly redirect?: string
  readonly path?: string
}

function addressOf({ permissions = ASKED, name = 'Magento 2 @ shop.example', path = PATH, ...rest }: Asked): string {
  const query = new URLSearchParams(permissions.map((permission): [string, string] => ['permissions', permission]))
  query.append('applicationName', name)
  for (const [key, value] of Object.entries(rest)) query.append(key, value)
  return `${path}?${query}`
}

describe('the page on which a plugin asks for a key, in a browser', { skip: noBrowser(), timeout: 180_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService
  let shop: KeyReceiver
  /** Each test has its own account. */
  let email = ''
  let tests = 0

  before(async () => {
    harness = await startSandboxService()
  })
  beforeEach(async () => {
    tests += 1
    email = `shop${tests}@example.org`
    shop = await startKeyReceiver()
  })
  afterEach(() => shop?.close())
  after(() => harness?.close())

  async function storeId(): Promise<string> {
    return (await harness.service.accounts.findByEmail(email)).publicId
  }

  /** Follows the sign-in that stands before the page. */
  async function signInBefore(page: Page): Promise<void> {
    await page.getByText('Sign in to connect your shop').waitFor()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Email me a code' }).click()
    await page.getByLabel('Code').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The code is incorrect').waitFor()
    await page.getByLabel('Code').fill(await harness.codeFor(email))
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  for (const javaScriptEnabled of [true, false])
    test(`${javaScriptEnabled ? 'with' : 'without'} a script, the shop gets the key by a form, after the sign-in`, async () => {
      const page = await openPage({ javaScriptEnabled })
      const redirect = `${shop.url}/btcpay/apikey/save?secret=a+b%2F&store=0`
      const address = addressOf({ redirect, strict: 'true' })
      await page.goto(harness.url + address)
      await signInBefore(page)
      assert.equal(page.url(), harness.url + address, 'all parameters come back')
      await page.getByRole('heading', { name: 'Connect your shop?' }).waitFor()
      await page.getByText('Magento 2 @ shop.example').waitFor()
      await page.getByText(new URL(shop.url).host, { exact: true }).waitFor()
      for (const permission of ASKED) await page.getByText(permission, { exact: true }).waitFor()
      if (javaScriptEnabled) await inspect(page)
      await page.getByRole('button', { name: 'Allow' }).click()
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue to localhost' }).click()
      await page.getByRole('heading', { name: 'Connected' }).waitFor()

      const id = await storeId()
      const [form] = shop.received
      const key = form?.fields[0]?.[1] ?? ''
      assert.match(key, /^zgk_[0-9A-Za-z]{49}$/)
      assert.deepEqual(shop.received, [
        {
          method: 'POST',
          path: '/btcpay/apikey/save?secret=a+b%2F&store=0',
          type: 'application/x-www-form-urlencoded',
          referrer: undefined,
          fields: [
            ['apiKey', key],
            ['userId', id],
            ...ASKED.map(permission => ['permissions[]', `${permission}:${id}`]),
          ],
        },
      ])
      const headers = { authorization: `token ${key}` }
      assert.deepEqual((await call(harness, 'GET /api/v1/api-keys/current', { headers })).body, {
        apiKey: key,
        label: 'Magento 2 @ shop.example',
        permissions: ASKED.map(permission => `${permission}:${id}`),
      })
      await page.goto(`${harness.url}/api-keys`)
      await page.locator('tbody tr').getByText('Shop plugin with 5 permissions').click()
      await page
        .locator('tbody tr')
        .getByText(ASKED[4] ?? '')
        .waitFor()
      if (javaScriptEnabled) await inspect(page)
      await page.goto(`${harness.url}/activity`)
      await page
        .getByText(/Magento 2 @ shop\.example/)
        .first()
        .waitFor()
    })

  test('without an address the key is shown, with the store and the server', async () => {
    const page = await openPage()
    await signInOnPage(page, harness, email)
    await page.goto(harness.url + addressOf({ name: '<img src=x onerror=alert(1)>' }))
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    await page.getByText('this page shows it').waitFor()
    await inspect(page)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Plugin allowed' }).waitFor()
    for (const what of ['BTCPay Server URL', 'API key', 'Store ID'])
      await page.getByRole('button', { name: `Copy ${what}` }).waitFor()
    await page.getByText(await storeId(), { exact: true }).waitFor()
    await page.getByText(/^zgk_/).waitFor()
    await inspect(page)
  })

  test('denying opens the dashboard, and makes no key', async () => {
    const page = await openPage()
    await signInOnPage(page, harness, email)
    await page.goto(harness.url + addressOf({ redirect: shop.url }))
    await page.getByRole('link', { name: 'Deny' }).click()
    await page.waitForURL('**/overview')
    const account = await harness.service.accounts.findByEmail(email)
    assert.deepEqual(await harness.service.apiKeys.list(account, { limit: 10 }), [])
    assert.deepEqual(shop.received, [])
  })

  test('a key for a plugin is also made on the page of the keys, which shows what the plugin asks for', async () => {
    const page = await openPage()
    await signInOnPage(page, harness, email)
    await page.goto(`${harness.url}/api-keys`)
    await page.getByText(await storeId(), { exact: true }).waitFor()
    await page.getByText('Choose what the key may do').click()
    await page.locator('summary', { hasText: 'For shop plugins' }).click()
    await page.getByRole('link', { name: 'Choose what most plugins ask for' }).click()
    assert.ok(await page.getByLabel('btcpay.store.canmodifyinvoices').isChecked())
    assert.equal(await page.getByLabel('btcpay.store.canmodifystoresettings').isChecked(), false)
    await page.getByLabel('Key name').fill('OpenCart')
    await inspect(page)
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByText('New API key “OpenCart”').waitFor()
    await page.getByRole('button', { name: 'Copy Store ID' }).waitFor()
    await page.getByRole('button', { name: 'Copy API key' }).waitFor()
    await inspect(page)
  })
})

describe('the page on which a plugin asks for a key', () => {
  let harness: SandboxService
  let visitor: Visitor

  before(async () => {
    harness = await startSandboxService()
    visitor = new Visitor(harness)
    await visitor.signIn(EMAIL)
  })
  after(() => harness?.close())

  const SHOP = 'https://shop.example/callback'
  const tokenIn = (text: string) => /name="token" value="([\w-]+)"/.exec(text)?.[1] ?? ''
  const keys = async () =>
    harness.service.apiKeys.list(await harness.service.accounts.findByEmail(EMAIL), { limit: 100 })

  test('no site can frame it, and only the page that sends the key may send a form elsewhere', async () => {
    const asks = await visitor.request(`GET ${addressOf({ redirect: SHOP })}`)
    assert.equal(asks.status, 200)
    const sends = await visitor.request(`POST ${addressOf({ redirect: SHOP })}`, { token: tokenIn(asks.text) })
    assert.equal(sends.status, 200)
    for (const [page, target] of [
      [asks, "'self'"],
      [sends, 'https://shop.example https:'],
    ] as const) {
      const policy = page.headers.get('content-security-policy') ?? ''
      assert.match(policy, /frame-ancestors 'none'/)
      assert.equal(/form-action ([^;]*)/.exec(policy)?.[1], target)
      assert.equal(page.headers.get('cache-control'), 'no-store')
      assert.equal(page.headers.get('referrer-policy'), 'same-origin')
      assert.equal(page.headers.get('location'), null)
    }
    assert.equal(sends.text.match(/zgk_\w+/g)?.length, 1, 'the key stands in the form alone')
  })

  test('what real plugins ask for is granted to the letter, in their order', async () => {
    const { publicId } = await harness.service.accounts.findByEmail(EMAIL)
    for (const [plugin, query] of Object.entries(CONSENTS)) {
      const asked = new URLSearchParams(query)
      const { text } = await visitor.request(`GET ${PATH}?${query}`)
      const sent = await visitor.request(`POST ${PATH}?${query}`, { token: tokenIn(text) })
      const fields = [...sent.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
      const key = fields[0]?.[1] ?? ''
      const permissions = asked.getAll('permissions').map(permission => `${permission}:${publicId}`)
      assert.deepEqual(
        fields,
        [['apiKey', key], ['userId', publicId], ...permissions.map(permission => ['permissions[]', permission])],
        plugin,
      )
      const action = /<form method="post" action="([^"]+)"/.exec(sent.text)?.[1]?.replaceAll('&amp;', '&')
      assert.equal(action, asked.get('redirect'), plugin)
      const headers = { authorization: `token ${key}` }
      const current = await call(harness, 'GET /api/v1/api-keys/current', { headers })
      assert.deepEqual(
        [current.body.label, current.body.permissions],
        [asked.get('applicationName'), permissions],
        plugin,
      )
    }
  })

  test('a form of another site or session allows nothing', async () => {
    const before = (await keys()).length
    const line = `POST ${addressOf({ redirect: SHOP })}`
    assert.equal((await visitor.request(line)).status, 403)
    const other = new Visitor(harness)
    await other.signIn('other@example.org')
    const token = tokenIn((await other.request(`GET ${addressOf({})}`)).text)
    assert.notEqual(token, '')
    assert.equal((await visitor.request(line, { token })).status, 403)
    const own = tokenIn((await visitor.request(`GET ${addressOf({})}`)).text)
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://shop.example' }
    assert.equal((await visitor.request(line, { token: own }, crossSite)).status, 403)
    assert.equal((await new Visitor(harness).request(line, { token: own })).status, 401)
    assert.equal((await keys()).length, before)
  })

  test('what cannot be allowed has no button, and its form is refused', async () => {
    const before = (await keys()).length
    const token = tokenIn((await visitor.request(`GET ${addressOf({})}`)).text)
    const unknown = [...ASKED, 'btcpay.server.canmodifyserversettings<b>']
    for (const [asked, message] of [
      [{ permissions: unknown }, /canmodifyserversettings&lt;b&gt;/],
      [{ permissions: [] }, /no permission/],
      [{ redirect: 'http://shop.example/' }, /is not accepted/],
      [{ redirect: 'javascript:alert(1)' }, /is not accepted/],
      [{ name: 'x'.repeat(5_000) }, /too long/],
    ] as const) {
      const shown = await visitor.request(`GET ${addressOf(asked)}`)
      assert.equal(shown.status, 400)
      assert.match(shown.text, message)
      assert.doesNotMatch(shown.text, /<form|<b>|zgk_/)
      assert.equal((await visitor.request(`POST ${addressOf(asked)}`, { token })).status, 400)
    }
    assert.equal((await keys()).length, before)
  })

  test('a permission without a meaning is left out if the plugin allows that, and is listed', async () => {
    const address = addressOf({
      permissions: [...ASKED, 'btcpay.user.canviewprofile'],
      strict: 'false',
      redirect: SHOP,
    })
    const { text } = await visitor.request(`GET ${address}`)
    assert.match(text, /does not get[\s\S]*canviewprofile/)
    const sent = await visitor.request(`POST ${address}`, { token: tokenIn(text) })
    assert.equal(sent.text.match(/permissions\[\]/g)?.length, ASKED.length)
    assert.doesNotMatch(sent.text, /canviewprofile/)
  })

  test('it needs a recent code, and comes back with all that was asked for', async () => {
    const { visitor: old, token: session } = await openVisitor(harness, 'old@example.org')
    await expireRecentAuth(harness, session)
    const address = addressOf({ redirect: `${SHOP}?secret=a+b`, path: `${PATH}/` })
    const token = tokenIn((await old.request(`GET ${address}`)).text)
    const asked = await old.request(`POST ${address}`, { token })
    assert.equal(asked.status, 403)
    assert.match(asked.text, /Confirm your identity/)
    assert.ok(asked.text.includes(`action="${address.replaceAll('&', '&amp;')}"`))
    const code = await harness.codeFor('old@example.org', 2)
    const sent = await old.request(`POST ${address}`, { token, code })
    assert.equal(sent.status, 200)
    assert.match(sent.text, /action="https:\/\/shop\.example\/callback\?secret=a\+b"/)
  })

  test('the sign-in returns to this page and to no other', async () => {
    for (const next of [
      'https://evil.example/api-keys/authorize',
      '//evil.example/api-keys/authorize',
      '/api-keys',
      '',
    ]) {
      const { text } = await new Visitor(harness).request(`GET /sign-in?next=${encodeURIComponent(next)}`)
      assert.doesNotMatch(text, /name="next"/)
      const signedIn = new Visitor(harness)
      await signedIn.request('POST /sign-in', { email: `next${next.length}@example.org`, next })
      const code = await harness.codeFor(`next${next.length}@example.org`)
      const { headers } = await signedIn.request('POST /sign-in/code', { code, next })
      assert.equal(headers.get('location'), '/overview')
    }
    const back = await new Visitor(harness).request(`GET ${addressOf({ name: '"><script>' })}`)
    assert.equal(back.status, 401)
    assert.match(back.text, /name="next" value="\/api-keys\/authorize\?/)
    assert.doesNotMatch(back.text, /"><script>/)
  })
})
