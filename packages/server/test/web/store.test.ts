import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { MAX_LOGO_FILE_BYTES } from '../../src/http/routes/account/store-profile.ts'
import { makePng } from '../adapters/image/images.ts'
import { startSandboxService } from '../harness/service.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { visit } from './visit.ts'
import { expireRecentAuth, openVisitor } from './visitor.ts'

const harness = await startSandboxService()
after(() => harness.close())

const HOSTILE = `</title><img src=x onerror="alert(1)">'&`

async function signedIn(email: string) {
  const { visitor, token } = await openVisitor(harness, email)
  const account = await harness.service.accounts.findByEmail(email)
  const profile = () => harness.service.storeProfiles.ofAccountId(account.id)
  /** Sends a form with a file, as browsers do. */
  async function upload(file: Uint8Array, path = '/store/logo') {
    const form = new FormData()
    form.set('logo', new File([new Uint8Array(file)], `logo.svg"><script>`, { type: 'image/svg+xml' }))
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(harness.url + path, {
      method: 'POST',
      body: form,
      headers: { cookie },
      redirect: 'manual',
    })
    return { status: response.status, text: await response.text(), location: response.headers.get('location') }
  }
  return { visitor, token, account, profile, upload }
}

const FORM = {
  name: HOSTILE,
  website: 'https://Shop.example',
  support: 'help@shop.example',
  accent: '#FFD400',
  locale: 'ar',
  currency: 'eur',
  expires_in_secs: '21600',
  after_payment: 'return',
  frame_origins: 'https://shop.example\r\nhttps://www.shop.example\r\n',
}

test('the form changes the profile, and an empty one clears it', async () => {
  const { visitor, profile } = await signedIn('form@example.org')
  const saved = await visitor.request('POST /store', FORM)
  assert.deepEqual([saved.status, saved.headers.get('location')], [303, '/store?done=saved'])
  assert.deepEqual(await profile(), {
    name: HOSTILE,
    logo: null,
    accent: '#ffd400',
    support: 'help@shop.example',
    website: 'https://shop.example/',
    locale: 'ar',
    currency: 'EUR',
    expiresInSecs: 21_600,
    afterPayment: 'return',
    frameOrigins: ['https://shop.example', 'https://www.shop.example'],
  })
  const { text: invoiceForm } = await visitor.request('GET /invoices/new')
  assert.ok(invoiceForm.includes('viewing key'), 'there is no form before the viewing key is set')
  const empty = Object.fromEntries(Object.keys(FORM).map(name => [name, '']))
  assert.equal((await visitor.request('POST /store', empty)).status, 303)
  assert.deepEqual(Object.values(await profile()), Array(10).fill(null))
})

test('a name with markup is text on every page, and the preview has the colours of its accent', async () => {
  const { visitor } = await signedIn('hostile@example.org')
  await visitor.request('POST /store', FORM)
  const { text } = await visitor.request('GET /store')
  assert.ok(!text.includes('<img src=x') && text.includes('&lt;img src=x'))
  assert.ok(text.includes('<link rel="stylesheet" href="/accent/ffd400.css">'))
  assert.match(text, /class="card store-preview accent"/)
})

test('a value that is not valid is named, and the form keeps what was entered', async () => {
  const { visitor, profile } = await signedIn('wrong@example.org')
  for (const [wrong, message] of [
    [{ accent: 'red' }, /Invalid accent: a colour such as/],
    [{ frame_origins: 'https://shop.example;script-src *' }, /Invalid frame origins/],
    [{ locale: 'xx' }, /Invalid locale/],
    [{ expires_in_secs: '1' }, /Invalid expires in: 60 to/],
  ] as const) {
    const { status, text } = await visitor.request('POST /store', { ...FORM, ...wrong })
    assert.equal(status, 400)
    assert.match(text, message)
    assert.ok(text.includes('value="help@shop.example"'))
  }
  assert.equal((await profile()).name, null)
})

test('a logo is uploaded, served with a policy under which nothing runs, and removed', async () => {
  const { visitor, profile, upload } = await signedIn('logo@example.org')
  const { status, location } = await upload(makePng(60, 30))
  assert.deepEqual([status, location], [303, '/store?done=logo'])
  const path = `/logo/${(await profile()).logo}.png`
  assert.ok((await visitor.request('GET /store')).text.includes(`src="${path}"`))
  const { status: found, headers } = await visit(harness, `GET ${path}`)
  assert.equal(found, 200)
  assert.deepEqual(
    ['content-type', 'content-security-policy', 'x-content-type-options', 'cache-control'].map(name =>
      headers.get(name),
    ),
    ['image/png', "default-src 'none'; sandbox", 'nosniff', 'public, max-age=31536000, immutable'],
  )
  const again = await visit(harness, `GET ${path}`, { headers: { 'if-none-match': headers.get('etag') as string } })
  assert.equal(again.status, 304)
  assert.equal((await visitor.request('POST /store/logo/remove')).status, 303)
  assert.equal((await visit(harness, `GET ${path}`)).status, 404)
  for (const name of ['x', `${'a'.repeat(64)}`, `${'a'.repeat(64)}.svg`, `${'A'.repeat(64)}.png`, '..%2fstyle.css'])
    assert.equal((await visit(harness, `GET /logo/${name}`)).status, 404, name)
})

test('a file that is no image, one that is too large, and none at all are refused on the page', async () => {
  const { visitor, profile, upload } = await signedIn('refused@example.org')
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  for (const [file, status, message] of [
    [svg, 400, /Invalid logo: it must be a PNG, JPEG or WebP image/],
    [makePng(4_097, 1), 400, /at most 4096 pixels a side/],
    [new Uint8Array(MAX_LOGO_FILE_BYTES + 20_000), 413, /too large/],
  ] as const) {
    const answer = await upload(file)
    assert.equal(answer.status, status)
    assert.match(answer.text, message)
    assert.match(answer.text, /<h1>Store<\/h1>/)
  }
  assert.equal((await visitor.request('POST /store/logo', { logo: 'x' })).status, 400)
  assert.equal((await upload(makePng(1, 1), '/store')).status, 415, 'other forms take no file')
  assert.equal((await profile()).logo, null)
})

test('a style sheet is made of any accent, in both themes or in one, and of nothing else', async () => {
  const sheet = async (name: string) => {
    const { status, headers, text } = await visit(harness, `GET /accent/${name}`)
    assert.equal(status, 200, name)
    assert.equal(headers.get('content-type'), 'text/css; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    return text
  }
  const [both, light, dark] = [
    await sheet('ffd400.css'),
    await sheet('ffd400-light.css'),
    await sheet('ffd400-dark.css'),
  ]
  assert.equal(both, `${light}@media (prefers-color-scheme: dark) {\n${dark}}\n`)
  assert.match(dark, /^\.accent \{\n {2}--accent: #ffd400;\n {2}--accent-text: #000000;/)
  assert.match(light, /--accent-text: #ffffff;/)
  for (const name of ['fff.css', 'FFD400.css', 'ffd40g.css', 'ffd400.js', 'ffd400-blue.css', 'ffd400%7d.css', 'ffd400'])
    assert.equal((await visit(harness, `GET /accent/${name}`)).status, 404, name)
})

test('the terms of payments are set, and weaker ones need a code', async () => {
  const { visitor, token, account } = await signedIn('terms@example.org')
  const terms = async () => {
    const { confirmations, toleranceBps } = await harness.service.accounts.findByEmail(account.email)
    return [confirmations, toleranceBps]
  }
  const [confirmations] = await terms()
  const set = (form: Record<string, string>) => visitor.request('POST /store/terms', form)
  assert.equal((await set({ confirmations: '9', tolerance: '0,5' })).status, 303)
  assert.deepEqual(await terms(), [9, 50])
  for (const form of [
    { confirmations: '101', tolerance: '0' },
    { confirmations: '3', tolerance: '101' },
    { confirmations: '3', tolerance: '-1' },
    { confirmations: 'x', tolerance: '0' },
  ])
    assert.equal((await set(form)).status, 400)
  await expireRecentAuth(harness, token)
  assert.equal((await set({ confirmations: '1', tolerance: '0.5' })).status, 403)
  assert.deepEqual(await terms(), [9, 50])
  assert.ok(Number(confirmations) < 9)
})

describe('in a real browser', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()

  test('the page works without script, and is accessible in both themes at each width', async () => {
    const email = 'browser@example.org'
    const page = await openPage({ javaScriptEnabled: false })
    await signInOnPage(page, harness, email)
    await page.goto(`${harness.url}/store`)
    await page.getByLabel('Name').fill('Sunflower Shop')
    await page.getByLabel('Colour').fill('#ffd400')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Saved. Defaults apply to new invoices.').waitFor()
    await page.getByLabel('Image').setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: makePng(120, 60, { colour: [255, 212, 0, 255] }),
    })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('Logo saved.').waitFor()
    const { id } = await harness.service.accounts.findByEmail(email)
    const { name, accent, logo } = await harness.service.storeProfiles.ofAccountId(id)
    assert.deepEqual([name, accent, logo !== null], ['Sunflower Shop', '#ffd400', true])
    const scripted = await openPage({ storageState: await page.context().storageState() })
    await scripted.goto(`${harness.url}/store`)
    const shown = await scripted.evaluate<number[]>('[...document.images].map(image => image.naturalWidth)')
    assert.deepEqual([...new Set(shown)], [120])
    await inspect(scripted)
  })
})
