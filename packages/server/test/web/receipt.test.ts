import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { OPERATOR } from '../../src/domain/account/audit.ts'
import type { AppError } from '../../src/domain/error.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { fastClock } from '../harness/skewed-clock.ts'
import { readTables } from '../harness/tables.ts'
import { until } from '../harness/until.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { pdfPages } from './pdf.ts'
import { visit } from './visit.ts'

const DAY = 86_400

describe('a receipt', { skip: noBrowser(), timeout: 240_000 }, () => {
  const { openPage } = useBrowser()
  const clock = fastClock()
  let harness: SandboxService
  /** Each test has its own shop and buyer. */
  let shop = ''
  let buyer = ''
  let tests = 0

  before(async () => {
    harness = await startSandboxService({ clock })
  })
  beforeEach(() => {
    tests += 1
    shop = `shop${tests}@example.org`
    buyer = `the.buyer${tests}@example.org`
    harness.secrets.set(`the address of buyer ${tests}`, buyer)
  })
  after(() => harness.close())

  async function sell(orderId = '1001'): Promise<Invoice> {
    const { accounts, viewingKeys, invoices, storeProfiles } = harness.service
    const found = await accounts.findOrCreate(shop)
    await storeProfiles.change(found, { name: 'Teahouse' }, harness.url)
    const { account } = await viewingKeys.set(found, harness.sandbox.demoViewingKey)
    const price = { amount: '25.00', currency: 'EUR' }
    const terms = { price, orderId, description: 'Green tea', expiresInSecs: 3_600, idempotencyKey: undefined }
    // There is no rate while an answer comes that was asked for before the clock was advanced.
    const unlessUnpriced = (error: AppError) => {
      assert.equal(error.code, 'rate_unavailable')
      return null
    }
    return until('a rate', () => invoices.create(account, terms).catch(unlessUnpriced))
  }

  /** @param extraZat paid beyond the amount */
  async function sellAndPay(orderId?: string, extraZat = 0): Promise<Invoice> {
    const invoice = await sell(orderId)
    const read = () => harness.service.invoices.read(invoice.publicId)
    const zec = (Number(invoice.amountZat) + extraZat) / 1e8
    harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}?amount=${zec.toFixed(8)}` })
    await until('the payment', async () => (await read()).status === 'detected')
    harness.sandbox.chain.mine(3)
    await until('the invoice to be paid', async () => (await read()).status === 'paid')
    return read()
  }

  const pathOf = ({ publicId }: Invoice) => `/i/${publicId}/receipt`
  const facts = (page: Page) => page.locator('.receipt dl > div').allInnerTexts()
  const mails = () => harness.sandbox.mailbox.mails(buyer)
  const send = (invoice: Invoice, email: string, query = '') =>
    visit(harness, `POST ${pathOf(invoice)}/mail${query}`, { form: { email } })

  test('is linked from the paid checkout after the way back, and says what was paid, how and when', async () => {
    const invoice = await sellAndPay('1001', 1_000)
    const page = await openPage()
    await page.goto(
      `${harness.url}/i/${invoice.publicId}?lang=en&return_to=${encodeURIComponent('https://shop.example/')}`,
    )
    const ways = page.locator('live-part a.button')
    assert.deepEqual(await ways.allInnerTexts(), ['Back to Teahouse (shop.example)', 'Receipt'])
    await inspect(page)
    await ways.last().click()
    await page.getByRole('heading', { level: 1, name: 'Receipt' }).waitFor()
    assert.equal(await page.title(), 'Receipt 1001 · Teahouse')
    await page.getByText('Order 1001 · Green tea').waitFor()
    assert.match(await page.locator('.sum').innerText(), /^25\.00 EUR\s+[\d.]+ ZEC$/)
    const shown = (await facts(page)).map(text => text.split('\n')[0])
    assert.deepEqual(shown, ['Paid', 'Exchange rate', 'Received', 'Paid too much', 'Invoice number', 'Transaction'])
    await page.getByText('0.00001 ZEC').waitFor()
    await page.getByText(invoice.txid as string).waitFor()
    await page.getByRole('link', { name: 'Back to Teahouse (shop.example)' }).waitFor()
    await inspect(page)
    await page.locator('.languages summary').click()
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 1, name: 'Quittung' }).waitFor()
  })

  test('prints black on white on one page, without anything to press', async () => {
    const invoice = await sellAndPay()
    const page = await openPage({ colorScheme: 'dark' })
    await page.goto(`${harness.url}${pathOf(invoice)}?lang=en`)
    await page.getByRole('button', { name: 'Print or save as PDF' }).waitFor()
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const each of ['button', 'a', 'input', 'footer', 'summary'])
      assert.equal(await page.locator(each).filter({ visible: true }).count(), 0, each)
    const colours = await page.evaluate(`['.receipt dd', '.card', 'html'].map((selector, i) =>
      getComputedStyle(document.querySelector(selector))[i === 0 ? 'color' : 'backgroundColor'])`)
    assert.deepEqual(colours, ['rgb(0, 0, 0)', 'rgb(255, 255, 255)', 'rgb(255, 255, 255)'])
    const pages = pdfPages(await page.pdf({ format: 'A4' }))
    assert.equal(pages.length, 1)
    for (const part of ['Receipt', 'Teahouse', 'Order1001·Greentea', '25.00EUR', invoice.txid as string])
      assert.ok(pages[0]?.includes(part), `${part}: ${pages[0]}`)
    // A receipt of a test never looks like a real one.
    assert.match(pages[0] ?? '', /TEST\./)
    assert.doesNotMatch(pages[0] ?? '', /Print|mail|Copy|English|zatgate/)
  })

  test('asks the browser to print, and without scripts says how', async () => {
    const invoice = await sellAndPay()
    const page = await openPage()
    await page.addInitScript('window.print = () => document.body.setAttribute("data-printed", "")')
    await page.goto(`${harness.url}${pathOf(invoice)}?lang=en`)
    await page.getByRole('button', { name: 'Print or save as PDF' }).click()
    await page.locator('body[data-printed]').waitFor()
    const plain = await openPage({ javaScriptEnabled: false })
    await plain.goto(`${harness.url}${pathOf(invoice)}?lang=en`)
    await plain.getByText('use the menu of your browser').waitFor()
    assert.equal(await plain.getByText('Print or save as PDF').isVisible(), false)
    await page.getByText('use the menu of your browser').waitFor({ state: 'hidden' })
  })

  test('is mailed in the language of its buyer, and the address is nowhere afterwards', async () => {
    const invoice = await sellAndPay()
    const page = await openPage({ locale: 'de-DE' })
    await page.goto(harness.url + pathOf(invoice))
    const address = page.getByLabel('Ihre E-Mail-Adresse')
    await address.fill('no-address')
    await page.getByRole('button', { name: 'Per E-Mail senden' }).click()
    await page.getByText('Das ist keine E-Mail-Adresse.').waitFor()
    assert.equal(await address.inputValue(), 'no-address')
    await inspect(page)
    await address.fill(buyer)
    await page.getByRole('button', { name: 'Per E-Mail senden' }).click()
    await page.getByText('Die Quittung ist in wenigen Minuten in Ihrem Postfach.').waitFor()
    assert.equal(page.url().includes('example.org'), false)
    await inspect(page)
    await until('the mail', () => mails().length > 0)
    const url = `sqlite:${harness.env.DATA_DIR}/zatgate.db`
    await until('the end of the mail', async () => !JSON.stringify(await readTables(url)).includes(buyer))
    const [mail] = mails()
    assert.equal(mail?.subject, 'Quittung 1001 – Teahouse')
    for (const part of ['Bestellung 1001 · Green tea', 'Betrag: 25,00 EUR (', `Transaktion: ${invoice.txid}`, 'UTC'])
      assert.ok(mail?.text.includes(part), `${part}: ${mail?.text}`)
    const [link = ''] = /http\S+/.exec(mail?.text ?? '') ?? []
    await page.goto(link)
    await page.getByRole('heading', { level: 1, name: 'Quittung' }).waitFor()
  })

  test('goes to one address once within a minute, three times in all, and nothing of a stranger is in it', async () => {
    const invoice = await sellAndPay()
    const query = `?lang=en&return_to=${encodeURIComponent('https://evil.example/')}`
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await send(invoice, ` ${buyer.toUpperCase()} `, query)
      assert.deepEqual([status, headers.get('location')?.includes('mailed=1')], [303, true])
    }
    await until('the mail', () => mails().length > 0)
    assert.equal((await send(invoice, buyer)).status, 303)
    assert.doesNotMatch(mails()[0]?.text ?? '', /evil/)
    for (const name of ['second', 'third']) assert.equal((await send(invoice, `${name}@example.org`)).status, 303)
    const refused = await send(invoice, 'fourth@example.org', '?lang=en')
    assert.equal(refused.status, 429)
    assert.match(refused.text, /mailed <bdi>3<\/bdi> times, which is the limit\. You can still print it\./)
    const receipts = () => harness.sandbox.mailbox.mails().filter(({ subject }) => subject.startsWith('Re'))
    await until('the other mails', () => receipts().length === 3)
    assert.equal(mails().length, 1)
  })

  test('exists for a paid invoice alone, as long as its pages are public', async () => {
    const unpaid = await sell()
    const early = await visit(harness, `GET ${pathOf(unpaid)}?lang=de`)
    assert.deepEqual([early.status, early.headers.get('location')], [303, `/i/${unpaid.publicId}?lang=de`])
    assert.equal((await send(unpaid, buyer)).status, 303)
    assert.equal((await visit(harness, `GET /i/${'0'.repeat(8)}-0000-4000-8000-000000000000/receipt`)).status, 404)
    const paid = await sellAndPay('1002')
    assert.equal((await visit(harness, `GET ${pathOf(paid)}`)).status, 200)
    clock.advance(3_600 + (7 + 30) * DAY + 60)
    assert.equal((await visit(harness, `GET ${pathOf(paid)}`)).status, 410)
    assert.equal((await send(paid, buyer)).status, 410)
    assert.equal(mails().length, 0)
  })

  test('leaves a frame, and shows no erased text', async () => {
    const invoice = await sellAndPay()
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}/embed?lang=en`)
    const [receipt] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Receipt' }).click(),
    ])
    await receipt.getByText('Green tea').waitFor()
    await receipt.close()
    clock.advance(9 * DAY)
    const { accounts, invoiceTexts } = harness.service
    const account = await accounts.findByEmail(shop)
    const before = Math.floor(clock.nowMs() / 1000)
    const { erased, ...others } = await invoiceTexts.erase(account, before, OPERATOR)
    assert.deepEqual([erased, others], [1, { open: 0, undelivered: 0, failed: 0 }])
    const { text } = await visit(harness, `GET ${pathOf(invoice)}?lang=en`)
    assert.match(text, /Order <bdi>1001<\/bdi>/)
    assert.doesNotMatch(text, /Green tea/)
  })

  test('is not mailed by a service without a mail server', async t => {
    Object.assign(harness.service.receiptMails, { offered: false })
    t.after(() => Object.assign(harness.service.receiptMails, { offered: true }))
    const invoice = await sellAndPay()
    assert.doesNotMatch((await visit(harness, `GET ${pathOf(invoice)}`)).text, /<form/)
    assert.deepEqual((await send(invoice, buyer)).headers.get('location'), pathOf(invoice))
  })
})
