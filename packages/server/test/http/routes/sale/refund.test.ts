import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { Scope } from '../../../../src/domain/account/api-key.ts'
import { startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi()
after(() => api.close())

test('the link that decides where a refund goes is shown in a session and to keys that order refunds, not to those that read', async () => {
  const { account, apiKey, sessionToken } = await api.merchant()
  const { body: invoice } = await call(api, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 5 } })
  await api.store.write(async tx => {
    const { id: invoiceId } = (await tx.invoices.byPublicId(invoice.id)) ?? assert.fail()
    const ids = { publicId: randomUUID(), linkId: randomUUID(), accountId: account.id, invoiceId }
    const address = { address: null, addressFromBuyer: false }
    const times = { createdAt: api.clock.secs, updatedAt: api.clock.secs }
    const terms = { status: 'awaiting_address', amountZat: 1n, reason: null } as const
    await tx.refunds.insert({ ...ids, ...address, ...terms, ...times }, null)
  })
  const keyWith = async (scope: Scope) =>
    (await api.apiKeys.create(account, scope, undefined, { scopes: [scope], expiresAt: null, addresses: null })).key
  const showsLink = async (token: string) => {
    const { body: listed } = await call(api, 'GET /v1/account/refunds', { token })
    const { body: ofInvoice } = await call(api, `GET /v1/account/invoices/${invoice.id}/refunds`, { token })
    const { body: read } = await call(api, `GET /v1/account/refunds/${listed[0].id}`, { token })
    return [listed[0], ofInvoice.refunds[0], read].map(({ refund_url: url }) => url !== undefined)
  }
  assert.deepEqual(await showsLink(sessionToken), [true, true, true])
  assert.deepEqual(await showsLink(await keyWith('refunds:write')), [true, true, true])
  assert.deepEqual(await showsLink(await keyWith('invoices:read')), [false, false, false])
})
