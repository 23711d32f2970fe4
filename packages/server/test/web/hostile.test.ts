import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { chooseAssetPage } from '../../src/web/pages/swap.ts'
import { call } from '../support/api.ts'
import { type Merchant, openMerchant } from './accounts.ts'
import { startWebRig, type WebRig } from './rig.ts'
import { type Visit, visit } from './visit.ts'

/** Names that every object of JavaScript answers to. */
const INHERITED = ['constructor', 'toString', '__proto__', 'hasOwnProperty']

describe('pages under attack', () => {
  let rig: WebRig
  let merchant: Merchant
  let cookie: string

  before(async () => {
    rig = await startWebRig({ env: { PUBLIC_URL: 'https://pay.example' } })
    merchant = await openMerchant(rig, 'mallory', 7)
    cookie = `__Host-zatgate=${await merchant.token()}`
  })
  after(() => rig?.close())

  test('JSON is no form: a field is never anything but text', async () => {
    for (const path of ['/sign-in', '/sign-in/code', '/api-keys', '/withdrawals', '/billing', '/i/none/swap'])
      for (const raw of ['{"email":5,"code":{},"name":[],"amount":1,"plan":null}', '[]', 'null']) {
        const { status } = await call(rig, `POST ${path}`, {
          headers: { cookie, 'content-type': 'application/json' },
          raw,
        })
        assert.equal(status, 415, `${path} ${raw}`)
      }
  })

  test('a page says nothing that its link makes up', async () => {
    for (const path of ['/webhook', '/api-keys', '/sessions', '/viewing-key'])
      for (const done of INHERITED) {
        const { status, text } = await visit(rig, `GET ${path}?done=${done}`, { cookie })
        assert.equal(status, 200)
        assert.doesNotMatch(text, /class="notice"/, `${path}?done=${done}`)
      }
  })

  test('a chain that the provider calls by any name is called by that name', async () => {
    const [invoice] = await rig.service.invoices.list(merchant.account, { limit: 1 })
    assert.ok(invoice)
    for (const blockchain of [...INHERITED, '<b>"']) {
      const asset = { assetId: 'x', symbol: 'XYZ', blockchain, decimals: 8, priceUsd: 1 }
      const page = String(chooseAssetPage({ invoice, assets: [asset] }))
      assert.ok(page.includes(`XYZ on ${blockchain.replace('<b>"', '&lt;b&gt;&quot;')}</option>`), blockchain)
    }
  })

  test('a form that came over plain HTTP is not from our own site, whose pages never do', async () => {
    const { host } = new URL(rig.url)
    const post = (origin: string) => ({ cookie, form: { confirmations: '2' }, headers: { origin } }) satisfies Visit
    assert.equal((await visit(rig, 'POST /confirmations', post(`http://${host}`))).status, 403)
    assert.equal((await visit(rig, 'POST /confirmations', post(`https://${host}`))).status, 303)
    assert.equal((await visit(rig, 'POST /confirmations', post('https://pay.example'))).status, 303)
    assert.equal((await visit(rig, 'POST /confirmations', post('http://pay.example'))).status, 403)
  })

  test('the front door leads to the form to sign in, and who is signed in to the overview', async () => {
    const leads = async (options: Visit) => (await visit(rig, 'GET /', options)).headers.get('location')
    assert.equal(await leads({}), '/sign-in')
    assert.equal(await leads({ cookie: `__Host-zatgate=zgs_${randomBytes(8).toString('hex')}` }), '/sign-in')
    assert.equal(await leads({ cookie }), '/overview')
  })
})
