import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { checkoutLinks } from '../../src/web/components/sale/checkout-links.ts'
import { chooseAssetPage } from '../../src/web/pages/sale/swap-choice.ts'
import { call } from '../harness/http-call.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { type Merchant, openMerchant } from './accounts.ts'
import { BUYER } from './buyer-view.ts'
import { type Visit, visit } from './visit.ts'

/** Property names that every JavaScript object inherits. */
const INHERITED = ['constructor', 'toString', '__proto__', 'hasOwnProperty']

describe('pages with hostile input', () => {
  let harness: SandboxService
  let merchant: Merchant
  let cookie: string

  before(async () => {
    harness = await startSandboxService({ env: { PUBLIC_URL: 'https://pay.example' } })
    merchant = await openMerchant(harness, 'mallory', 7)
    cookie = `__Host-zatgate=${await merchant.token()}`
  })
  after(() => harness?.close())

  test('pages reject JSON bodies, so a form field is always text', async () => {
    for (const path of ['/sign-in', '/sign-in/code', '/api-keys', '/withdrawals', '/billing', '/i/none/swap'])
      for (const raw of ['{"email":5,"code":{},"name":[],"amount":1,"plan":null}', '[]', 'null']) {
        const { status } = await call(harness, `POST ${path}`, {
          headers: { cookie, 'content-type': 'application/json' },
          raw,
        })
        assert.equal(status, 415, `${path} ${raw}`)
      }
  })

  test('an unknown `done` parameter shows no flash message', async () => {
    for (const path of ['/webhook', '/api-keys', '/sessions', '/viewing-key'])
      for (const done of INHERITED) {
        const { status, text } = await visit(harness, `GET ${path}?done=${done}`, { cookie })
        assert.equal(status, 200)
        assert.doesNotMatch(text, /class="flash"/, `${path}?done=${done}`)
      }
  })

  test('an unknown chain code is shown as it is, escaped', async () => {
    const [invoice] = await harness.service.invoices.list(merchant.account, { limit: 1 })
    assert.ok(invoice)
    for (const blockchain of [...INHERITED, '<b>"']) {
      const asset = {
        assetId: 'x',
        symbol: 'XYZ',
        blockchain,
        decimals: 8,
        priceUsd: 1,
        perZec: 0,
        contractAddress: null,
      }
      const page = String(
        chooseAssetPage({ ...BUYER, invoice, links: checkoutLinks(invoice.publicId), assets: [asset] }),
      )
      assert.ok(page.includes(`<bdi>${blockchain.replace('<b>"', '&lt;b&gt;&quot;')}</bdi>`), blockchain)
    }
  })

  test('a form from a plain HTTP origin is rejected when the public URL is HTTPS', async () => {
    const { host } = new URL(harness.url)
    const post = (origin: string) => ({ cookie, form: { confirmations: '2' }, headers: { origin } }) satisfies Visit
    assert.equal((await visit(harness, 'POST /confirmations', post(`http://${host}`))).status, 403)
    assert.equal((await visit(harness, 'POST /confirmations', post(`https://${host}`))).status, 303)
    assert.equal((await visit(harness, 'POST /confirmations', post('https://pay.example'))).status, 303)
    assert.equal((await visit(harness, 'POST /confirmations', post('http://pay.example'))).status, 403)
  })

  test('the root path redirects to the sign-in page, or to the overview when signed in', async () => {
    const redirectTarget = async (options: Visit) => (await visit(harness, 'GET /', options)).headers.get('location')
    assert.equal(await redirectTarget({}), '/sign-in')
    assert.equal(await redirectTarget({ cookie: `__Host-zatgate=zgs_${randomBytes(8).toString('hex')}` }), '/sign-in')
    assert.equal(await redirectTarget({ cookie }), '/overview')
  })
})
