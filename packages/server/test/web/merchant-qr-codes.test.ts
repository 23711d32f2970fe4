import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Account } from '../../src/domain/account/account.ts'
import { createPlainNoteScanner } from '../harness/plain-note-scanner.ts'
import { readQrCode } from '../harness/qr-decoder.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'

const OPEN = { currency: 'EUR', amount: null, minAmount: null, suggestedAmounts: [], stock: null, endsAt: null }

describe('a QR code on a page of a merchant', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService
  let page: Page

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  /** Signs in to a new account that can sell. */
  async function signIn(email: string): Promise<Account> {
    page = await openPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 })
    await signInOnPage(page, harness, email)
    const { accounts, viewingKeys } = harness.service
    return (await viewingKeys.set(await accounts.findByEmail(email), harness.sandbox.demoViewingKey)).account
  }

  /** Its text in both themes, with its quiet zone. */
  async function codeOf(selector: string): Promise<string> {
    const texts = new Set<string>()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { text, quietZone, isDarkOnLight } = await readQrCode(await page.locator(selector).screenshot())
      assert.ok(quietZone >= 3.75 && isDarkOnLight, `${selector}: ${quietZone} modules`)
      texts.add(text)
    }
    assert.equal(texts.size, 1)
    return [...texts][0] as string
  }

  test('is the address of a link or of its keypad that stands beside it, and at the counter the payment request', async () => {
    const account = await signIn('links@example.org')
    const { invoices, paymentLinks } = harness.service
    const terms = { ...OPEN, title: 'Counter', description: null, fields: [], successUrl: null }
    const { publicId } = await paymentLinks.create(account, terms, harness.url)
    await page.goto(`${harness.url}/links/${publicId}`)
    assert.equal(await codeOf('.link-share svg.qr'), await page.locator('.link-share code').first().textContent())
    await page.getByRole('button', { name: 'Create keypad' }).click()
    const keypad = (await page.locator('.once code').textContent()) ?? ''
    harness.secrets.set('keypad', keypad.split('/').at(-1) ?? '')
    assert.equal(await codeOf('[aria-label=Keypad] svg.qr'), keypad)
    await page.goto(keypad)
    await page.getByLabel('Amount in EUR').fill('12.50')
    await page.getByRole('button', { name: 'Charge' }).click()
    await page.getByRole('heading', { name: 'Scan to pay' }).waitFor()
    const [invoice] = await invoices.list(account, { limit: 1 })
    assert.match(await codeOf('svg.qr'), new RegExp(`^zcash:${invoice?.address}\\?amount=`))
  })

  test('of a refund is the payment request of its link', async () => {
    const account = await signIn('refunds@example.org')
    const { invoices, refunds, refundLinks } = harness.service
    const sale = { amountZat: 2_500_000n, expiresInSecs: 3_600, idempotencyKey: undefined }
    const invoice = await invoices.create(account, sale)
    harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}`, amount: invoice.amountZat })
    harness.sandbox.chain.mine(3)
    await until('it to be paid', async () => (await invoices.read(invoice.publicId)).status === 'paid')
    const given = { amountZat: 100_000n, idempotencyKey: undefined }
    const { refund } = await refunds.create(account, invoice.publicId, given)
    const scanner = createPlainNoteScanner()
    const { incoming } = scanner.parseViewingKey(harness.sandbox.operatorViewingKey)
    const [address = ''] = await scanner.deriveAddresses(incoming, 'regtest', 1_000n, 1)
    await refundLinks.giveAddress(refund.linkId, address)
    await page.goto(`${harness.url}/refunds/${refund.publicId}`)
    const link = await page.locator('a.qr-link').getAttribute('href')
    assert.equal(await codeOf('a.qr-link svg.qr'), link)
    assert.ok(link?.includes(address))
  })
})
