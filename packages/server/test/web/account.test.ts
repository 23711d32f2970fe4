import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { call } from '../harness/http-call.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { expireRecentAuth, exportForm, openVisitor, setRecentAuth, Visitor } from './visitor.ts'

describe('the page Settings', () => {
  let harness: SandboxService
  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  const signedIn = (email: string) => openVisitor(harness, email)

  test('the email is changed with a code to the present address and one to the new address', async () => {
    const [email, next] = ['before@example.org', 'after@example.org']
    const { visitor, token } = await signedIn(email)
    await expireRecentAuth(harness, token)
    const asked = await visitor.request('POST /account/email', { email: next })
    assert.equal(asked.status, 403)
    assert.match(asked.text, /Confirm your identity/)
    const code = await harness.codeFor(email, 2)
    const requested = await visitor.request('POST /account/email', { email: next, code })
    assert.deepEqual([requested.status, requested.headers.get('location')], [303, '/account/email'])
    assert.match((await visitor.request('GET /account/email')).text, /after@example\.org/)

    const codes = { present_code: await harness.codeFor(email, 3), new_code: await harness.codeFor(next) }
    for (const field of ['present_code', 'new_code']) {
      const wrong = await visitor.request('POST /account/email/code', { ...codes, [field]: '0000000000' })
      assert.equal(wrong.status, 400)
      assert.match(wrong.text, /The code is wrong or no longer valid/)
    }
    await expireRecentAuth(harness, token)
    const stale = await visitor.request('POST /account/email/code', codes)
    assert.equal(stale.status, 403)
    assert.match(stale.text, /Recent sign-in required/)
    await setRecentAuth(harness, token, 4_000_000_000)
    const confirmed = await visitor.request('POST /account/email/code', codes)
    assert.deepEqual([confirmed.status, confirmed.headers.get('location')], [303, '/account?done=email'])
    const page = await visitor.request('GET /account?done=email')
    assert.match(page.text, /Email changed\./)
    assert.match(page.text, /You sign in with <b><bdi>after@example\.org<\/bdi><\/b>/)
    assert.equal((await visitor.request('GET /account/email')).headers.get('location'), '/account')

    const { text } = await until('the mail with the link', () =>
      harness.sandbox.mailbox.mails(email).find(mail => mail.text.includes('/undo-email/')),
    )
    const path = /\/undo-email\/\S+/.exec(text)?.[0] as string
    const stranger = new Visitor(harness)
    for (const method of ['GET', 'HEAD', 'GET']) assert.equal((await stranger.request(`${method} ${path}`)).status, 200)
    assert.equal((await visitor.request('GET /overview')).status, 200, 'to open the link changes nothing')
    assert.match((await stranger.request(`GET ${path}`)).text, /gives the account back to <b><bdi>before@example\.org/)
    const undone = await stranger.request(`POST ${path}`, {})
    assert.equal(undone.status, 200)
    assert.deepEqual([...stranger.cookies.keys()], ['__Host-zatgate-browser'], 'the browser is known')
    assert.match(undone.text, /has the email <b><bdi>before@example\.org<\/bdi><\/b> again/)
    assert.equal((await visitor.request('GET /overview')).status, 401)
    for (const line of [`GET ${path}`, `POST ${path}`, 'GET /undo-email/x', 'POST /undo-email/x']) {
      const refused = await stranger.request(line, line.startsWith('POST') ? {} : undefined)
      assert.equal(refused.status, 404, line)
      assert.match(refused.text, /This link is not valid/)
    }
  })

  test('invalid input is answered with what would be right', async () => {
    const { visitor } = await signedIn('input@example.org')
    const own = await visitor.request('POST /account/email', { email: 'input@example.org' })
    assert.equal(own.status, 400)
    assert.match(own.text, /Invalid email: another address than the present one\./)
    const unconfirmed = await visitor.request('POST /account/delete', { confirm_email: 'x' })
    assert.equal(unconfirmed.status, 400)
    assert.match(unconfirmed.text, /Enter the email of this account to confirm its deletion\./)
    assert.equal((await visitor.request('GET /overview')).status, 200)
  })

  test('a deletion signs out everywhere and ends the keys; the owner can sign in and keep the account', async () => {
    const email = 'leaving@example.org'
    const { visitor, token } = await signedIn(email)
    const account = await harness.service.accounts.findByEmail(email)
    const { key } = await harness.service.apiKeys.create(account, 'till')
    await expireRecentAuth(harness, token)
    assert.equal((await visitor.request('POST /account/delete', { confirm_email: email })).status, 403)
    const code = await harness.codeFor(email, 2)
    const deleted = await visitor.request('POST /account/delete', { confirm_email: email.toUpperCase(), code })
    assert.equal(deleted.status, 200)
    assert.match(deleted.text, /Your account will be deleted/)
    assert.equal((await visitor.request('GET /overview')).status, 401)
    assert.equal((await call(harness, 'POST /v1/invoices', { token: key, json: { amount_zat: 1 } })).status, 401)

    const { visitor: returned, token: newToken } = await signedIn(email)
    for (const page of ['/overview', '/invoices', '/webhook', '/api-keys', '/viewing-key'])
      assert.match((await returned.request(`GET ${page}`)).text, /This account will be deleted on /, page)
    const form = await exportForm(returned)
    assert.equal((await returned.request('POST /export/download', { ...form, format: 'json' })).status, 200)
    const refused = await returned.request('POST /api-keys', { name: 'new' })
    assert.match(refused.text, /Account is being deleted: to change it, keep the account first/)
    const overApi = await call(harness, 'PUT /v1/account/webhook', {
      token: newToken,
      json: { url: 'https://shop.example/hook' },
    })
    assert.deepEqual([overApi.status, overApi.body.code], [409, 'account_being_deleted'])

    const kept = await returned.request('POST /account/keep', {})
    assert.equal(kept.headers.get('location'), '/account?done=kept')
    assert.match((await returned.request('GET /account?done=kept')).text, /The account is kept\./)
    assert.doesNotMatch((await returned.request('GET /overview')).text, /will be deleted/)
  })
})
