import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { visit } from './visit.ts'

describe('payment links in a browser', { skip: noBrowser(), timeout: 240_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  /** The dashboard of a new account, which can sell. */
  async function signIn(email: string): Promise<Page> {
    const page = await openPage({ viewport: { width: 1280, height: 800 } })
    await signInOnPage(page, harness, email)
    const { accounts, viewingKeys } = harness.service
    await viewingKeys.set(await accounts.findByEmail(email), harness.sandbox.demoViewingKey)
    return page
  }

  /** Creates a link in the dashboard. @returns its id */
  async function create(page: Page, fields: Readonly<Record<string, string>>, kind = 'A price'): Promise<string> {
    await page.goto(`${harness.url}/links/new`)
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
    await page.getByLabel(kind).check()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('Link created.').waitFor()
    return new URL(page.url()).pathname.split('/').at(-1) as string
  }

  const invoicesOf = async (email: string) => {
    const { accounts, invoices } = harness.service
    return invoices.list(await accounts.findByEmail(email), { limit: 50 })
  }

  test('a buyer pays a link with a price; the last unit is gone, and a pause is said plainly', async () => {
    const email = 'links@example.org'
    const dashboard = await signIn(email)
    await dashboard.goto(`${harness.url}/links`)
    await inspect(dashboard)
    const id = await create(dashboard, { Title: 'T-shirt <b>', Price: '0.02', Stock: '1' })
    await inspect(dashboard)
    const buyer = await openPage({ viewport: { width: 360, height: 800 }, locale: 'de-DE' })
    await buyer.goto(`${harness.url}/l/${id}`)
    await buyer.getByRole('heading', { name: 'T-shirt <b>' }).waitFor()
    assert.equal((await invoicesOf(email)).length, 0, 'a visit costs nothing')
    await inspect(buyer)
    await buyer.getByRole('button', { name: 'Bezahlen' }).click()
    await buyer.waitForURL('**/i/*')
    const [invoice] = await invoicesOf(email)
    assert.deepEqual([invoice?.linkId, invoice?.amountZat, invoice?.locale], [id, 2_000_000n, 'de'])
    await buyer.goto(`${harness.url}/l/${id}`)
    await buyer.getByText('Ausverkauft').waitFor()
    await inspect(buyer)
    await dashboard.getByRole('button', { name: 'Pause' }).click()
    await dashboard.getByText('Link paused.').waitFor()
    await buyer.reload()
    await buyer.getByText('Zurzeit keine Zahlungen').waitFor()
    await dashboard.goto(`${harness.url}/links`)
    await dashboard.getByText('Paused').waitFor()
    await inspect(dashboard)
  })

  test('a price below the least amount of a link is said plainly, since the page has no amount to correct', async () => {
    const id = await create(await signIn('cheap@example.org'), { Title: 'Sticker', Price: '0.00005' })
    const buyer = await openPage({ locale: 'en-US' })
    await buyer.goto(`${harness.url}/l/${id}`)
    await buyer.getByRole('button', { name: 'Pay' }).click()
    await buyer.getByText('The shop cannot take this payment right now.').waitFor()
  })

  test('a donor takes a suggested amount or another one, without script too', async () => {
    const email = 'donation@example.org'
    const id = await create(
      await signIn(email),
      { Title: 'Donation', 'Suggested amounts': '0.05 0.1', Minimum: '0.01' },
      'The buyer chooses',
    )
    const donor = await openPage({ viewport: { width: 360, height: 800 } })
    await donor.goto(`${harness.url}/l/${id}`)
    await inspect(donor)
    await donor.getByRole('button', { name: '0.1 ZEC' }).click()
    await donor.waitForURL('**/i/*')
    const plain = await openPage({ javaScriptEnabled: false })
    await plain.goto(`${harness.url}/l/${id}`)
    await plain.getByLabel('Or your own amount').fill('0.001')
    await plain.keyboard.press('Enter')
    await plain.getByRole('alert').waitFor()
    await plain.getByLabel('Or your own amount').fill('0,07')
    await plain.keyboard.press('Enter')
    await plain.waitForURL('**/i/*')
    assert.deepEqual(
      (await invoicesOf(email)).map(({ amountZat }) => amountZat),
      [7_000_000n, 10_000_000n],
    )
  })

  test('only allowed sites may frame the page of a link', async () => {
    const email = 'frames@example.org'
    const id = await create(await signIn(email), { Title: 'T-shirt', Price: '0.02' })
    const { accounts, storeProfiles } = harness.service
    const account = await accounts.findByEmail(email)
    await storeProfiles.change(account, { frameOrigins: ['https://shop.example'] }, harness.url)
    const policy = async (path: string) =>
      /frame-ancestors [^;]+/.exec(
        (await visit(harness, `GET ${path}`)).headers.get('content-security-policy') ?? '',
      )?.[0]
    assert.equal(await policy(`/l/${id}/embed`), 'frame-ancestors https://shop.example')
    assert.equal(await policy(`/l/${id}`), "frame-ancestors 'none'")
    assert.equal((await visit(harness, 'GET /l/unknown')).status, 404)
  })

  test('the keypad charges, turns green when the payment is confirmed, and says that it is offline', async () => {
    const email = 'keypad@example.org'
    const dashboard = await signIn(email)
    await create(dashboard, { Title: 'Counter' }, 'The buyer chooses')
    await dashboard.getByRole('button', { name: 'Create keypad' }).click()
    const url = (await dashboard.locator('.once code').textContent()) ?? ''
    harness.secrets.set('keypad', url.split('/').at(-1) ?? '')
    const phone = await openPage({ viewport: { width: 360, height: 740 } })
    await phone.goto(url)
    for (const key of ['0', '.', '0', '9', 'Delete the last digit', '5'])
      await phone.getByRole('button', { name: key, exact: true }).click()
    assert.equal(await phone.getByLabel('Amount in ZEC').inputValue(), '0.05')
    await inspect(phone)
    await phone.setViewportSize({ width: 360, height: 740 })
    await phone.getByRole('button', { name: 'Charge' }).click()
    await phone.getByRole('heading', { name: 'Scan to pay' }).waitFor()
    const [invoice] = await invoicesOf(email)
    await inspect(phone)
    await phone.setViewportSize({ width: 360, height: 740 })
    harness.sandbox.wallet.pay({ uri: `zcash:${invoice?.address}?amount=0.05` })
    await phone.getByRole('heading', { name: 'Payment seen' }).waitFor()
    harness.sandbox.chain.mine(3)
    await phone.getByRole('heading', { name: 'Paid' }).waitFor()
    await phone.locator('.sale-result.paid').waitFor()
    await inspect(phone)
    await phone.getByRole('link', { name: 'Next' }).click()
    await phone.getByLabel('Amount in ZEC').waitFor()
    await until(
      'the service worker',
      () => phone.evaluate('navigator.serviceWorker.ready.then(() => true)') as Promise<boolean>,
    )
    await phone.context().setOffline(true)
    await phone.goto(url)
    await phone.getByText('You can’t take payments right now.').waitFor()
    await phone.context().setOffline(false)
    await phone.getByRole('link', { name: 'Try again' }).click()
    await phone.getByLabel('Amount in ZEC').waitFor()
  })
})
