import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { DOCS, NAV } from '../../src/web/components/nav.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

describe('a merchant in a real browser', { skip: noBrowser(), timeout: 180_000 }, () => {
  const browser = useBrowser()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  /** A page that records every error: script errors and violations of the content policy. */
  async function openPage(options?: BrowserContextOptions) {
    const page = await browser.openPage(options)
    const errors: string[] = []
    page.on('pageerror', error => errors.push(String(error)))
    page.on('console', message => {
      if (message.type() === 'error') errors.push(message.text())
    })
    return { context: page.context(), page, errors }
  }

  async function hasCookie(context: BrowserContext): Promise<boolean> {
    return (await context.cookies()).some(({ name }) => name === '__Host-zatgate')
  }

  test('a merchant goes from an empty database to a paid invoice, a webhook, an export and sign-out', async () => {
    const { context, page, errors } = await openPage()
    await page.goto(`${harness.url}/sign-in`)
    await inspect(page)
    await page.getByLabel('Email').fill('shop@example.org')
    await page.getByRole('button', { name: 'Email me a code' }).click()
    await inspect(page)
    await page.getByLabel('Code').fill(await harness.codeFor('shop@example.org'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/overview')
    await inspect(page)
    const [cookie] = (await context.cookies()).filter(({ name }) => name === '__Host-zatgate')
    assert.deepEqual(
      { ...cookie, value: '', domain: '', expires: 0 },
      {
        name: '__Host-zatgate',
        value: '',
        domain: '',
        path: '/',
        expires: 0,
        httpOnly: true,
        secure: true,
        sameSite: 'Lax',
      },
    )

    await page.getByRole('link', { name: 'Set your viewing key' }).click()
    await inspect(page)
    await page.getByRole('button', { name: 'Set viewing key' }).click()
    await page.getByRole('heading', { name: 'Compare this address' }).waitFor()
    await inspect(page)
    await page.getByRole('link', { name: 'Next: create your first invoice' }).click()
    await inspect(page)
    await page.getByLabel('Amount', { exact: true }).fill('0.125')
    await page.getByRole('button', { name: 'Create invoice' }).click()
    await page.getByRole('button', { name: 'Pay this invoice' }).waitFor()
    await inspect(page)
    const invoiceUrl = page.url()
    const id = invoiceUrl.split('/').at(-1) as string

    const buyer = await openPage()
    await buyer.page.goto(`${harness.url}/i/${id}`)
    await buyer.page.getByRole('heading', { name: 'Pay with Zcash' }).waitFor()
    assert.match(
      (await buyer.page.getByRole('link', { name: 'Open in your wallet' }).getAttribute('href')) as string,
      /^zcash:uregtest1.*amount=0\.125/,
    )
    await inspect(buyer.page)

    await page.getByRole('button', { name: 'Pay this invoice' }).click()
    await page.locator('.hero').getByText('Detected').waitFor()
    await page.getByText('in the mempool').filter({ visible: true }).waitFor()
    await inspect(page)
    await buyer.page.getByRole('heading', { name: 'Payment seen' }).waitFor()
    await inspect(buyer.page)
    harness.sandbox.chain.mine()
    await page.getByText('1 of 3').filter({ visible: true }).waitFor()
    await inspect(page)
    harness.sandbox.chain.mine()
    harness.sandbox.chain.mine()
    await page.locator('.hero').getByText('Paid').waitFor()
    assert.equal(page.url(), invoiceUrl)
    await buyer.page.getByRole('heading', { name: 'Paid' }).waitFor()
    await inspect(page)
    await inspect(buyer.page)
    await buyer.context.close()

    await page.getByRole('link', { name: 'Overview' }).click()
    // 0.125 ZEC at the rate of the sandbox, since the invoice has no price in money.
    assert.match(
      (await page.locator('.period').first().textContent()) as string,
      /≈ about \$177\.38\s+0\.125 ZEC · 1 paid/s,
    )
    await inspect(page)
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.getByRole('link', { name: 'Create an API key' }).click()
    await page.getByLabel('Key name').fill('shop')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByRole('heading', { name: 'New API key “shop”' }).waitFor()
    await inspect(page)
    const key = (await page.locator('.once code').textContent()) as string
    assert.match(key, /^zg_[0-9A-Za-z]{49}$/)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Sales' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Three steps to your first payment' }).count(), 0)

    await page.getByRole('link', { name: 'Endpoints', exact: true }).click()
    await inspect(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByLabel('URL').fill(harness.sandbox.webhookReceiver.url)
    await page.getByRole('button', { name: 'Set URL' }).click()
    const secret = page.locator('.once code')
    const first = (await secret.textContent()) as string
    assert.match(first, /^whsec_/)
    await page.getByRole('button', { name: 'Rotate signing secret' }).click()
    const asked = page.getByRole('dialog', { name: 'Rotate the signing secret?' })
    await asked.waitFor()
    await inspect(page)
    await asked.getByRole('button', { name: 'Rotate signing secret' }).click()
    await page.getByText('Signing secret rotated.').waitFor()
    const second = (await secret.textContent()) as string
    assert.match(second, /^whsec_/)
    assert.notEqual(second, first)
    await inspect(page)
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.locator('#attempts').getByText('delivered').waitFor()
    await page.locator('#attempts summary').click()
    await page.locator('#attempts').getByText('200').waitFor()
    await inspect(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.locator('#attempts').getByRole('link', { name: 'Attempt 1' }).click()
    await page.getByText('{"type":"test","invoice_id":null}').waitFor()
    await inspect(page)
    await page.setViewportSize({ width: 1280, height: 800 })

    for (const { label, href } of NAV.flatMap(group => group.items)) {
      if (href === DOCS.href) continue
      await page.getByRole('link', { name: label, exact: true }).first().click()
      await page.locator(`#menu a[aria-current]`, { hasText: label }).waitFor()
      await inspect(page)
      await page.setViewportSize({ width: 1280, height: 800 })
    }
    await page.getByRole('link', { name: 'Export', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Export', level: 1 }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    const csv = readFileSync(await download.path(), 'utf8')
    assert.match(csv, new RegExp(`^${id},paid,12500000,12500000,0,uregtest1`, 'm'))

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    assert.equal(await hasCookie(context), false)
    await page.goto(invoiceUrl)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.deepEqual(
      errors.filter(text => !text.includes('401')),
      [],
    )
    await context.close()

    const other = await openPage()
    await signInOnPage(other.page, harness, 'other@example.org')
    for (const path of ['/overview', '/invoices', '/api-keys', '/webhook', '/sessions']) {
      await other.page.goto(harness.url + path)
      const text = (await other.page.textContent('body')) as string
      for (const trace of [
        id.slice(0, 8),
        'shop@example.org',
        key.slice(-4),
        '0.125',
        harness.sandbox.webhookReceiver.url,
      ])
        assert.ok(!text.includes(trace), `${path} shows ${trace}`)
    }
    assert.equal((await other.page.goto(invoiceUrl))?.status(), 404)
    await other.context.close()
  })

  test('sign-in, viewing key, invoice and sign-out work without JavaScript and by keyboard alone', async () => {
    const { context, page } = await openPage({ javaScriptEnabled: false })
    const focusOn = async (name: string, role: 'link' | 'button' | 'textbox') => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        if ((await page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).count()) > 0) return
      }
      assert.fail(`the ${role} ${name} is not reachable with the Tab key`)
    }
    await page.goto(`${harness.url}/sign-in`)
    await focusOn('Email', 'textbox')
    await page.keyboard.type('keyboard@example.org')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-in/code')
    await focusOn('Code', 'textbox')
    await page.keyboard.type(await harness.codeFor('keyboard@example.org'))
    await page.keyboard.press('Enter')
    await page.waitForURL('**/overview')
    await focusOn('Skip to content', 'link')
    await page.keyboard.press('Enter')
    await focusOn('Set your viewing key', 'link')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/viewing-key')
    await focusOn('Set viewing key', 'button')
    await page.keyboard.press('Enter')
    await page.getByText('Viewing key saved.').waitFor()
    await page.goto(`${harness.url}/invoices/new`)
    await focusOn('Amount', 'textbox')
    await page.keyboard.type('1')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/invoices\/[0-9a-f-]{36}$/)
    assert.match((await page.locator('time').first().textContent()) as string, / UTC$/)
    await focusOn('Sign out', 'button')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-in')
    await context.close()
  })
})
