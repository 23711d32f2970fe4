import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { GUIDES, guidePath } from '../../src/web/guides.ts'
import { call } from '../harness/http-call.ts'
import { registeredPages } from '../harness/registered-pages.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { type Merchant, openMerchant } from './accounts.ts'
import { visit } from './visit.ts'

interface Row {
  /** The value for `{id}` or `:id`: a record of the given account. */
  readonly id?: (owner: Merchant) => string
  /** Query strings that name a record of the given account. */
  readonly queries?: (owner: Merchant) => readonly string[]
  /** A body that would be valid for an own record. */
  readonly body?: (self: Merchant) => Record<string, unknown>
  /** The status of the owner's request when it cannot be valid here. */
  readonly status?: number
}

const ASKED = 'permissions=btcpay.store.canviewinvoices'
const LINK_FORM = { title: 'mine', currency: 'EUR', kind: 'open' }

/** Every session endpoint of the API. */
const ENDPOINTS: Readonly<Record<string, Row>> = {
  'GET /v1/account': {},
  'PATCH /v1/account': { body: () => ({ confirmations: 7 }) },
  'GET /v1/account/store': {},
  'PATCH /v1/account/store': { body: () => ({ name: 'mine' }) },
  'PUT /v1/account/store/logo': { body: () => ({}), status: 400 },
  'DELETE /v1/account/store/logo': {},
  'PUT /v1/account/viewing-key': { body: self => ({ viewing_key: self.viewingKey }) },
  'GET /v1/invoices': { queries: ({ ids }) => [`?before=${ids.invoice}`, '?status=pending,paid'] },
  'GET /v1/account/invoices': { queries: ({ ids }) => [`?before=${ids.invoice}`, '?limit=200'] },
  'POST /v1/invoices/{id}/cancel': { id: ({ ids }) => ids.invoice },
  'POST /v1/invoices/{id}/mark': { id: ({ ids }) => ids.invoice, body: () => ({ as: 'invalid' }) },
  'POST /v1/links': { body: () => ({ title: 'mine', currency: 'EUR' }) },
  'GET /v1/links': { queries: ({ ids }) => [`?before=${ids.link}`] },
  'GET /v1/links/{id}': { id: ({ ids }) => ids.link },
  'PATCH /v1/links/{id}': { id: ({ ids }) => ids.link, body: () => ({ paused: true }) },
  'GET /v1/account/api-keys': { queries: ({ ids }) => [`?before=${ids.apiKey}`] },
  'POST /v1/account/api-keys': { body: () => ({ name: 'mine' }) },
  'DELETE /v1/account/api-keys/{id}': { id: ({ ids }) => ids.apiKey },
  'POST /v1/auth/logout': {},
  'GET /v1/account/sessions': { queries: ({ ids }) => [`?before=${ids.session}`] },
  'DELETE /v1/account/sessions/{id}': { id: ({ ids }) => ids.session },
  'GET /v1/account/webhook': {},
  'PUT /v1/account/webhook': { body: () => ({ url: 'http://127.0.0.1:9/mine' }) },
  'DELETE /v1/account/webhook': {},
  'POST /v1/account/webhook/rotate-secret': {},
  'POST /v1/account/webhook/test': {},
  'GET /v1/account/webhook/deliveries': {
    queries: ({ ids }) => [`?before=${ids.attempt}`, `?invoice_id=${ids.invoice}`],
  },
  'POST /v1/account/webhook/deliveries/{delivery_id}/resend': { id: ({ ids }) => ids.delivery },
  'GET /v1/account/events': {},
  'GET /v1/account/endpoints': {},
  'POST /v1/account/endpoints': { body: () => ({ url: 'http://127.0.0.1:9/mine' }) },
  'GET /v1/account/endpoints/{id}': { id: ({ ids }) => ids.endpoint },
  'PATCH /v1/account/endpoints/{id}': { id: ({ ids }) => ids.endpoint, body: () => ({ enabled: false }) },
  'POST /v1/account/endpoints/{id}/rotate-secret': { id: ({ ids }) => ids.endpoint, body: () => ({}) },
  'POST /v1/account/endpoints/{id}/test': { id: ({ ids }) => ids.endpoint },
  'POST /v1/account/endpoints/{id}/recover': {
    id: ({ ids }) => ids.endpoint,
    body: () => ({ since: Math.floor(Date.now() / 1000) }),
  },
  'DELETE /v1/account/endpoints/{id}': { id: ({ ids }) => ids.endpoint },
  'GET /v1/account/billing': {},
  'POST /v1/account/billing/subscribe': { body: () => ({ plan: 'Pro' }) },
  'GET /v1/account/withdrawals': { queries: ({ ids }) => [`?before=${ids.withdrawal}`] },
  'POST /v1/account/withdrawals': {
    body: () => ({ amount_zat: 5_000_000, fiat_currency: 'EUR', payout_to: 'IBAN of mine' }),
  },
  'GET /v1/account/withdrawals/{id}': { id: ({ ids }) => ids.withdrawal },
  'POST /v1/account/withdrawals/{id}/cancel': { id: ({ ids }) => ids.withdrawal },
  'POST /v1/account/invoices/{id}/refunds': { id: ({ ids }) => ids.invoice, body: () => ({ amount_zat: 1 }) },
  'GET /v1/account/invoices/{id}/refunds': { id: ({ ids }) => ids.invoice },
  'GET /v1/account/refunds': { queries: ({ ids }) => [`?before=${ids.refund}`, '?status=awaiting_address'] },
  'GET /v1/account/refunds/{id}': { id: ({ ids }) => ids.refund },
  'POST /v1/account/refunds/payment-request': { body: self => ({ ids: [self.ids.refund] }) },
  'POST /v1/account/refunds/{id}/sent': { id: ({ ids }) => ids.refund, body: () => ({ txid: 'ab'.repeat(32) }) },
  'POST /v1/account/refunds/{id}/cancel': { id: ({ ids }) => ids.refund },
  'GET /v1/account/refunds/export': {
    queries: () => ['?format=csv', '?format=json', '?format=json&from=0&to=4000000000'],
  },
  'GET /v1/account/export': { queries: () => ['?format=csv', '?format=json', '?format=json&from=0&to=4000000000'] },
}

/** Every page that belongs to an account. */
const PAGES: Readonly<Record<string, Row>> = {
  'GET /overview': {},
  'GET /invoices': {
    queries: ({ ids, account }) => [
      `?q=${ids.invoice}`,
      `?q=${ids.invoice.slice(0, 8)}`,
      `?before=${ids.invoice}`,
      '?status=pending',
      `?q=${account.email}`,
    ],
  },
  'GET /invoices/new': {},
  'POST /invoices': { body: () => ({ amount: '1' }) },
  'GET /invoices/:id': { id: ({ ids }) => ids.invoice },
  'POST /invoices/:id/cancel': { id: ({ ids }) => ids.invoice },
  'POST /invoices/:id/sandbox-payment': { id: ({ ids }) => ids.invoice },
  'GET /invoices/:id/refund': { id: ({ ids }) => ids.invoice },
  'POST /invoices/:id/refund': { id: ({ ids }) => ids.invoice, body: () => ({ part: 'all' }), status: 400 },
  'GET /refunds': { queries: ({ ids }) => [`?before=${ids.refund}`, '?status=awaiting_address'] },
  'GET /refunds/:id': { id: ({ ids }) => ids.refund },
  'POST /refunds/pay': { body: self => ({ [`refund-${self.ids.refund}`]: '1' }) },
  'POST /refunds/sent': { body: self => ({ [`refund-${self.ids.refund}`]: '1', txid: 'ab'.repeat(32) }) },
  'POST /refunds/:id/sent': { id: ({ ids }) => ids.refund, body: () => ({ txid: 'ab'.repeat(32) }) },
  'POST /refunds/:id/cancel': { id: ({ ids }) => ids.refund },
  'GET /links': { queries: ({ ids }) => [`?before=${ids.link}`] },
  'GET /links/new': {},
  'POST /links': { body: () => LINK_FORM },
  'GET /links/:id': { id: ({ ids }) => ids.link },
  'POST /links/:id': { id: ({ ids }) => ids.link, body: () => LINK_FORM },
  'POST /links/:id/pause': { id: ({ ids }) => ids.link },
  'POST /links/:id/resume': { id: ({ ids }) => ids.link },
  'POST /links/:id/keypad': { id: ({ ids }) => ids.link },
  'POST /links/:id/keypad/revoke': { id: ({ ids }) => ids.link },
  'GET /api-keys': { queries: ({ ids }) => [`?before=${ids.apiKey}`] },
  'POST /api-keys': { body: () => ({ name: 'mine' }) },
  'POST /api-keys/:id/revoke': { id: ({ ids }) => ids.apiKey },
  'GET /api-keys/authorize': { queries: () => [`?${ASKED}`] },
  'GET /api-keys/authorize/': { queries: () => [`?${ASKED}`] },
  // The form of another session. The token of the own one is tested in authorize.test.ts.
  'POST /api-keys/authorize': { body: () => ({ token: 'x' }), status: 403 },
  'POST /api-keys/authorize/': { body: () => ({ token: 'x' }), status: 403 },
  'GET /activity': { queries: () => ['?before=1000000', '?before=x'] },
  'GET /viewing-key': {},
  'POST /viewing-key': { body: self => ({ viewing_key: self.viewingKey }) },
  'GET /store': {},
  'POST /store': { body: () => ({ name: 'mine' }) },
  'POST /store/logo': { status: 400 },
  'POST /store/logo/remove': {},
  'POST /store/terms': { body: () => ({ confirmations: '9', tolerance: '0' }) },
  'POST /confirmations': { body: () => ({ confirmations: '9' }) },
  'GET /webhook': {
    queries: ({ ids }) => [`?before=${ids.delivery}`, `?endpoint=${ids.endpoint}`, '?show=failed&type=test&order=1'],
  },
  'POST /webhook': { body: () => ({ url: 'http://127.0.0.1:9/mine' }) },
  'POST /webhook/rotate-secret': {},
  'POST /webhook/test': {},
  'POST /webhook/remove': {},
  'POST /webhook/resend-failed': {},
  'POST /webhook/deliveries/:id/resend': { id: ({ ids }) => ids.delivery },
  'GET /webhook/attempts/:id': { id: ({ ids }) => ids.attempt },
  'GET /webhook/endpoints/new': {},
  'POST /webhook/endpoints': { body: () => ({ url: 'http://127.0.0.1:9/mine', 'type-invoice.paid': '1' }) },
  'GET /webhook/endpoints/:id': { id: ({ ids }) => ids.endpoint },
  'POST /webhook/endpoints/:id': {
    id: ({ ids }) => ids.endpoint,
    body: () => ({ url: 'http://127.0.0.1:9/mine', 'type-invoice.paid': '1' }),
  },
  'POST /webhook/endpoints/:id/resume': { id: ({ ids }) => ids.endpoint, body: () => ({ recover: '1' }) },
  'POST /webhook/endpoints/:id/test': { id: ({ ids }) => ids.endpoint },
  'POST /webhook/endpoints/:id/recover': {
    id: ({ ids }) => ids.endpoint,
    body: () => ({ since: new Date().toISOString().slice(0, 10) }),
  },
  'POST /webhook/endpoints/:id/rotate-secret': { id: ({ ids }) => ids.endpoint },
  'POST /webhook/endpoints/:id/disable': { id: ({ ids }) => ids.endpoint },
  'POST /webhook/endpoints/:id/remove': { id: ({ ids }) => ids.endpoint },
  'GET /sessions': { queries: ({ ids }) => [`?before=${ids.session}`] },
  'POST /sessions': { body: () => ({ label: 'mine' }) },
  'POST /sessions/:id/end': { id: ({ ids }) => ids.session },
  'POST /sessions/end-all': {},
  'POST /sessions/forget-browsers': {},
  'GET /account': {},
  'POST /account/email': { body: () => ({ email: 'new-address@example.org' }) },
  'GET /account/email': {},
  'POST /account/email/code': { body: () => ({ present_code: '0123456789', new_code: '0123456789' }), status: 400 },
  'POST /account/delete': { body: self => ({ confirm_email: self.account.email }) },
  'POST /account/keep': {},
  'GET /export': { queries: () => ['?kind=refunds'] },
  'GET /events': { queries: () => ['?before=9', '?after=1', '?type=test'] },
  // A number is one of the own events of each account: `event-pages.test.ts` reads the same number of two.
  'GET /events/:id': { id: () => '999999', status: 404 },
  // The form of another session. The token of the own one is tested in export.test.ts.
  'POST /export/download': { body: () => ({ format: 'csv', token: 'x' }), status: 403 },
  // An invoice that buys no plan is not in this list.
  'GET /billing': { queries: ({ ids }) => [`?before=${ids.invoice}`], status: 400 },
  'POST /billing': { body: () => ({ plan: 'Pro' }) },
  'GET /withdrawals': { queries: ({ ids }) => [`?before=${ids.withdrawal}`] },
  'POST /withdrawals': { body: () => ({ amount: '1', currency: 'EUR', payout_to: 'IBAN of mine' }) },
  'GET /withdrawals/:id': { id: ({ ids }) => ids.withdrawal },
  'POST /withdrawals/:id/cancel': { id: ({ ids }) => ids.withdrawal },
  'POST /withdrawals/:id/sandbox-payment': { id: ({ ids }) => ids.withdrawal },
  'POST /sign-out': {},
}

/** Public pages. The invoice id is the access token for seeing and paying an invoice. */
const OPEN_PAGES = [
  'GET /',
  'GET /sign-in',
  'POST /sign-in',
  'GET /sign-in/code',
  'POST /sign-in/code',
  'GET /sign-in/link/:secret',
  'POST /sign-in/link/:secret',
  'GET /i/:id',
  'GET /i/:id/receipt',
  'POST /i/:id/receipt/mail',
  'GET /i/:id/swap',
  'POST /i/:id/swap',
  'GET /i/:id/embed',
  'GET /i/:id/embed/swap',
  'POST /i/:id/embed/swap',
  'GET /r/:id',
  'POST /r/:id',
  'GET /l/:id',
  'POST /l/:id',
  'GET /l/:id/embed',
  'POST /l/:id/embed',
  'GET /pos/offline',
  'GET /pos/worker.js',
  'GET /pos/:secret',
  'POST /pos/:secret',
  'GET /pos/:secret/sale/:id',
  'GET /pos/:secret/manifest.webmanifest',
  'GET /docs',
  'GET /docs/guides',
  ...Object.keys(GUIDES).map(name => `GET ${guidePath(name)}`),
  'GET /robots.txt',
  'GET /checkout.js',
  'GET /invoice',
  'GET /misc/lang',
  'GET /misc/lang/',
  'GET /modal/btcpay.js',
  'GET /logo/:name',
  'GET /accent/:name',
  'GET /undo-email/:token',
  'POST /undo-email/:token',
]

async function sessionEndpoints(harness: SandboxService): Promise<string[]> {
  const { body } = await call(harness, 'GET /openapi.json')
  const paths = Object.entries(body.paths as Record<string, Record<string, { security?: { sessionAuth?: unknown }[] }>>)
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods)
      // Everyone with the id may read an invoice; `http/routes/sale/terms.test.ts` tests what its owner sees beyond.
      .filter(
        ([, { security = [] }]) =>
          security.some(scheme => scheme.sessionAuth) && security.every(scheme => Object.keys(scheme).length > 0),
      )
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

describe('two accounts', () => {
  let harness: SandboxService
  let seed = 20

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  function merchant(): Promise<Merchant> {
    seed += 1
    return openMerchant(harness, `merchant${seed}`, seed)
  }

  /** Requests a page as the browser of a session does. */
  const page = (line: string, token: string | undefined, body?: Record<string, unknown>) =>
    visit(harness, line, {
      ...(token === undefined ? {} : { cookie: `__Host-zatgate=${token}` }),
      ...(body === undefined ? {} : { form: body as Record<string, string> }),
    })

  const endpoint = (line: string, token: string | undefined, body?: Record<string, unknown>) =>
    call(harness, line, { ...(token === undefined ? {} : { token }), ...(body === undefined ? {} : { json: body }) })

  const interfaces = [
    ['endpoint', ENDPOINTS, endpoint],
    ['page', PAGES, page],
  ] as const

  function pathWith(line: string, id: string): string {
    return line.replace(/\{\w+\}|:id/, id)
  }

  /** All records of the owner as the owner sees them, and the stored webhook with its secret. */
  async function recordsOf({ account }: Merchant, token: string): Promise<unknown> {
    const lists = [
      '',
      '/invoices',
      '/api-keys',
      '/webhook',
      '/webhook/deliveries',
      '/endpoints',
      '/store',
      '/sessions',
      '/withdrawals',
      '/billing',
    ]
    const shown = await Promise.all(
      lists.map(async list =>
        (await call(harness, `GET /v1/account${list}`, { token })).text.replace(/"last_used_at":\w+,?/g, ''),
      ),
    )
    const webhook = await harness.service.store.read(tx => tx.webhooks.byAccount(account.id))
    return [shown, webhook]
  }

  test('every registered endpoint and page is in the tables', async () => {
    assert.deepEqual((await sessionEndpoints(harness)).sort(), Object.keys(ENDPOINTS).sort())
    const pages = [...Object.keys(PAGES).map(line => [line, 'cookie']), ...OPEN_PAGES.map(line => [line, 'public'])]
    assert.deepEqual(Object.fromEntries(await registeredPages()), Object.fromEntries(pages))
  })

  for (const [kind, table, send] of interfaces) {
    test(`a missing, malformed, expired or ended token and an API key get 401 from every ${kind}`, async () => {
      const owner = await merchant()
      const refused = [
        ['missing session token', undefined],
        ['bad session token', await owner.expiredToken()],
        ['bad session token', await owner.endedToken()],
        ['bad session token', owner.apiKey],
        ['bad session token', 'zgs_nonsense'],
        ['bad session token', `zgs_${'a'.repeat(49)}`],
        ['bad session token', `${await owner.token()}x`],
      ] as const
      for (const [line, row] of Object.entries(table)) {
        const path = row.id ? pathWith(line, row.id(owner)) : line
        for (const [message, token] of refused) {
          const response = await send(path, token, row.body?.(owner))
          assert.equal(response.status, 401, `${line} with ${token?.slice(0, 4) ?? 'nothing'}`)
          if (kind === 'endpoint') assert.equal(response.body.message, message, line)
          else assert.match(response.text, /<h1>Sign in<\/h1>/)
        }
      }
    })

    test(`another account can neither read nor change the owner's records through any ${kind}`, async () => {
      const owner = await merchant()
      const stranger = await merchant()
      const own = await owner.token()
      const before = await recordsOf(owner, own)
      for (const [line, row] of Object.entries(table)) {
        const queries = row.queries ? ['', ...row.queries(owner)] : ['']
        for (const query of queries) {
          const response = await send(
            (row.id ? pathWith(line, row.id(owner)) : line) + query,
            await stranger.token(),
            row.body?.(stranger),
          )
          if (row.id) assert.equal(response.status, 404, line)
          assert.ok(response.status < 500 && response.status !== 401, `${line}${query}: ${response.status}`)
          const input = decodeURIComponent(query)
          for (const trace of owner.traces().filter(text => !input.includes(text)))
            assert.ok(!response.text.includes(trace), `${line}${query} shows ${trace}`)
        }
      }
      assert.deepEqual(await recordsOf(owner, own), before)
      const invoice = { amount_zat: 1_000 }
      assert.equal((await call(harness, 'POST /v1/invoices', { token: owner.apiKey, json: invoice })).status, 200)
    })

    test(`the owner's token is accepted by every ${kind}`, async () => {
      const owner = await merchant()
      for (const [line, row] of Object.entries(table)) {
        const path = row.id ? pathWith(line, row.id(owner)) : line
        const response = await send(path + (row.queries?.(owner)[0] ?? ''), await owner.token(), row.body?.(owner))
        const accepted = row.status === undefined ? [200, 202, 204, 303, 409] : [row.status]
        assert.ok(accepted.includes(response.status), `${line}: ${response.status} ${response.text.slice(0, 200)}`)
      }
    })
  }
})
