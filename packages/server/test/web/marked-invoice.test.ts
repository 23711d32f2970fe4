import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { Invoice, InvoiceMark } from '../../src/domain/sale/invoice.ts'
import type { LinkTerms } from '../../src/domain/sale/payment-link.ts'
import { startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { createInvoice, noBrowser, REFUND_TO, signInOnPage, useBrowser } from './browser.ts'
import { visit } from './visit.ts'

const harness = await startSandboxService()
after(() => harness.close())

async function mark({ publicId }: Pick<Invoice, 'publicId'>, as: InvoiceMark): Promise<void> {
  const { accounts, marks } = harness.service
  await marks.mark(await accounts.findByEmail('shop@example.org'), publicId, as)
}

async function partPaid(): Promise<Invoice> {
  const invoice = await createInvoice(harness)
  harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}?amount=0.01` })
  await until('the part', async () => (await harness.service.invoices.read(invoice.publicId)).receivedZat > 0n)
  return invoice
}

const ASKS = /Open in your wallet|class="qr|zcash:|BTC, USDC/
const BTC = { asset_id: 'nep141:btc.omft.near', refund_to: REFUND_TO.Bitcoin! }

test('a marked invoice asks for nothing, on its pages and by a swap', async () => {
  const [settled, settledPart, invalidPart] = [await createInvoice(harness), await partPaid(), await partPaid()]
  await mark(settled, 'settled')
  await mark(settledPart, 'settled')
  await mark(invalidPart, 'invalid')
  for (const [{ publicId: id }, text, greenfield] of [
    [settled, /Nothing left to pay<\/h1>[\s\S]*The shop has marked this order as paid/, 'settled'],
    [settledPart, /Nothing left to pay<\/h1>[\s\S]*The shop has marked this order as paid/, 'settled'],
    [invalidPart, /Canceled<\/h1>[\s\S]*Do not pay the rest/, 'invalid'],
  ] as const) {
    const page = await visit(harness, `GET /i/${id}`)
    assert.match(page.text, text)
    assert.doesNotMatch(page.text, ASKS)
    assert.match(page.text, new RegExp(`data-status="pending" data-greenfield-status="${greenfield}"`))
    // The receipt tells what the chain tells.
    assert.equal((await visit(harness, `GET /i/${id}/receipt`)).headers.get('location'), `/i/${id}`)
    for (const request of [`GET /i/${id}/swap`, `POST /i/${id}/swap`] as const) {
      const { status, headers } = await visit(harness, request, request.startsWith('POST') ? { form: BTC } : {})
      assert.deepEqual([status, headers.get('location')], [303, `/i/${id}`])
    }
    assert.equal((await harness.service.invoices.read(id)).swapId, null)
    await assert.rejects(
      harness.service.swaps.start(await harness.service.invoices.read(id), {
        assetId: BTC.asset_id,
        refundTo: BTC.refund_to,
      }),
      { code: 'invoice_not_pending' },
    )
  }
})

test('a deposit that waited is not asked for once the shop has marked the invoice', async () => {
  const invoice = await createInvoice(harness)
  const { headers } = await visit(harness, `POST /i/${invoice.publicId}/swap`, { form: BTC })
  const deposit = headers.get('location') ?? ''
  assert.match((await visit(harness, `GET ${deposit}`)).text, /Send your deposit<\/h1>/)
  await mark(invoice, 'settled')
  const { text } = await visit(harness, `GET ${deposit}`)
  assert.match(text, /Nothing left to pay<\/h1>/)
  assert.doesNotMatch(text, ASKS)
})

test('the keypad shows a sale that was marked as such', async () => {
  const { accounts, paymentLinks, linkSales } = harness.service
  await createInvoice(harness)
  const account = await accounts.findByEmail('shop@example.org')
  const terms: LinkTerms = {
    ...{ title: 'Counter', description: null, currency: 'EUR', amount: null, minAmount: null, suggestedAmounts: [] },
    ...{ stock: null, endsAt: null, fields: [], successUrl: null },
  }
  const link = await paymentLinks.create(account, terms, harness.url)
  const secret = await paymentLinks.createKeypad(account, link.publicId)
  const sale = await linkSales.ring(secret, { amount: '12.50', formId: randomUUID() })
  await mark(sale, 'settled')
  const { text } = await visit(harness, `GET /pos/${secret}/sale/${sale.publicId}`)
  assert.match(text, /Marked as paid by you<\/h1><p>The network has not shown the full amount\./)
  assert.doesNotMatch(text, ASKS)
})

describe('in a real browser', { skip: noBrowser(), timeout: 120_000 }, () => {
  const { openPage } = useBrowser()

  test('an open checkout shows the mark at once, and the payment that arrives afterwards', async () => {
    const invoice = await createInvoice(harness)
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
    await heading('Pay with Zcash')
    await mark(invoice, 'settled')
    await heading('Nothing left to pay')
    harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}?amount=0.025` })
    await heading('Payment seen')
    harness.sandbox.chain.mine(3)
    await heading('Paid')
    assert.ok(await page.getByRole('link', { name: 'Receipt' }).isVisible())
  })

  test('the merchant sees the mark beside the status, in the list and on the page', async () => {
    const [settled, invalid] = [await createInvoice(harness), await partPaid()]
    await mark(settled, 'settled')
    await mark(invalid, 'invalid')
    const page = await openPage()
    await signInOnPage(page, harness, 'shop@example.org')
    for (const [{ publicId }, text] of [
      [settled, 'Pending Marked as paid by you'],
      [invalid, 'Pending Marked as invalid by you Part paid'],
    ] as const) {
      await page.goto(`${harness.url}/invoices`)
      assert.equal(await page.locator(`#invoice-${publicId} td`).nth(1).textContent(), text)
      await page.goto(`${harness.url}/invoices/${publicId}`)
      assert.equal(await page.locator('[data-announce]').textContent(), text)
      await page
        .locator('.timeline')
        .getByText(/^Marked as (paid|invalid) by you$/)
        .waitFor()
    }
  })
})
