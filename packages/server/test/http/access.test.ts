import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { SCOPE_NAMES, type Scope } from '../../src/domain/account/api-key.ts'
import { type Access, requireAccess } from '../../src/http/access.ts'
import { createApp } from '../../src/http/create-app.ts'
import { type Merchant, startTestApi } from '../harness/api.ts'
import { call, type TestResponse } from '../harness/http-call.ts'
import { ManualClock } from '../harness/manual-clock.ts'

/**
 * Who may use each route. `key` is a key without scopes, `recent` a session with a recent code; `public+` shows more to
 * those that follow. A change here is a change of who can do what.
 */
const EXPECTED: Readonly<Record<string, string>> = {
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'metrics-token',
  'GET /openapi.json': 'public',
  'POST /v1/invoices': 'key invoices:create',
  'GET /v1/invoices': 'session invoices:read',
  'GET /v1/invoices/:id': 'public+ session invoices:read',
  'GET /v1/invoices/:id/ws': 'public',
  'GET /i/:id/ws': 'public',
  'POST /v1/invoices/:id/cancel': 'session invoices:write',
  'POST /v1/invoices/:id/mark': 'session invoices:write',
  'POST /v1/invoices/:id/swap': 'public',
  'GET /v1/swap/assets': 'public',
  'GET /v1/rates': 'public',
  'GET /v1/plans': 'public',
  'GET /v1/refunds/:link': 'public',
  'PUT /v1/refunds/:link/address': 'public',
  'POST /v1/links': 'session links:write',
  'GET /v1/links': 'session links:read links:write',
  'GET /v1/links/:id': 'session links:read links:write',
  'PATCH /v1/links/:id': 'session links:write',
  'GET /v1/account': 'session',
  'PATCH /v1/account': 'session',
  'GET /v1/account/store': 'session',
  'PATCH /v1/account/store': 'session',
  'PUT /v1/account/store/logo': 'session',
  'DELETE /v1/account/store/logo': 'session',
  'PUT /v1/account/viewing-key': 'recent',
  'GET /v1/account/invoices': 'session',
  'POST /v1/account/invoices/:id/refunds': 'session refunds:write',
  'GET /v1/account/invoices/:id/refunds': 'session refunds:write invoices:read',
  'GET /v1/account/refunds': 'session refunds:write invoices:read',
  'GET /v1/account/refunds/:id': 'session refunds:write invoices:read',
  'POST /v1/account/refunds/payment-request': 'session refunds:write',
  'POST /v1/account/refunds/:id/sent': 'session refunds:write',
  'POST /v1/account/refunds/:id/cancel': 'session refunds:write',
  'GET /v1/account/refunds/export': 'session',
  'GET /v1/account/export': 'session',
  'GET /v1/account/api-keys': 'session',
  'POST /v1/account/api-keys': 'recent',
  'DELETE /v1/account/api-keys/:id': 'recent',
  'GET /v1/account/sessions': 'session',
  'DELETE /v1/account/sessions/:id': 'session',
  'POST /v1/auth/logout': 'session',
  'GET /v1/account/webhook': 'session',
  'PUT /v1/account/webhook': 'recent',
  'DELETE /v1/account/webhook': 'recent',
  'POST /v1/account/webhook/rotate-secret': 'recent',
  'POST /v1/account/webhook/test': 'session webhooks:write',
  'GET /v1/account/webhook/deliveries': 'session webhooks:write',
  'POST /v1/account/webhook/deliveries/:delivery_id/resend': 'session webhooks:write',
  'GET /v1/account/endpoints': 'session webhooks:write',
  'POST /v1/account/endpoints': 'recent webhooks:write',
  'GET /v1/account/endpoints/:id': 'session webhooks:write',
  'PATCH /v1/account/endpoints/:id': 'recent webhooks:write',
  'DELETE /v1/account/endpoints/:id': 'recent webhooks:write',
  'POST /v1/account/endpoints/:id/rotate-secret': 'recent webhooks:write',
  'POST /v1/account/endpoints/:id/test': 'session webhooks:write',
  'POST /v1/account/endpoints/:id/recover': 'session webhooks:write',
  'GET /v1/account/events': 'session events:read',
  'GET /v1/account/billing': 'session',
  'POST /v1/account/billing/subscribe': 'session',
  'GET /v1/account/withdrawals': 'session withdrawals:read',
  'POST /v1/account/withdrawals': 'recent',
  'GET /v1/account/withdrawals/:id': 'session withdrawals:read',
  'POST /v1/account/withdrawals/:id/cancel': 'session',
}

/** Any method, always 410. */
const REMOVED = ['/v1/auth/signup', '/v1/auth/login']

/** A body that is valid for every account, of routes that have a valid one. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/account/invoices/:id/refunds': { amount_zat: 1 },
  'POST /v1/invoices/:id/mark': { as: 'settled' },
  'POST /v1/account/refunds/:id/sent': { txid: 'ab'.repeat(32) },
  'PATCH /v1/account/endpoints/:id': {},
  'POST /v1/links': { title: 'T-shirt', currency: 'EUR', amount: '25.00' },
  'PATCH /v1/links/:id': {},
  'PATCH /v1/account/store': {},
  'POST /v1/account/endpoints/:id/rotate-secret': {},
  'POST /v1/account/endpoints/:id/recover': { since: Math.floor(new ManualClock().nowMs() / 1000) },
}

/** The lines of routes where the id of another account is a 404. */
const IDS: Readonly<Record<string, keyof Records>> = {
  'POST /v1/invoices/:id/cancel': 'invoice',
  'POST /v1/invoices/:id/mark': 'invoice',
  'POST /v1/account/invoices/:id/refunds': 'invoice',
  'GET /v1/account/invoices/:id/refunds': 'invoice',
  'GET /v1/account/refunds/:id': 'refund',
  'GET /v1/links/:id': 'link',
  'PATCH /v1/links/:id': 'link',
  'POST /v1/account/refunds/:id/sent': 'refund',
  'POST /v1/account/refunds/:id/cancel': 'refund',
  'DELETE /v1/account/api-keys/:id': 'apiKey',
  'DELETE /v1/account/sessions/:id': 'session',
  'POST /v1/account/webhook/deliveries/:delivery_id/resend': 'delivery',
  'GET /v1/account/endpoints/:id': 'endpoint',
  'PATCH /v1/account/endpoints/:id': 'endpoint',
  'POST /v1/account/endpoints/:id/rotate-secret': 'endpoint',
  'POST /v1/account/endpoints/:id/test': 'endpoint',
  'POST /v1/account/endpoints/:id/recover': 'endpoint',
  'DELETE /v1/account/endpoints/:id': 'endpoint',
  'GET /v1/account/withdrawals/:id': 'withdrawal',
  'POST /v1/account/withdrawals/:id/cancel': 'withdrawal',
}

const HOME = '192.0.2.1'
const AWAY = '203.0.113.9'
const api = await startTestApi({ settings: { trustProxy: 1 } })
after(() => api.close())

/** The routes of the service without those for HEAD and for preflights, which have the access of the same path, and of BTCPay's API. */
const routes = [...api.routes].filter(([line]) => {
  const [method = '', path = ''] = line.split(' ')
  return !['HEAD', 'OPTIONS'].includes(method) && !REMOVED.includes(path) && !path.startsWith('/api/')
})

function describe(access: Access): string {
  if (access === 'recent-session') return 'recent'
  if (typeof access === 'string') return access
  if ('permissions' in access) return 'permission'
  const or = { 'api-key': 'key', session: 'session', 'recent-session': 'recent', public: 'public+ session' }[access.or]
  return [or, ...access.scopes].join(' ')
}

interface Records {
  readonly invoice: string
  readonly refund: string
  readonly link: string
  readonly apiKey: string
  readonly session: string
  readonly delivery: string
  readonly endpoint: string
  readonly withdrawal: string
}

/** Gives an account one record of each kind. */
async function recordsOf({ account, apiKey, sessionToken: token }: Merchant): Promise<Records> {
  const { body: invoice } = await call(api, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 5 } })
  await call(api, 'PUT /v1/account/webhook', { token, json: { url: 'https://shop.example/' } })
  const { body: delivery } = await call(api, 'POST /v1/account/webhook/test', { token })
  const { body: endpoint } = await call(api, 'POST /v1/account/endpoints', {
    token,
    json: { url: 'https://shop.example/endpoint' },
  })
  const { body: withdrawal } = await call(api, 'POST /v1/account/withdrawals', {
    token,
    json: { amount_zat: 50_000_000, fiat_currency: 'EUR', payout_to: 'DE00 1234' },
  })
  const { body: link } = await call(api, 'POST /v1/links', {
    token,
    json: { title: 'T-shirt', currency: 'EUR', amount: '25.00' },
  })
  const { body: keys } = await call(api, 'GET /v1/account/api-keys', { token })
  const { body: sessions } = await call(api, 'GET /v1/account/sessions', { token })
  const refund = await api.store.write(async tx => {
    const { id: invoiceId } = (await tx.invoices.byPublicId(invoice.id)) ?? assert.fail()
    const row = {
      publicId: randomUUID(),
      linkId: randomUUID(),
      accountId: account.id,
      invoiceId,
      status: 'awaiting_address',
      amountZat: 1n,
      reason: null,
      address: null,
      addressFromBuyer: false,
      createdAt: api.clock.secs,
      updatedAt: api.clock.secs,
    } as const
    return tx.refunds.insert(row, null)
  })
  return {
    invoice: invoice.id,
    refund: refund.publicId,
    link: link.id,
    apiKey: keys[0].id,
    session: sessions[0].id,
    delivery: delivery.delivery_id,
    endpoint: endpoint.id,
    withdrawal: withdrawal.id,
  }
}

async function keyOf({ account }: Merchant, scopes: readonly Scope[], addresses: string[] | null = null) {
  const rights = { scopes, expiresAt: api.clock.secs + 1_000, addresses }
  return api.apiKeys.create(account, 'matrix', undefined, rights)
}

const owner = await api.merchant()
const records = await recordsOf(owner)

/** Requests the route, with the owner's record where it has an id, and without a body that would change anything. */
function request(line: string, token: string | undefined, id = randomUUID() as string): Promise<TestResponse> {
  const json = BODIES[line]
  return call(api, line.replace(/:\w+/, id), {
    ...(token !== undefined && { token }),
    ...(json && { json }),
    headers: { 'x-forwarded-for': HOME },
  })
}

/** The credentials with the kind by which the table names them. */
async function credentials() {
  const spare = await api.merchant()
  const ended = await api.apiKeys.create(spare.account, 'ended', undefined, {
    scopes: SCOPE_NAMES,
    expiresAt: api.clock.secs + 1,
    addresses: null,
  })
  api.clock.advance(1)
  const revoked = await keyOf(spare, SCOPE_NAMES)
  await api.apiKeys.revoke(spare.account, revoked.apiKey.publicId)
  const elsewhere = await keyOf(spare, SCOPE_NAMES, [AWAY])
  const home = await keyOf(spare, SCOPE_NAMES, [HOME])
  const single = await Promise.all(SCOPE_NAMES.map(async scope => [scope, (await keyOf(spare, [scope])).key] as const))
  const others = await Promise.all(
    SCOPE_NAMES.map(async scope => {
      return [
        scope,
        (
          await keyOf(
            spare,
            SCOPE_NAMES.filter(name => name !== scope),
          )
        ).key,
      ] as const
    }),
  )
  return { spare, ended: ended.key, revoked: revoked.key, elsewhere: elsewhere.key, home: home.key, single, others }
}

const refusalOf = ({ status, body }: TestResponse) =>
  status === 401 || body?.code === 'missing_scope' || body?.code === 'address_not_allowed' ? body.code : null

test('each route declares the access of the table, and a route that declares none is refused', () => {
  assert.deepEqual(Object.fromEntries(routes.map(([line, access]) => [line, describe(access)])), EXPECTED)
  for (const [line, access] of api.routes) {
    const [method, path] = line.split(' ')
    if (method === 'HEAD') assert.equal(access, api.routes.get(`GET ${path}`), line)
    if (method === 'OPTIONS') assert.equal(access, 'public', line)
  }
  const app = createApp(false)
  requireAccess(app)
  assert.throws(() => app.get('/new', () => 'ok'), /\/new declares no access/)
})

test('of every route and every kind of credential, those of the table pass and the others are refused with their reason', async () => {
  const { spare, ended, revoked, elsewhere, home, single, others } = await credentials()
  for (const [line, rule] of Object.entries(EXPECTED)) {
    if (rule === 'metrics-token') continue
    const taken = rule.split(' ')
    const has = (name: string) => taken.includes(name)
    const scopes = SCOPE_NAMES.filter(has)
    const [isPublic, takesSession] = [has('public') || has('public+'), has('session') || has('recent')]
    const bad = takesSession ? 'bad_session_token' : 'bad_api_key'
    /** The error for a scoped key that is not in force. */
    const notInForce = (code: string) => (has('public') ? null : scopes.length > 0 ? code : bad)
    const rows: [what: string, token: string | undefined, code: string | null][] = [
      ['nothing', undefined, isPublic ? null : takesSession ? 'missing_session_token' : 'missing_api_key'],
      ['a key without scopes', spare.apiKey, isPublic || has('key') ? null : bad],
      ['an ended key', ended, notInForce('bad_api_key')],
      ['a revoked key', revoked, notInForce('bad_api_key')],
      ['a key from elsewhere', elsewhere, notInForce('address_not_allowed')],
      ['a key with all scopes', home, isPublic || scopes.length > 0 ? null : bad],
      ...single.map(([scope, key]): [string, string, string | null] => [
        `a key with ${scope}`,
        key,
        isPublic || has(scope) ? null : scopes.length > 0 ? 'missing_scope' : bad,
      ]),
      ...others.map(([scope, key]): [string, string, string | null] => [
        `a key without ${scope}`,
        key,
        isPublic || scopes.some(name => name !== scope) ? null : scopes.length > 0 ? 'missing_scope' : bad,
      ]),
      ['no credential of the service', 'x', isPublic ? null : bad],
    ]
    // Last, because it ends a session.
    const { token } = await api.sessions.create(spare.account, 'matrix')
    rows.push(['a session token', token, isPublic || takesSession ? null : bad])
    for (const [what, credential, code] of rows)
      assert.equal(refusalOf(await request(line, credential)), code, `${line} with ${what}`)
  }
})

test('a refusal names the kind of credential that was sent, and what the route takes', async () => {
  const { spare, home } = await credentials()
  const kinds = [
    ['an API key', spare.apiKey, 'key'],
    ['a scoped API key', home, 'scoped'],
    ['a session token', spare.sessionToken, 'session'],
    ['a webhook secret', `whsec_${'A'.repeat(43)}=`, null],
    ['a viewing key', `uview1${'qpzry9x8'.repeat(20)}`, null],
    ['no credential of this service', 'x', null],
  ] as const
  for (const [line, rule] of Object.entries(EXPECTED)) {
    const taken = rule.replace('recent', 'session').split(' ')
    if (taken[0]?.startsWith('public') || rule === 'metrics-token') continue
    const passes = [...taken, ...(taken.length > 1 ? ['scoped'] : [])]
    for (const [noun, token, kind] of kinds) {
      if (kind !== null && passes.includes(kind)) continue
      const { body } = await request(line, token)
      assert.match(
        body.detail,
        new RegExp(`^this is ${noun}; ${line.replaceAll('/', '.')} takes (an API key|a session token)`),
      )
      for (const scope of SCOPE_NAMES.filter(name => taken.includes(name)))
        if (taken.includes('session')) assert.ok(body.detail.includes(scope), `${line}: ${body.detail}`)
    }
  }
})

test('a session and a scoped key of another account get 404 for every id, and lists without its records', async () => {
  const stranger = await api.merchant()
  const { key } = await keyOf(stranger, SCOPE_NAMES)
  const traces = Object.values(records)
  for (const [line, rule] of Object.entries(EXPECTED)) {
    const name = IDS[line]
    const isOfAccount = !rule.startsWith('public') && rule !== 'metrics-token'
    assert.equal(name !== undefined, isOfAccount && line.includes(':'), `${line} has an id of an account`)
    if (!isOfAccount || (name === undefined && !line.startsWith('GET '))) continue
    for (const token of rule.includes(':') ? [stranger.sessionToken, key] : [stranger.sessionToken]) {
      const response = await request(line, token, name && records[name])
      if (name) assert.equal(response.status, 404, line)
      else for (const trace of traces) assert.ok(!response.text.includes(trace), `${line} shows ${trace}`)
    }
  }
  const payment = { token: key, json: { ids: [records.refund] } }
  assert.equal((await call(api, 'POST /v1/account/refunds/payment-request', payment)).status, 404)
})

test('a scoped key of the account reaches its records', async () => {
  const { key } = await keyOf(owner, SCOPE_NAMES)
  for (const [line, name] of Object.entries(IDS)) {
    if (!EXPECTED[line]?.includes(':')) continue
    const { status } = await request(line, key, records[name])
    assert.ok([200, 202, 204, 409].includes(status), `${line}: ${status}`)
  }
  const entries = await api.auditLog.list({ accountId: owner.account.id }, 50)
  const byKey = entries.filter(({ actor }) => actor.by === 'api_key')
  assert.deepEqual([...new Set(byKey.map(({ kind }) => kind))].sort(), [
    'endpoint_changed',
    'endpoint_recovered',
    'endpoint_removed',
    'endpoint_secret_rotated',
    'payment_link_changed',
    'refund_canceled',
  ])
})
