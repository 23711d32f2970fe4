import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { SCOPE_NAMES, type Scope } from '../../../src/domain/account/api-key.ts'
import { grants, PERMISSION_NAMES, type Permission } from '../../../src/domain/account/permission.ts'
import { startTestApi } from '../../harness/api.ts'
import { call } from '../../harness/http-call.ts'

/** The permissions of each route, of which one suffices, or `public`. Those with a slash at the end have the same. */
const EXPECTED: Readonly<Record<string, string>> = {
  'GET /api/*': 'public',
  'POST /api/*': 'public',
  'PUT /api/*': 'public',
  'PATCH /api/*': 'public',
  'DELETE /api/*': 'public',
  'GET /api/v1/health': 'public',
  'GET /api/v1/server/info': '',
  'GET /api/v1/api-keys/current': '',
  'DELETE /api/v1/api-keys/current': '',
  'DELETE /api/v1/api-keys/:apiKey': '',
  'GET /api/v1/stores': 'canviewstoresettings',
  'GET /api/v1/stores/:storeId': 'canviewstoresettings',
  'GET /api/v1/stores/:storeId/payment-methods': 'canviewstoresettings',
  'GET /api/v1/stores/:storeId/payment-methods/:method': 'canviewstoresettings',
  'GET /api/v1/stores/:storeId/payment-methods/OnChain': 'canviewstoresettings',
  'GET /api/v1/stores/:storeId/payment-methods/LightningNetwork': 'canviewstoresettings',
  'GET /api/v1/stores/:storeId/rates': 'canviewstoresettings',
  'POST /api/v1/stores/:storeId/invoices': 'cancreateinvoice',
  'GET /api/v1/stores/:storeId/invoices': 'canviewinvoices',
  'GET /api/v1/stores/:storeId/webhooks': 'webhooks.canmodifywebhooks',
  'POST /api/v1/stores/:storeId/webhooks': 'webhooks.canmodifywebhooks',
  'POST /api/v1/stores/:storeId/pull-payments': 'cancreatenonapprovedpullpayments cancreatepullpayments',
  'GET /api/v1/stores/:storeId/pull-payments':
    'canviewpullpayments cancreatenonapprovedpullpayments cancreatepullpayments',
  'GET /api/v1/pull-payments/:pullPaymentId': 'public',
  ...withUnnested({
    'GET /invoices/:invoiceId': 'canviewinvoices',
    'PUT /invoices/:invoiceId': 'canmodifyinvoices',
    'DELETE /invoices/:invoiceId': 'canmodifyinvoices',
    'POST /invoices/:invoiceId/unarchive': 'canmodifyinvoices',
    'POST /invoices/:invoiceId/status': 'canmodifyinvoices',
    'GET /invoices/:invoiceId/payment-methods': 'canviewinvoices',
    'POST /invoices/:invoiceId/payment-methods/:method/activate': 'canviewinvoices',
    'POST /invoices/:invoiceId/refund': 'cancreatenonapprovedpullpayments cancreatepullpayments',
    'GET /invoices/:invoiceId/refund/:method': 'cancreatenonapprovedpullpayments cancreatepullpayments',
    'DELETE /pull-payments/:pullPaymentId': 'canarchivepullpayments',
    'GET /webhooks/:webhookId': 'webhooks.canmodifywebhooks',
    'PUT /webhooks/:webhookId': 'webhooks.canmodifywebhooks',
    'DELETE /webhooks/:webhookId': 'webhooks.canmodifywebhooks',
    'GET /webhooks/:webhookId/deliveries': 'webhooks.canmodifywebhooks',
    'GET /webhooks/:webhookId/deliveries/:deliveryId': 'webhooks.canmodifywebhooks',
    'GET /webhooks/:webhookId/deliveries/:deliveryId/request': 'webhooks.canmodifywebhooks',
    'POST /webhooks/:webhookId/deliveries/:deliveryId/redeliver': 'webhooks.canmodifywebhooks',
  }),
}

/** Routes that exist within a store and alone. */
function withUnnested(routes: Readonly<Record<string, string>>): Record<string, string> {
  const both = Object.entries(routes).flatMap(([line, access]) =>
    ['/api/v1/stores/:storeId/', '/api/v1/'].map(prefix => [line.replace(' /', ` ${prefix}`), access]),
  )
  return Object.fromEntries(both)
}

const api = await startTestApi()
after(() => api.close())

/** Without those for HEAD and for preflights. */
const routes = [...api.routes].filter(([line]) => line.includes(' /api/') && !/^(?:HEAD|OPTIONS) /.test(line))

const shortName = (name: string) => name.replace('btcpay.store.', '')

test('each route declares the permissions of the table', () => {
  const declared = routes.map(([line, access]) => {
    const isKnown = typeof access === 'object' && 'permissions' in access
    return [line, isKnown ? access.permissions.map(shortName).join(' ') : access]
  })
  const ofPath = (endsWithSlash: boolean) =>
    Object.fromEntries(declared.filter(([line]) => (line as string).endsWith('/') === endsWithSlash))
  assert.deepEqual(ofPath(false), EXPECTED)
  const withSlash = Object.entries(EXPECTED).flatMap(([line, access]) =>
    line.endsWith('*') ? [] : [[`${line}/`, access]],
  )
  assert.deepEqual(ofPath(true), Object.fromEntries(withSlash))
})

test('a route takes the keys that its permission is granted to, and no other credential', async () => {
  const { account, apiKey, sessionToken } = await api.merchant()
  const keyOf = async (scope: Scope) => {
    const rights = { scopes: [scope], expiresAt: null, addresses: null }
    return (await api.apiKeys.create(account, 'matrix', undefined, rights)).key
  }
  const others = ['x', apiKey, sessionToken, ...(await Promise.all(SCOPE_NAMES.map(keyOf)))]
  const single = await Promise.all(PERMISSION_NAMES.map(async name => [name, await keyOf(name)] as const))
  for (const [line, rule] of Object.entries(EXPECTED)) {
    if (rule === 'public') continue
    const needed = rule === '' ? [] : rule.split(' ').map(name => `btcpay.store.${name}` as Permission)
    const request = line.replace(':storeId', account.publicId).replace(/:\w+/g, randomUUID())
    assert.equal((await call(api, request)).status, 401, line)
    for (const token of others) assert.ok([401, 403].includes((await call(api, request, { token })).status), line)
    // A key that revokes itself would be missing in the lines that follow.
    if (line === 'DELETE /api/v1/api-keys/current') continue
    for (const [name, token] of single) {
      const isGranted = needed.length === 0 || needed.some(permission => grants([name], permission))
      const { status, body } = await call(api, request, { token })
      assert.equal(status === 403, !isGranted, `${line} with ${name}`)
      if (!isGranted) assert.equal(body.missingPermission, needed[0], line)
    }
  }
})

test('a permission includes the smaller ones, and no larger one', () => {
  const includedIn = (name: Permission) => PERMISSION_NAMES.filter(other => grants([name], other)).map(shortName)
  assert.deepEqual(includedIn('btcpay.store.canviewinvoices'), ['canviewinvoices'])
  assert.deepEqual(includedIn('btcpay.store.canmodifyinvoices'), [
    'canviewinvoices',
    'cancreateinvoice',
    'canmodifyinvoices',
  ])
  assert.deepEqual(includedIn('btcpay.store.canmodifystoresettings'), PERMISSION_NAMES.map(shortName))
})
