import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AuditKind } from '../../src/domain/account/audit.ts'
import { type Merchant, startTestApi } from '../harness/api.ts'
import { call } from '../harness/http-call.ts'
import { testViewingKey } from '../harness/viewing-key.ts'

const api = await startTestApi()
after(() => api.close())

const ORDER = { amount_zat: 50_000_000, fiat_currency: 'EUR', payout_to: 'DE00 1234' }

/** Every session endpoint that changes the account, in an order in which each succeeds. `{id}`: the last id returned. */
const CHANGES: readonly (readonly [line: string, kind: AuditKind, json?: unknown])[] = [
  ['PATCH /v1/account', 'confirmations_set', { confirmations: 9 }],
  ['PATCH /v1/account', 'tolerance_set', { tolerance_bps: 9 }],
  ['PUT /v1/account/viewing-key', 'viewing_key_set', { viewing_key: testViewingKey(4) }],
  ['POST /v1/account/api-keys', 'api_key_created', { name: 'till' }],
  ['DELETE /v1/account/api-keys/{id}', 'api_key_revoked'],
  ['PUT /v1/account/webhook', 'webhook_url_set', { url: 'https://shop.example/secret-path?token=1' }],
  ['POST /v1/account/webhook/rotate-secret', 'webhook_secret_rotated'],
  ['DELETE /v1/account/webhook', 'webhook_removed'],
  ['POST /v1/account/withdrawals', 'withdrawal_created', ORDER],
  ['POST /v1/account/withdrawals/{id}/cancel', 'withdrawal_canceled'],
  ['POST /v1/auth/logout', 'signed_out'],
]

async function changeEverything(user: Merchant): Promise<string[]> {
  let id = ''
  const texts = []
  for (const [line, , json] of CHANGES) {
    const response = await call(api, line.replace('{id}', id), {
      token: user.sessionToken,
      headers: { 'user-agent': 'curl/8.5.0 (x86_64)' },
      ...(json !== undefined && { json }),
    })
    assert.ok(response.status < 300, `${line}: ${response.text}`)
    texts.push(response.text)
    id = response.body?.id ?? id
  }
  return texts
}

test('every endpoint that changes an account is recorded with session, network and program', async () => {
  const user = await api.merchant()
  const { session } = (await api.sessions.authenticate(user.sessionToken)) ?? assert.fail()
  await changeEverything(user)
  const entries = (await api.auditLog.list({ accountId: user.account.id }, 50)).filter(
    ({ actor }) => actor.by === 'owner',
  )
  assert.deepEqual(
    entries.toReversed().map(({ kind }) => kind),
    CHANGES.map(([, kind]) => kind),
  )
  for (const { actor } of entries)
    assert.deepEqual(actor, { by: 'owner', session: session.publicId, network: '127.0.0.0/24', client: 'curl/8.5.0' })
})

test('the log contains no secret, no viewing key, no path of a URL, no payout details and no invoice id', async () => {
  const user = await api.merchant()
  const responses = await changeEverything(user)
  const invoice = await call(api, 'POST /v1/invoices', { token: user.apiKey, json: { amount_zat: 1 } })
  const text = JSON.stringify(await api.auditLog.list({ accountId: user.account.id }, 50))
  const secrets = responses.flatMap(body => body.match(/zgs?_\w+|whsec_[\w+/=]+|uregtest1\w+/g) ?? [])
  assert.ok(secrets.length >= 4)
  for (const secret of [...secrets, testViewingKey(4), 'secret-path', ORDER.payout_to, invoice.body.id, user.apiKey])
    assert.ok(!text.includes(secret), secret)
})
