import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Account } from '../../src/domain/account/account.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import type { InvoiceRequest } from '../../src/services/sale/invoice-request.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { fastClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { withoutMarks } from './buyer-view.ts'
import { visit } from './visit.ts'
import { Visitor } from './visitor.ts'

const EMAIL = 'shop@example.org'
const HOUR = 3_600
const SHOP = { successUrl: 'https://shop.example/done/{order_id}', cancelUrl: 'https://shop.example/cart' }

describe('the pages of a sale', () => {
  const clock = fastClock()
  let harness: SandboxService
  let account: Account
  let visitor: Visitor

  before(async () => {
    harness = await startSandboxService({ clock })
    visitor = new Visitor(harness)
    await visitor.signIn(EMAIL)
    const { accounts, viewingKeys } = harness.service
    account = (await viewingKeys.set(await accounts.findOrCreate(EMAIL), harness.sandbox.demoViewingKey)).account
  })
  after(() => harness?.close())

  const sell = (terms: Partial<InvoiceRequest>) =>
    harness.service.invoices.create(account, { expiresInSecs: HOUR, idempotencyKey: undefined, ...terms })
  const read = ({ publicId }: Invoice) => harness.service.invoices.read(publicId)
  const checkout = async ({ publicId }: Invoice, suffix = '') =>
    withoutMarks((await visit(harness, `GET /i/${publicId}${suffix}`)).text)
  const detail = async ({ publicId }: Invoice) =>
    withoutMarks((await visitor.request(`GET /invoices/${publicId}`)).text)

  async function pay(invoice: Invoice, amount: bigint, status?: Invoice['status']): Promise<void> {
    const { receivedZat } = await read(invoice)
    harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}`, amount })
    await until('the payment to be seen', async () => (await read(invoice)).receivedZat === receivedZat + amount)
    if (status === undefined) return
    harness.sandbox.chain.mine(3)
    await until(`it to be ${status}`, async () => (await read(invoice)).status === status)
  }

  test('a price leads, in upper case and as it was given, with the exact amount below; a price in ZEC does not', async () => {
    const sold = await sell({ price: { amount: '25.00', currency: 'eur' } })
    for (const page of [await checkout(sold), await checkout(sold, '/embed')])
      assert.match(page, /big amount">25\.00 EUR <span class="beside">0\.02045308 ZEC<\/span>/)
    assert.match(
      await detail(sold),
      /<p class="big amount">25\.00 EUR<\/p>\s*<p class="below">0\.02045308 ZEC · 2,045,308 zat/,
    )
    assert.match(await detail(sold), /at 1,222\.31 EUR per ZEC, from [A-Z]\w+ and Kraken,/)
    assert.match(await checkout(sold, '/swap'), /big amount">25\.00 EUR <span class="beside">0\.02045308 ZEC<\/span>/)
    const inZec = await sell({ price: { amount: '1.50', currency: 'ZEC' } })
    assert.match(await checkout(inZec), /<bdi class="big amount">1\.5 ZEC<\/p>/)
  })

  test('an open amount is asked for without an amount, with its minimum, and what arrived is the amount', async () => {
    const any = await sell({ openAmount: true })
    const asked = await checkout(any)
    assert.match(asked, /<h1[^>]*>Choose the amount<\/h1>/)
    assert.match(asked, /href="zcash:[a-z0-9]+\?memo=/)
    assert.doesNotMatch(asked, /amount=|at least|BTC, USDC|Exact amount/)
    assert.equal((await visit(harness, `GET /i/${any.publicId}/swap`)).status, 303)
    assert.match(await detail(any), /The buyer chooses the amount/)
    await pay(any, 5_000_000n, 'paid')
    assert.match(await checkout(any), /<bdi class="big amount">0\.05 ZEC[\s\S]*Thank you\. The payment is confirmed\./)

    const atLeast = await sell({ openAmount: true, minAmountZat: 100_000n })
    assert.match(await checkout(atLeast), /at least <b>0\.001 ZEC<\/b>/)
    await pay(atLeast, 40_000n)
    assert.match(await checkout(atLeast), /0\.0004 ZEC has arrived\. At least 0\.0006 ZEC more is needed\./)
  })

  test('within its tolerance an invoice is paid, and nothing asks for the rest', async () => {
    const tolerant = await sell({ amountZat: 100_000n, toleranceBps: 100 })
    await pay(tolerant, 99_500n)
    const detected = await checkout(tolerant)
    assert.match(detected, /Your payment has been seen\./)
    harness.sandbox.chain.mine(3)
    await until('it to be paid', async () => (await read(tolerant)).status === 'paid')
    for (const page of [detected, await checkout(tolerant)]) assert.doesNotMatch(page, /left to pay|the rest|zcash:/)
    assert.match(await checkout(tolerant), /<h1[^>]*>Paid<\/h1>/)
    assert.match(await detail(tolerant), /1 %: paid from 0\.00099 ZEC/)
  })

  test('a canceled invoice asks for nothing, and a payment on its way counts', async () => {
    const sold = await sell({ amountZat: 2_500_000n, orderId: 'c-1', ...SHOP })
    const { publicId } = sold
    assert.match(await detail(sold), /<button class="danger">Cancel invoice<\/button>/)
    assert.equal((await visitor.request(`POST /invoices/${publicId}/cancel`, {})).status, 303)
    assert.match(await detail(sold), /badge-expired">Canceled<\/span>[\s\S]*<span>Canceled<\/span>/)
    assert.doesNotMatch(await detail(sold), /Cancel invoice|Expired|Write an email/)
    for (const suffix of ['', '/embed']) {
      const page = await checkout(sold, suffix)
      assert.match(
        page,
        /<h1[^>]*>Canceled<\/h1>[\s\S]*<b>Do not pay\.<\/b>[\s\S]*If you have paid already, do not pay again\./,
      )
      assert.doesNotMatch(page, /zcash:/)
    }
    await pay(sold, 1_000_000n)
    assert.match(await checkout(sold), /0\.01 ZEC has arrived\. <b>Do not pay the rest\.<\/b>/)
    await pay(sold, 1_500_000n, 'paid')
    assert.match(await checkout(sold), /<h1[^>]*>Paid<\/h1>/)
    assert.match(await detail(sold), /A payment arrived at [\s\S]*after the invoice had been canceled\./)
    const again = await visitor.request(`POST /invoices/${publicId}/cancel`, {})
    assert.equal(again.status, 303, 'a repetition changes nothing')
    const paid = await sell({ amountZat: 1_000n })
    await pay(paid, 1_000n, 'paid')
    const refused = await visitor.request(`POST /invoices/${paid.publicId}/cancel`, {})
    assert.equal(refused.status, 409)
    assert.match(refused.text, /role="alert">Invoice not cancelable: the invoice is paid\./)
  })

  test('the way back is the address of the invoice, filled in, before return_to; a frame has none', async () => {
    const sold = await sell({ amountZat: 1_000n, orderId: 'a/b&"', ...SHOP, autoRedirect: true })
    const elsewhere = '?return_to=https%3A%2F%2Felsewhere.example%2F'
    const open = await checkout(sold, elsewhere)
    assert.match(open, /<a class="button full" href="https:\/\/shop\.example\/cart">Back to shop\.example<\/a>/)
    assert.doesNotMatch(open, /elsewhere\.example\/">|http-equiv="refresh" content="3/)
    await pay(sold, 1_000n, 'paid')
    const paid = await checkout(sold, elsewhere)
    const url = 'https://shop.example/done/a%2Fb%26%22'
    assert.ok(paid.includes(`<a class="button primary full" href="${url}" data-success>Back to shop.example</a>`))
    assert.ok(paid.includes(`<noscript><meta http-equiv="refresh" content="3; url=${url}"></noscript>`))
    assert.match(paid, / data-recent>/)
    assert.doesNotMatch(await checkout(sold, '/embed'), /shop\.example|redirect/)
    clock.advance(31)
    assert.doesNotMatch(await checkout(sold), /content="3; url/, 'without a script nothing remembers it')
    clock.advance(600)
    const later = await checkout(sold)
    assert.doesNotMatch(later, / data-recent>/)
    assert.ok(later.includes(url))
  })

  test('what the request gave is shown as text to the merchant alone', async () => {
    const metadata = '{"note":"</pre><script>alert(1)</script>","big":12345678901234567890}'
    const successUrl = 'https://shop.example/?a="><script>'
    const sold = await sell({ amountZat: 1_000n, metadata, ownConfirmations: 0, locale: 'de', ...SHOP, successUrl })
    const page = await detail(sold)
    assert.ok(
      page.includes(
        '&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;,&quot;big&quot;:12345678901234567890}</pre>',
      ),
    )
    assert.ok(page.includes('<code>https://shop.example/?a=&quot;&gt;&lt;script&gt;</code>'))
    assert.match(page, /0, for this invoice only/)
    for (const suffix of ['', '/embed']) assert.doesNotMatch(await checkout(sold, suffix), /alert\(1\)|1234567890123/)
    await pay(sold, 1_000n, 'paid')
    assert.match(await checkout(sold), /href="https:\/\/shop\.example\/\?a=%22%3E%3Cscript%3E" data-success/)
  })

  test('the list has filters for part-paid, late, overpaid and canceled invoices; late ones need attention', async () => {
    const late = await sell({ amountZat: 1_000n, expiresInSecs: 60, orderId: 'late-1' })
    clock.advance(61)
    await until('it to expire', async () => (await read(late)).status === 'expired')
    await pay(late, 400n)
    const ids = async (status: string) => {
      const { text } = await visitor.request(`GET /invoices?status=${status}`)
      assert.match(text, new RegExp(`<option value="${status}" selected>`))
      return text
    }
    for (const status of ['late', 'part_paid']) assert.ok((await ids(status)).includes(late.publicId), status)
    assert.ok(!(await ids('canceled')).includes(late.publicId))
    const { text } = await visitor.request('GET /overview')
    assert.match(text, /received money late<\/b>[\s\S]*>late-1<\/a> · 0\.000004 ZEC, underpaid/)
    assert.match(await detail(late), /The full amount has not arrived\./)
  })

  test('the form of a new invoice says what is wrong, and keeps what was entered', async () => {
    const post = async (form: Record<string, string>) => visitor.request('POST /invoices', form)
    const wrong = async (form: Record<string, string>, sentence: RegExp, status = 400) => {
      const response = await post({ order_id: 'kept', ...form })
      assert.equal(response.status, status)
      assert.match(response.text, sentence)
      assert.match(response.text, /value="kept"/)
      return response.text
    }
    const kept = await wrong({ amount: '1,000', unit: 'EUR' }, /at most 2 decimal places\. Write 1000, not 1,000\./)
    assert.match(kept, /value="1,000"[\s\S]*<option selected>EUR<\/option>/)
    await wrong({ amount: '1', unit: 'XXX' }, /Choose a currency from the list\./)
    await wrong({ amount: '1', unit: 'EUR', open_amount: '1' }, /leave yours empty, or give the minimum in ZEC/)
    await wrong({ amount: '', unit: 'ZEC' }, /Enter an amount in ZEC/)
    const made = await post({ amount: '0,001', unit: 'ZEC', open_amount: '1' })
    const id = made.headers.get('location')?.split('/').at(-1) as string
    const invoice = await harness.service.invoices.read(id)
    assert.deepEqual([invoice.openAmount, invoice.minAmountZat], [true, 100_000n])
    harness.sandbox.rates.faults.response = 'error'
    clock.advance(61)
    const unpriced = await wrong({ amount: '25.00', unit: 'EUR' }, /There is no exchange rate at the moment/, 503)
    assert.match(unpriced, /value="25\.00"[\s\S]*<option selected>EUR<\/option>/, 'the amount is kept')
  })
})
