import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { deriveFullViewingKey, deriveOrchardSpendingKey, encodeFullViewingKey } from '@zatgate/zcash/spending-key'
import { call } from '../harness/http-call.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { withoutMarks } from './buyer-view.ts'
import { visit } from './visit.ts'
import { expireRecentAuth, exportForm, openVisitor, Visitor } from './visitor.ts'

describe('pages', () => {
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  const mailed = (email: string, subject: RegExp) =>
    until(`a mail like ${subject}`, () => harness.sandbox.mailbox.mails(email).find(mail => subject.test(mail.subject)))

  const signedIn = (email: string) => openVisitor(harness, email)

  test('the page’s token is an API session token, and signing out on either side ends both', async () => {
    const { visitor, token } = await signedIn('both@example.org')
    assert.equal((await call(harness, 'GET /v1/account', { token })).body.email, 'both@example.org')
    assert.equal((await visitor.request('POST /sign-out', {})).status, 303)
    assert.deepEqual([...visitor.cookies.keys()], ['__Host-zatgate-browser'])
    assert.equal((await call(harness, 'GET /v1/account', { token })).status, 401)

    const again = await signedIn('both@example.org')
    assert.equal((await call(harness, 'POST /v1/auth/logout', { token: again.token })).status, 204)
    assert.equal((await again.visitor.request('GET /overview')).status, 401)
    const other = await signedIn('both@example.org')
    assert.equal((await other.visitor.request('POST /sessions/end-all', {})).status, 303)
    assert.equal((await call(harness, 'GET /v1/account', { token: other.token })).status, 401)
  })

  test('to forget the other browsers requires a code; this browser stays known, with a new cookie', async () => {
    const email = 'forget@example.org'
    const { visitor, token } = await signedIn(email)
    const before = visitor.cookies.get('__Host-zatgate-browser')
    await expireRecentAuth(harness, token)
    const asked = await visitor.request('POST /sessions/forget-browsers', {})
    assert.equal(asked.status, 403)
    assert.match(asked.text, /Confirm your identity/)
    assert.equal((await visitor.request('GET /overview')).status, 200)
    const code = await harness.codeFor(email, 2)
    const done = await visitor.request('POST /sessions/forget-browsers', { code })
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/sign-in'])
    assert.deepEqual([...visitor.cookies.keys()], ['__Host-zatgate-browser'])
    assert.notEqual(visitor.cookies.get('__Host-zatgate-browser'), before)
    assert.equal((await call(harness, 'GET /v1/account', { token })).status, 401)
  })

  test('the API rejects the session cookie, and pages reject a bearer token', async () => {
    const { visitor, token } = await signedIn('cookie@example.org')
    assert.equal((await visitor.request('GET /v1/account')).status, 401)
    assert.equal((await call(harness, 'GET /overview', { token })).status, 401)
  })

  test('cookies have the host prefix and are Secure, HttpOnly and SameSite', async () => {
    const visitor = new Visitor(harness)
    const asked = await visitor.request('POST /sign-in', { email: 'flags@example.org' })
    const [codeCookie, ...codeAttributes] = (asked.headers.getSetCookie()[0] as string).split('; ')
    assert.match(codeCookie as string, /^__Host-zatgate-code=[0-9a-f]{64}$/)
    assert.deepEqual(codeAttributes.sort(), ['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', 'Secure'])
    const entered = await visitor.request('POST /sign-in/code', { code: await harness.codeFor('flags@example.org') })
    const [sessionCookie, ...attributes] = (entered.headers.getSetCookie().at(-1) as string).split('; ')
    assert.match(sessionCookie as string, /^__Host-zatgate=zgs_[0-9A-Za-z]{49}$/)
    assert.deepEqual(attributes.sort(), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure'])
  })

  test('a form from another site is rejected, by Sec-Fetch-Site or by Origin', async () => {
    const { visitor, token } = await signedIn('forms@example.org')
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: harness.url },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${harness.url}.evil.example` },
    ]
    for (const headers of foreign)
      for (const path of ['/sign-out', '/sign-in', '/sign-in/code', '/confirmations'])
        assert.equal(
          (await visitor.request(`POST ${path}`, { confirmations: '1' }, headers as Record<string, string>)).status,
          403,
        )
    assert.equal((await call(harness, 'GET /v1/account', { token })).body.confirmations, 3)
    const own = [{ 'sec-fetch-site': 'same-origin', origin: harness.url }, { origin: harness.url }]
    for (const headers of own)
      assert.equal(
        (await visitor.request('POST /confirmations', { confirmations: '1' }, headers as Record<string, string>))
          .status,
        303,
      )
    assert.equal((await call(harness, 'GET /v1/account', { token })).body.confirmations, 1)
  })

  test('pages reject other content types and oversized bodies, and the API rejects forms', async () => {
    const { visitor } = await signedIn('types@example.org')
    const send = (type: string, raw: string) =>
      call(harness, 'POST /confirmations', {
        headers: { cookie: `__Host-zatgate=${visitor.cookies.get('__Host-zatgate')}`, 'content-type': type },
        raw,
      })
    assert.equal((await send('text/plain', 'confirmations=2')).status, 415)
    assert.equal((await send('multipart/form-data; boundary=x', '--x--')).status, 415)
    assert.equal((await send('application/x-www-form-urlencoded', `confirmations=${'1'.repeat(70_000)}`)).status, 413)
    assert.equal(
      (
        await call(harness, 'POST /v1/invoices', {
          headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer x' },
          raw: 'a=1',
        })
      ).status,
      401,
    )
  })

  test('every page has a strict content policy and contains nothing that it would block', async () => {
    const { visitor } = await signedIn('policy@example.org')
    for (const path of [
      '/sign-in',
      '/sign-in/code',
      '/overview',
      '/invoices',
      '/api-keys',
      '/viewing-key',
      '/webhook',
      '/sessions',
      '/export',
      '/invoices/none',
    ]) {
      const { headers, text } = await visitor.request(`GET ${path}`)
      const policy = headers.get('content-security-policy') as string
      assert.match(policy, /default-src 'none'/)
      assert.doesNotMatch(policy, /unsafe|https?:|\*|data:/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('referrer-policy'), 'same-origin')
      assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:/)
      assert.doesNotMatch(
        text.replaceAll(harness.url, '').replaceAll(/http:\/\/127\.0\.0\.1:\d+\/mail/g, ''),
        /(?:src|href)="(?:https?:)?\/\//,
      )
    }
  })

  test('an unknown path gives a browser a page and other clients the API’s error', async () => {
    const accept = { accept: 'text/html,application/xhtml+xml' }
    const unknown = await visit(harness, 'GET /no/such/page', { headers: accept })
    assert.equal(unknown.status, 404)
    assert.match(unknown.text, /<h1>Not found<\/h1>/)
    assert.match(unknown.headers.get('content-security-policy') as string, /style-src 'self'/)
    for (const path of ['/no/such/page', '/v1/no/such/page']) {
      const { status, body } = await call(harness, `GET ${path}`, { headers: path.startsWith('/v1') ? accept : {} })
      assert.deepEqual([status, body], [404, { code: 'not_found', message: 'not found' }])
    }
  })

  test('assets are immutable under a path with a hash of their content', async () => {
    const { text } = await call(harness, 'GET /sign-in')
    const paths = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(match => match[1] as string)
    assert.equal(paths.length, 3)
    for (const path of paths) {
      const { status, headers } = await call(harness, `GET ${path}`)
      assert.equal(status, 200)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      const etag = headers.get('etag') as string
      assert.ok(path.includes(etag.replace(/^W\/|"/g, '')))
      assert.equal((await call(harness, `GET ${path}`, { headers: { 'if-none-match': etag } })).status, 304)
    }
    assert.equal((await call(harness, 'GET /assets/0000000000000000/style.css')).status, 404)
  })

  test('user input is escaped on every page', async () => {
    const { visitor, token } = await signedIn('text@example.org')
    const evil = '"><script>alert(1)</script><b x=\''
    const pages = [
      await visitor.request('POST /api-keys', { name: evil }),
      await visitor.request('GET /api-keys'),
      await visitor.request('POST /sessions', { label: evil }),
      await visitor.request('GET /sessions'),
      await visitor.request('POST /webhook', { url: evil }),
      await visitor.request('POST /viewing-key', { viewing_key: evil }),
      await visitor.request(`GET /invoices?q=${encodeURIComponent(evil)}&from=${encodeURIComponent(evil)}`),
      await visitor.request('POST /export/download', { ...(await exportForm(visitor)), format: evil, from: evil }),
      await new Visitor(harness).request('POST /sign-in', { email: evil }),
    ]
    for (const { text } of pages) {
      assert.match(text, /<h1>/)
      assert.doesNotMatch(text, /<script>|<b x/)
    }
    assert.equal((await call(harness, 'GET /v1/account/api-keys', { token })).body[0].name, evil)
  })

  test('an invalid viewing key is not shown again, and the page shows when a key expires', async () => {
    const { visitor, token } = await signedIn('paste@example.org')
    const phrase = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? 'abandon' : 'ability')).join(' ')
    const refused = await visitor.request('POST /viewing-key', { viewing_key: phrase })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /seed phrase, which can spend the money: never paste it anywhere/)
    assert.doesNotMatch(refused.text, /abandon/)
    const full = deriveFullViewingKey(deriveOrchardSpendingKey(new Uint8Array(32).fill(44), 1, 0))
    const set = await visitor.request('POST /viewing-key', {
      viewing_key: encodeFullViewingKey(full, 'regtest', { time: 32_503_680_000n, height: 9_000_000 }),
    })
    assert.equal(set.status, 200)
    for (const { text } of [set, await visitor.request('GET /viewing-key')]) {
      assert.match(withoutMarks(text), /It expires on <time[^>]*>3000-01-01 00:00 UTC/)
      assert.match(withoutMarks(text), /It expires after block 9000000\./)
    }
    await expireRecentAuth(harness, token)
    const late = await visitor.request('POST /viewing-key', { viewing_key: phrase })
    assert.equal(late.status, 400, 'rejected before the page that asks for a code, which keeps the form')
    assert.doesNotMatch(late.text, /abandon|Confirm your identity/)
  })

  test('changing keys, secrets and tokens requires a recent code, and the form is kept meanwhile', async () => {
    const email = 'fresh@example.org'
    const { visitor, token } = await signedIn(email)
    await visitor.request('POST /webhook', { url: harness.sandbox.webhookReceiver.url })
    const before = await call(harness, 'GET /v1/account/webhook', { token })
    await expireRecentAuth(harness, token)
    const forms: [string, Record<string, string>][] = [
      ['/viewing-key', { viewing_key: harness.sandbox.demoViewingKey }],
      ['/webhook/rotate-secret', {}],
      ['/webhook/remove', {}],
      ['/webhook', { url: 'https://other.example/' }],
      ['/sessions', { label: 'script' }],
      ['/api-keys', { name: 'a "name"' }],
    ]
    const mails = harness.sandbox.mailbox.mails(email).length
    for (const [path, form] of forms) {
      const response = await visitor.request(`POST ${path}`, form)
      assert.equal(response.status, 403, path)
      assert.match(response.text, /Confirm your identity/)
      assert.ok(response.text.includes(`action="${path}"`))
    }
    assert.deepEqual((await call(harness, 'GET /v1/account/webhook', { token })).body, before.body)
    assert.deepEqual((await call(harness, 'GET /v1/account/api-keys', { token })).body, [])
    assert.equal((await call(harness, 'GET /v1/account', { token })).body.viewing_key_set, false)

    const codes = () => harness.sandbox.mailbox.mails(email).filter(mail => mail.subject.includes('confirmation'))
    const [mail] = await until('the code', () => codes().length > 0 && codes())
    assert.equal(codes().length, 1, 'one code is enough for all the requests')
    assert.ok(mails > 0)
    const scoped = { name: 'a "name"', 'may-invoices:write': '1' }
    const wrong = await visitor.request('POST /api-keys', {
      ...scoped,
      code: '000000' === mail?.code ? '1' : '000000',
    })
    assert.equal(wrong.status, 403)
    assert.match(wrong.text, /code is wrong/)
    for (const kept of ['value="a &quot;name&quot;"', 'name="may-invoices:write"']) assert.ok(wrong.text.includes(kept))
    const right = await visitor.request('POST /api-keys', { ...scoped, code: mail?.code as string })
    assert.equal(right.status, 200)
    assert.match(right.text, /zgk_[0-9A-Za-z]{49}/)
    assert.match(right.text, /<span class="below">invoices:write<\/span>/)
    assert.equal((await visitor.request('POST /webhook/rotate-secret', {})).status, 200)
    const [key] = (await call(harness, 'GET /v1/account/api-keys', { token })).body
    await expireRecentAuth(harness, token)
    assert.equal((await visitor.request(`POST /api-keys/${key.id}/revoke`, {})).status, 403)
    assert.equal((await call(harness, 'GET /v1/account/api-keys', { token })).body[0].revoked_at, null)
  })

  test('the owner gets an email about every change to keys, secrets and the webhook, on pages or over the API', async () => {
    const email = 'notified@example.org'
    const { visitor, token } = await signedIn(email)
    const api = (line: string, json?: unknown) =>
      call(harness, line, { token, ...(json === undefined ? {} : { json }) })
    await visitor.request('POST /viewing-key', { viewing_key: harness.sandbox.demoViewingKey })
    await mailed(email, /viewing key was set/)
    const { body: key } = await api('POST /v1/account/api-keys', { name: 'till', scopes: ['invoices:read'] })
    assert.match((await mailed(email, /API key was created/)).text, /: till \(invoices:read\)\./)
    await api(`DELETE /v1/account/api-keys/${key.id}`)
    await mailed(email, /API key was revoked/)
    await api('PUT /v1/account/webhook', { url: 'http://127.0.0.1:9/path?token=hidden' })
    const mail = await mailed(email, /webhook URL was set/)
    assert.match(mail.text, /127\.0\.0\.1:9\./)
    assert.ok(mail.text.includes(harness.url))
    assert.ok(!mail.text.includes('hidden'))
    await visitor.request('POST /webhook/rotate-secret', {})
    await mailed(email, /secret was rotated/)
    await visitor.request('POST /webhook/remove', {})
    await mailed(email, /webhook was removed/)
    await visitor.request('POST /sessions', { label: 'nightly' })
    assert.match((await mailed(email, /session token was issued/)).text, /: nightly\./)
  })

  test('a session can end another one, whose pages then require sign-in', async () => {
    const first = await signedIn('two@example.org')
    const second = await signedIn('two@example.org')
    const [, old] = (await call(harness, 'GET /v1/account/sessions', { token: second.token })).body
    assert.equal((await second.visitor.request(`POST /sessions/${old.id}/end`, {})).status, 303)
    assert.equal((await first.visitor.request('GET /overview')).status, 401)
    assert.equal((await second.visitor.request('GET /overview')).status, 200)
  })

  test('the code limit shows a page and sends Retry-After', async () => {
    const visitor = new Visitor(harness)
    for (let i = 0; i < 10; i++)
      assert.equal((await visitor.request('POST /sign-in', { email: 'much@example.org' })).status, 303)
    const { status, headers, text } = await visitor.request('POST /sign-in', { email: 'much@example.org' })
    assert.equal(status, 429)
    assert.equal(headers.get('retry-after'), '3600')
    assert.match(text, /Too many/)
  })

  test('an invoice is created by hand, found by id, address and transaction, and filtered by status and day', async () => {
    const { visitor, token } = await signedIn('list@example.org')
    await visitor.request('POST /viewing-key', { viewing_key: harness.sandbox.demoViewingKey })
    for (const amount of ['', '0', 'x', '21000001'])
      assert.equal((await visitor.request('POST /invoices', { amount })).status, 400)
    const { headers } = await visitor.request('POST /invoices', { amount: '0.5', expires_in_secs: '3600' })
    const id = (headers.get('location') as string).split('/').at(-1) as string
    await visitor.request('POST /invoices', { amount: '0.75' })
    assert.equal((await visitor.request(`POST /invoices/${id}/sandbox-payment`, {})).status, 303)
    const invoice = await until('the payment', async () => {
      const { body } = await call(harness, `GET /v1/invoices/${id}`)
      return body.txid !== null && body
    })
    const today = new Date().toISOString().slice(0, 10)
    const shows = async (query: string) => {
      const { text } = await visitor.request(`GET /invoices?${query}`)
      return [...text.matchAll(/href="\/invoices\/([0-9a-f-]{36})"/g)].map(match => match[1])
    }
    for (const q of [
      id,
      id.slice(0, 8),
      id.toUpperCase(),
      invoice.address,
      invoice.zip321_uri,
      invoice.txid,
      invoice.txid.slice(0, 10),
    ])
      assert.deepEqual(await shows(`q=${encodeURIComponent(q)}`), [id], q)
    for (const q of ['ffff', id.slice(0, 5), `${invoice.address}x`, 'zzzzzzzz', "' OR 1=1 --", '%'])
      assert.deepEqual(await shows(`q=${encodeURIComponent(q)}`), [], q)
    assert.deepEqual(await shows('status=detected'), [id])
    assert.equal((await shows(`from=${today}&to=${today}`)).length, 2)
    assert.deepEqual(await shows('to=2020-01-01'), [])
    assert.equal((await call(harness, 'GET /v1/account/invoices', { token })).body.length, 2)
  })
})

test('with closed registration, a known and an unknown email get the same responses', async () => {
  const harness = await startSandboxService({ env: { REGISTRATION: 'closed' } })
  try {
    await harness.service.accounts.findOrCreate('known@example.org')
    const seen = []
    for (const email of ['known@example.org', 'unknown@example.org']) {
      const visitor = new Visitor(harness)
      const asked = await visitor.request('POST /sign-in', { email })
      const form = await visitor.request('GET /sign-in/code')
      const refused = await visitor.request('POST /sign-in/code', { code: 'abc' })
      const names = [...asked.headers.keys()].filter(name => name !== 'date')
      seen.push([
        asked.status,
        asked.text,
        names,
        asked.headers.get('location'),
        form.status,
        form.text,
        refused.status,
        refused.text,
      ])
    }
    assert.deepEqual(seen[0], seen[1])
    await harness.codeFor('known@example.org')
    assert.deepEqual(harness.sandbox.mailbox.mails('unknown@example.org'), [])
  } finally {
    await harness.close()
  }
})
