import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startSandboxService } from '../harness/service.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { visit } from './visit.ts'

const EMAIL = 'shop@example.org'

test('a form over plain http to a service with https is answered that https is needed, before a code is mailed', async t => {
  const service = await startSandboxService({ env: { PUBLIC_URL: 'https://pay.example.com' } })
  t.after(() => service.close())
  const post = (origin: string) => visit(service, 'POST /sign-in', { form: { email: EMAIL }, headers: { origin } })
  const { status, text } = await post(`http://${new URL(service.url).host}`)
  assert.equal(status, 403)
  assert.match(text, /This page needs https: .*: open https:\/\/pay\.example\.com\./)
  // Any other page is another site.
  assert.match((await post('http://192.168.1.5:3000')).text, /sent by another site/)
  assert.deepEqual(service.sandbox.mailbox.mails(EMAIL), [])
})

test('a code without the cookie of its request says why', async t => {
  const service = await startSandboxService()
  t.after(() => service.close())
  const { origin } = new URL(service.url)
  const form = { code: '123456' }
  const overHttp = await visit(service, 'POST /sign-in/code', { form, headers: { origin } })
  assert.deepEqual([overHttp.status, /keeps no sign-in over plain http/.test(overHttp.text)], [400, true])
  const blocked = await visit(service, 'POST /sign-in/code', { form, headers: { 'sec-fetch-site': 'same-origin' } })
  assert.deepEqual([blocked.status, /blocks cookies/.test(blocked.text)], [400, true])
})

describe('in a real browser', { skip: noBrowser(), timeout: 60_000 }, () => {
  const { openPage } = useBrowser()

  test('signing in over plain http on a local network says that https is needed', async t => {
    const service = await startSandboxService()
    t.after(() => service.close())
    const page = await openPage()
    await page.goto(`${service.url.replace('127.0.0.1', 'zatgate.lan')}/sign-in`)
    await page.getByLabel('Email').fill(EMAIL)
    await page.getByRole('button', { name: 'Email me a code' }).click()
    await page.getByRole('alert').getByText('This page needs https').waitFor()
    await inspect(page)
    assert.deepEqual(service.sandbox.mailbox.mails(EMAIL), [])
  })
})
