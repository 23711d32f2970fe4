import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { visit } from './visit.ts'

const OWNER = 'owner@example.org'

describe('sign-in of known and unknown browsers', () => {
  let harness: SandboxService
  before(async () => {
    harness = await startSandboxService({ env: { TRUST_PROXY: '1' } })
  })
  after(() => harness?.close())

  /** Posts the sign-in form from this IP address. */
  const post = (email: string, address: string, cookie = '') =>
    visit(harness, 'POST /sign-in', { form: { email }, cookie, headers: { 'x-forwarded-for': address } })

  const cookiesOf = (response: { headers: Headers }) => response.headers.getSetCookie()
  const cookieNamed = (response: { headers: Headers }, name: string) =>
    cookiesOf(response).find(text => text.startsWith(`${name}=`)) ?? ''
  const value = (cookie: string) => cookie.split(';')[0] as string

  test('the cookie of a known browser lets the owner sign in while a stranger has spent the codes of the email', async () => {
    const requested = await post(OWNER, '203.0.113.1')
    const cookie = value(cookieNamed(requested, '__Host-zatgate-code'))
    const code = await harness.codeFor(OWNER)
    const signedIn = await visit(harness, 'POST /sign-in/code', { form: { code }, cookie })
    assert.equal(signedIn.status, 303)
    const browser = cookieNamed(signedIn, '__Host-zatgate-browser')
    assert.match(browser, /; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)

    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await post(OWNER, `198.51.100.${i}`)).status)
    assert.deepEqual(statuses, [...Array<number>(9).fill(303), 429, 429, 429])
    assert.equal((await post(OWNER, '198.51.100.1', value(browser))).status, 303)

    const session = value(cookieNamed(signedIn, '__Host-zatgate'))
    const signedOut = await visit(harness, 'POST /sign-out', { form: {}, cookie: session })
    assert.deepEqual(
      cookiesOf(signedOut).map(text => value(text).split('=')[0]),
      ['__Host-zatgate'],
      'it stays',
    )
    const alone = await visit(harness, 'GET /overview', { cookie: value(browser) })
    assert.equal(alone.status, 401, 'it gives no access')
  })

  test('the cookie is set after a sign-in only: responses are equal for emails with and without an account', async () => {
    await harness.service.accounts.findOrCreate('owner2@example.org')
    const [known, unknown] = [
      await post('owner2@example.org', '203.0.113.2'),
      await post('none@example.org', '203.0.113.2'),
    ]
    const shape = (response: { status: number; text: string; headers: Headers }) => [
      response.status,
      response.text,
      response.headers.get('location'),
      cookiesOf(response).map(text => text.replace(/=[0-9a-f]{64};/, '=…;')),
    ]
    assert.deepEqual(shape(known), shape(unknown))
    assert.equal(cookieNamed(known, '__Host-zatgate-browser'), '')
  })

  test('a client behind a proxy that reports ports has one limit of codes', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 102; i++) statuses.push((await post(`port${i}@example.org`, `192.0.2.9:${10_000 + i}`)).status)
    assert.deepEqual([statuses.filter(status => status === 303).length, statuses.at(-1)], [100, 429])
  })
})
