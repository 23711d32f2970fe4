import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Permission } from '../../../src/domain/account/permission.ts'
import { startTestApi } from '../../harness/api.ts'
import { conforms } from '../../harness/greenfield.ts'
import { greenfieldClient, pluginKey } from '../../harness/greenfield-client.ts'

const api = await startTestApi()
const merchant = await api.merchant()
const ask = await greenfieldClient(api, merchant)
after(() => api.close())

const ASKED = [
  'btcpay.store.webhooks.canmodifywebhooks',
  'btcpay.store.canviewinvoices',
  'btcpay.store.cancreateinvoice',
] as const satisfies readonly Permission[]

test('a key is shown with exactly the permissions that were asked for, each with its store', async () => {
  const token = await pluginKey(api, merchant, ASKED)
  const { body } = await ask('GET /api/v1/api-keys/current', { token })
  conforms('ApiKeyData', body)
  assert.deepEqual(body, {
    apiKey: token,
    label: 'shop',
    permissions: ASKED.map(name => `${name}:${merchant.account.publicId}`),
  })
  assert.match(token, /^[A-Za-z0-9_-]+$/)
})

test('a key revokes itself, by either path, and no other', async () => {
  for (const pathOf of [() => 'current', (token: string) => token]) {
    const [token, other] = [await pluginKey(api, merchant, ASKED), await pluginKey(api, merchant, ASKED)]
    assert.equal((await ask(`DELETE /api/v1/api-keys/${other}`, { token })).status, 404)
    assert.equal((await ask(`DELETE /api/v1/api-keys/${pathOf(token)}`, { token })).text, '')
    assert.equal((await ask('GET /api/v1/api-keys/current', { token })).status, 401)
    assert.equal((await ask('GET /api/v1/api-keys/current', { token: other })).status, 200)
  }
})
