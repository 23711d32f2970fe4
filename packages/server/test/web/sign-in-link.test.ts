import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { runCommand } from '../harness/command-line.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'
import { Visitor } from './visitor.ts'

describe('zatgate sign-in while the service runs', { timeout: 180_000 }, () => {
  let harness: SandboxService
  before(async () => {
    harness = await startSandboxService({ env: { REGISTRATION: 'closed' } })
  })
  after(() => harness?.close())

  /** The path of a new link. Its secret must not be logged. */
  async function newLink(email: string): Promise<string> {
    await runCommand(['account', 'create', email], harness.env)
    const env = { ...harness.env, PUBLIC_URL: 'https://pay.example' }
    const { code, out, err } = await runCommand(['sign-in', email], env)
    assert.equal(code, 0, err)
    const path = /^https:\/\/pay\.example(\/sign-in\/link\/([\w-]{43}))\n$/.exec(out)
    assert.match(err, /^valid once, until \d{4}-\S+ \S+ UTC; do not pass it on: it signs in to the account\n$/)
    harness.secrets.set('sign-in link', path?.[2] as string)
    return path?.[1] as string
  }

  test('a GET changes nothing, the button signs in once, and then the page says how to get a new link', async () => {
    const path = await newLink('shop@example.org')
    const visitor = new Visitor(harness)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await visitor.request(`${method} ${path}`)
      assert.equal(page.status, 200)
      assert.equal(page.headers.get('referrer-policy'), 'same-origin')
      assert.match(page.headers.get('x-robots-tag') ?? '', /noindex/)
      assert.equal(page.headers.get('cache-control'), 'no-store')
    }
    assert.equal(visitor.cookies.size, 0)
    const insecure = await visitor.request(`POST ${path}`, {}, { origin: 'http://192.168.1.7:3000' })
    assert.equal(insecure.status, 403)
    const lan = { origin: 'http://192.168.1.7:3000', 'sec-fetch-site': 'same-origin' }
    const overLan = await visitor.request(`POST ${path}`, {}, lan)
    assert.equal(overLan.status, 403)
    assert.match(overLan.text, /needs https: over plain http browsers keep no sign-in/)
    assert.match(overLan.text, /signs you in as/, 'the link is not used')
    const signedIn = await visitor.request(`POST ${path}`, {})
    assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/overview'])
    assert.deepEqual([...visitor.cookies.keys()].sort(), ['__Host-zatgate', '__Host-zatgate-browser'])
    assert.match((await visitor.request('GET /overview')).text, /shop@example\.org/)
    for (const line of [`GET ${path}`, `POST ${path}`, 'GET /sign-in/link/x', 'POST /sign-in/link/x']) {
      const refused = await new Visitor(harness).request(line, line.startsWith('POST') ? {} : undefined)
      assert.equal(refused.status, 404, line)
      assert.match(refused.text, /This link is not valid[\s\S]*<code>zatgate sign-in EMAIL<\/code>/)
    }
  })

  test('without PUBLIC_URL the link is at localhost, and an account that does not exist has none', async () => {
    await newLink('local@example.org')
    const local = await runCommand(['sign-in', 'local@example.org'], { ...harness.env, PORT: '3456' })
    assert.match(local.out, /^http:\/\/localhost:3456\/sign-in\/link\/[\w-]{43}\n$/)
    assert.match(local.err, /^PUBLIC_URL is not set: open the link on the machine where the service runs$/m)
    assert.match((await runCommand(['sign-in', 'local@example.org'], harness.env)).err, /PORT is 0, .* set PUBLIC_URL/)
    const json = (await runCommand(['sign-in', 'local@example.org', '--json'], { ...harness.env, PORT: '1' })).json()
    assert.deepEqual(Object.keys(json), ['email', 'url', 'expires_at'])
    const none = await runCommand(['sign-in', 'none@example.org'], { ...harness.env, PORT: '1' })
    assert.deepEqual([none.code, none.out], [1, ''])
    assert.equal((await runCommand(['sign-in'], harness.env)).code, 2, 'a usage error')
    assert.match(none.err, /no account has the email none@example\.org: .* zatgate account create none@example\.org\n$/)
  })

  describe('in a browser', { skip: noBrowser() }, () => {
    const browser = useBrowser()
    test('the owner signs in with the button', async () => {
      const page = await browser.openPage()
      await page.goto(`${harness.url}${await newLink('browser@example.org')}`)
      await inspect(page)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL('**/overview')
      await page.goto(`${harness.url}/sign-in/link/x`)
      await inspect(page)
    })
  })
})
