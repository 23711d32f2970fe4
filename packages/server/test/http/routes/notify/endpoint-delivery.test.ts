import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { HttpClient } from '../../../../src/ports/http-client.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { DUE } from '../../../harness/endpoints.ts'
import { type CallOptions, call } from '../../../harness/http-call.ts'

const received: { url: string; body: string; id: string }[] = []
const webhookHttp: HttpClient = {
  async send({ url, body, headers }) {
    received.push({ url, body: String(body), id: headers?.['webhook-id'] ?? '' })
    return { status: 200, headers: {}, body: new Uint8Array() }
  },
  close: () => {},
}
const api = await startTestApi({ webhookHttp })
after(() => api.close())

const DELIVERIES = '/v1/account/webhook/deliveries'
const as = (user: Merchant, line: string, options: CallOptions = {}) =>
  call(api, line, { token: user.sessionToken, ...options })

async function deliver(): Promise<void> {
  const { endpointDeliveries } = api
  await endpointDeliveries.wake()
  for (const job of await endpointDeliveries.claim(await endpointDeliveries.listDue(DUE)))
    await endpointDeliveries.record(job, await endpointDeliveries.attempt(job))
}

test('attempts at an endpoint are listed with its id, and a delivery is sent to it again, without a webhook', async () => {
  const user = await api.merchant()
  const { endpoint } = await api.endpoints.create(user.account, { url: 'https://books.example/' })
  const sent = await as(user, `POST /v1/account/endpoints/${endpoint.publicId}/test`)
  assert.equal(sent.status, 202)
  await deliver()
  const { body } = await as(user, `GET ${DELIVERIES}`)
  assert.deepEqual(body, [
    {
      id: body[0].id,
      delivery_id: sent.body.delivery_id,
      endpoint_id: endpoint.publicId,
      invoice_id: null,
      event_type: 'test',
      url: 'https://books.example/',
      status_code: 200,
      error: null,
      attempt: 1,
      duration_ms: 0,
      created_at: api.clock.secs,
    },
  ])

  const resend = () => as(user, `POST ${DELIVERIES}/${sent.body.delivery_id}/resend`)
  const again = await resend()
  assert.equal(again.status, 202)
  await deliver()
  assert.equal(received.length, 2)
  assert.deepEqual(received[1], received[0])
  const [newest] = (await as(user, `GET ${DELIVERIES}`)).body
  assert.equal(newest.delivery_id, again.body.delivery_id)

  await api.endpoints.change(user.account, endpoint.publicId, { enabled: false })
  const disabled = await resend()
  assert.deepEqual([disabled.status, disabled.body.code], [409, 'endpoint_disabled'])
  await api.endpoints.remove(user.account, endpoint.publicId)
  const removed = await resend()
  assert.deepEqual([removed.status, removed.body.code], [404, 'no_such_endpoint'])
})
