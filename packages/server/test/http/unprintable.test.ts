import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { call } from '../harness/http-call.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { type Merchant, openMerchant } from '../web/accounts.ts'
import { visit } from '../web/visit.ts'

const UNPRINTABLE = ['\u202e', '\u2028', '\u200b', '\ufeff', '\u{e0041}', '\ud83d']
/** A stored text of a time when it was accepted. */
const EARLIER = 'safe\u202elive\u200b'

describe('invisible characters', () => {
  let harness: SandboxService
  let merchant: Merchant
  let token: string

  before(async () => {
    harness = await startSandboxService()
    merchant = await openMerchant(harness, 'shop', 7)
    token = await merchant.token()
  })
  after(() => harness?.close())

  test('the API refuses them in every text that is stored, and names the field', async () => {
    const requests = (text: string) =>
      [
        ['POST /v1/account/api-keys', { name: text }, 'name'],
        ['PUT /v1/account/webhook', { url: `https://shop.example/${text}` }, 'url'],
        [
          'POST /v1/account/withdrawals',
          { amount_zat: 100_000, fiat_currency: 'EUR', payout_to: `IBAN${text}1` },
          'payout_to',
        ],
        [`POST /v1/invoices/${merchant.ids.invoice}/swap`, { asset_id: 'x', refund_to: `0x${text}1` }, 'refund_to'],
        ['PUT /v1/account/viewing-key', { viewing_key: `uview1${text}` }, 'viewing_key'],
      ] as const
    for (const character of UNPRINTABLE)
      for (const [line, json, field] of requests(`a${character}b`)) {
        const { status, body } = await call(harness, line, { token, json })
        assert.equal(status, 400, `${line} ${JSON.stringify(character)}`)
        assert.equal(body.message, `invalid ${field}`)
      }
  })

  test('the pages refuse them too, also when the form waits for a code', async () => {
    const cookie = `__Host-zatgate=${token}`
    for (const character of UNPRINTABLE.slice(0, 5)) {
      const text = `a${character}b`
      for (const [path, form] of [
        ['/api-keys', { name: text }],
        ['/sessions', { label: text }],
        ['/webhook', { url: `https://shop.example/${text}` }],
        ['/withdrawals', { amount: '1', currency: 'EUR', payout_to: text }],
        ['/account/email', { email: `${text}@example.org` }],
        ['/sign-in', { email: `${text}@example.org` }],
      ] as const) {
        const { status, text: page } = await visit(harness, `POST ${path}`, { cookie, form })
        assert.equal(status, 400, `${path} ${JSON.stringify(character)}`)
        assert.ok(!page.includes(character), path)
      }
    }
    const { session, token: old } = await harness.service.sessions.create(merchant.account, 'old')
    await harness.service.store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(session.id, 1))
    const asked = await visit(harness, 'POST /api-keys', { cookie: `__Host-zatgate=${old}`, form: { name: EARLIER } })
    assert.equal(asked.status, 403)
    assert.ok(asked.text.includes(`type="hidden" name="name" value="${EARLIER}"`), 'it is not made valid on the way')
  })

  test('a text stored by an earlier version is shown with visible code points, isolated from the text around it', async () => {
    const { store } = harness.service
    await store.write(async tx => {
      const fields = { accountId: merchant.account.id, createdAt: 1_790_000_000 }
      await tx.apiKeys.insert({
        ...fields,
        publicId: '6f0f6f6e-0000-4000-8000-000000000001',
        name: EARLIER,
        last4: '0000',
        rights: null,
        hash: new Uint8Array(32),
      })
      const actor = { by: 'owner', session: null, network: null, client: EARLIER } as const
      await tx.audit.append({ ...fields, kind: 'api_key_created', actor, detail: EARLIER })
    })
    const cookie = `__Host-zatgate=${token}`
    for (const path of ['/api-keys', '/activity']) {
      const { text: page } = await visit(harness, `GET ${path}`, { cookie })
      assert.ok(page.includes('<bdi>safe\\u{202e}live\\u{200b}</bdi>'), path)
      assert.doesNotMatch(page, /[\u200b\u202e]/)
    }
  })

  test('a search term loses them, as an address copied from a document has them', async () => {
    const cookie = `__Host-zatgate=${token}`
    const search = encodeURIComponent(`\u200b${merchant.ids.invoice}\u00ad\u202e`)
    const { text } = await visit(harness, `GET /invoices?q=${search}`, { cookie })
    assert.ok(text.includes(`value="${merchant.ids.invoice}"`))
    assert.ok(text.includes(`/invoices/${merchant.ids.invoice}`))
  })
})
