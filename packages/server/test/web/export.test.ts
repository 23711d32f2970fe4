import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { exportForm, openVisitor } from './visitor.ts'

describe('the page Export', () => {
  let harness: SandboxService
  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  async function signedIn(email: string) {
    const { visitor } = await openVisitor(harness, email)
    return { visitor, ...(await exportForm(visitor)) }
  }

  test('a download needs a POST with the token of a page of this session', async () => {
    const { visitor, token } = await signedIn('export@example.org')
    const { token: foreign } = await signedIn('other@example.org')
    for (const method of ['GET', 'HEAD'])
      assert.equal((await visitor.request(`${method} /export/download?format=csv&token=${token}`)).status, 405)
    for (const form of [{}, { token: '' }, { token: foreign }, { token: `${token}x`.slice(1) }]) {
      const refused = await visitor.request('POST /export/download', { format: 'csv', ...form })
      assert.equal(refused.status, 403)
      assert.equal(refused.headers.get('content-disposition'), null)
    }
    const fromElsewhere = { 'sec-fetch-site': 'cross-site' }
    const crossSite = await visitor.request('POST /export/download', { format: 'csv', token }, fromElsewhere)
    assert.equal(crossSite.status, 403)
    const file = await visitor.request('POST /export/download', { format: 'csv', token })
    assert.equal(file.status, 200)
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="zatgate-invoices-[\d-]+\.csv"$/)
    assert.match(file.text, /^id,status,amount_zat/)
    const european = await visitor.request('POST /export/download', { format: 'csv_semicolon', token })
    assert.match(european.text, /^id;status;amount_zat/)
    const refunds = await visitor.request('POST /export/download', { kind: 'refunds', format: 'csv', token })
    assert.match(refunds.headers.get('content-disposition') ?? '', /filename="zatgate-refunds-[\d-]+\.csv"$/)
    assert.match(refunds.text, /^id,invoice_id,order_id,status/)
    for (const wrong of [{ format: 'xls' }, { kind: 'payments' }]) {
      const form = { format: 'csv', token, ...wrong }
      assert.equal((await visitor.request('POST /export/download', form)).status, 400)
    }
  })

  test('a link can choose what the page exports', async () => {
    const { visitor } = await signedIn('refunds@example.org')
    assert.match((await visitor.request('GET /export?kind=refunds')).text, /name="kind" value="refunds" checked/)
    assert.match((await visitor.request('GET /export?kind=x')).text, /name="kind" value="invoices" checked/)
  })

  test('while an export is in progress, the page says so, and a download works after it', async () => {
    const { visitor, token } = await signedIn('busy@example.org')
    const account = await harness.service.accounts.findByEmail('busy@example.org')
    const { chunks } = harness.service.exports.invoices(account, null, 'csv', { from: 0 })
    const form = { format: 'json', from: '2026-01-02', to: '', token }
    const refused = await visitor.request('POST /export/download', form)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30'])
    assert.match(refused.text, /Another export of this account is in progress\. Wait until it ends\./)
    assert.match(refused.text, /value="2026-01-02"/)
    await chunks.return?.()
    assert.equal((await visitor.request('POST /export/download', form)).status, 200)
    const wrong = await visitor.request('POST /export/download', { ...form, from: 'x' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /Enter dates as YYYY-MM-DD/)
  })
})
