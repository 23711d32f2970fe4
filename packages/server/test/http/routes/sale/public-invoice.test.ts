import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import { DAY_SECS } from '../../../../src/domain/time.ts'
import { startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi({ env: { PUBLIC_INVOICE_DAYS: '40' } })
const merchant = await api.merchant()
after(() => api.close())

/** An expired invoice whose public access ends after the next second. */
async function closedInvoice() {
  const json = { amount_zat: 5, order_id: '1001', metadata: { customer: 7 } }
  const { id } = (await call(api, 'POST /v1/invoices', { token: merchant.apiKey, json })).body
  const invoice = await api.invoices.read(id)
  await api.store.write(tx => tx.invoices.updateStates([{ ...invoice, status: 'expired' }]))
  api.clock.advance(invoice.watchUntil + 40 * DAY_SECS - api.clock.secs)
  return id as string
}

const read = (id: string, token?: string) => call(api, `GET /v1/invoices/${id}`, { ...(token && { token }) })

async function upgradeStatus(id: string): Promise<number | undefined> {
  const socket = new WebSocket(`${api.url.replace(/^http/, 'ws')}/v1/invoices/${id}/ws`)
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  response.destroy()
  return response.statusCode
}

test('after PUBLIC_INVOICE_DAYS the id alone reads nothing, over HTTP and WebSocket', async () => {
  const id = await closedInvoice()
  assert.equal((await read(id)).status, 200)
  api.clock.advance(1)
  const { status, body } = await read(id)
  assert.deepEqual([status, body.code], [410, 'invoice_gone'])
  assert.equal(await upgradeStatus(id), 410)
})

test('the merchant reads it with a session, a scoped key and a key without scopes; strangers with theirs do not', async () => {
  const id = await closedInvoice()
  api.clock.advance(1)
  const reading = { scopes: ['invoices:read'], expiresAt: null, addresses: null } as const
  const scoped = (await api.apiKeys.create(merchant.account, 'scoped', undefined, reading)).key
  const session = (await api.sessions.create(merchant.account, 'test')).token
  for (const token of [session, scoped]) assert.deepEqual((await read(id, token)).body.metadata, { customer: 7 })
  const plain = await read(id, merchant.apiKey)
  assert.deepEqual([plain.status, plain.body.order_id, plain.body.metadata], [200, '1001', undefined])
  const stranger = await api.merchant()
  for (const token of [stranger.sessionToken, stranger.apiKey, 'zg_unknown'])
    assert.equal((await read(id, token)).status, 410)
})
