import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { MAX_ENDPOINTS } from '../../../../src/domain/notify/endpoint.ts'
import { EVENT_TYPES } from '../../../../src/domain/notify/event.ts'
import type { HttpRequest } from '../../../../src/ports/http-client.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { DUE } from '../../../harness/endpoints.ts'
import { type CallOptions, call } from '../../../harness/http-call.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const URL = 'https://shop.example/hook'
const ENDPOINTS = '/v1/account/endpoints'
const DELIVERIES = '/v1/account/webhook/deliveries'
const DAY = 86_400

/** The requests to all endpoints. */
const sent: HttpRequest[] = []
const webhookHttp = {
  async send(request: HttpRequest) {
    sent.push(request)
    return { status: 204, headers: {}, body: new Uint8Array() }
  },
  close() {},
}
// `standardwebhooks` reads the time of the machine.
const clock = new ManualClock(Math.floor(Date.now() / 1000))
const api = await startTestApi({ webhookHttp, clock })
after(() => api.close())

const as = (user: Merchant, line: string, options: CallOptions = {}) =>
  call(api, line, { token: user.sessionToken, ...options })
const create = (user: Merchant, json: object = {}) => as(user, `POST ${ENDPOINTS}`, { json: { url: URL, ...json } })
const change = (user: Merchant, id: string, json: object) => as(user, `PATCH ${ENDPOINTS}/${id}`, { json })
const rotate = (user: Merchant, id: string, json: object = {}) =>
  as(user, `POST ${ENDPOINTS}/${id}/rotate-secret`, { json })
const recover = (user: Merchant, id: string, since: unknown) =>
  as(user, `POST ${ENDPOINTS}/${id}/recover`, { json: { since } })

/** Sends all that is due. @returns its requests */
async function sendDue(): Promise<HttpRequest[]> {
  sent.length = 0
  const { endpointDeliveries } = api
  while (await endpointDeliveries.wake());
  for (let due = await endpointDeliveries.listDue(DUE); due.length > 0; due = await endpointDeliveries.listDue(DUE))
    for (const job of await endpointDeliveries.claim(due))
      await endpointDeliveries.record(job, await endpointDeliveries.attempt(job))
  return [...sent]
}

const raise = ({ account }: Merchant, body = '{"type":"plan.updated","invoice_id":null}') =>
  api.store.write(tx =>
    tx.events.append([
      {
        ...{ accountId: account.id, invoiceId: null, type: 'plan.updated', body },
        ...{ createdAt: clock.secs, publicId: randomUUID() },
      },
    ]),
  )

const verifies = (webhook: Webhook, { body, headers }: HttpRequest) => {
  try {
    webhook.verify(String(body), { ...headers })
    return true
  } catch {
    return false
  }
}

test('an endpoint is created with its defaults, listed, read, changed and removed', async () => {
  const user = await api.merchant()
  const now = clock.secs
  const created = await create(user)
  const { secret, ...endpoint } = created.body
  assert.equal(created.status, 200)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.match(endpoint.id, /^[0-9a-f-]{36}$/)
  const defaults = { types: null, schedule: 'standard', enabled: true, failing_since: null, paused_at: null }
  assert.deepEqual(endpoint, { id: endpoint.id, url: URL, ...defaults, created_at: now, updated_at: now })
  const chosen = { url: `${URL}/2`, types: ['invoice.paid', 'test'], schedule: 'persistent', enabled: false }
  const { body: second } = await create(user, chosen)
  assert.deepEqual({ ...second, ...chosen }, second)
  const { secret: _, ...listed } = second
  assert.deepEqual((await as(user, `GET ${ENDPOINTS}`)).body, [endpoint, listed])
  assert.deepEqual((await as(user, `GET ${ENDPOINTS}/${endpoint.id}`)).body, endpoint)

  clock.advance(5)
  const changed = await change(user, endpoint.id, { types: ['invoice.paid'] })
  assert.deepEqual(changed.body, { ...endpoint, types: ['invoice.paid'], updated_at: now + 5 })
  assert.deepEqual((await change(user, endpoint.id, { types: null })).body, { ...endpoint, updated_at: now + 5 })
  const removed = await as(user, `DELETE ${ENDPOINTS}/${endpoint.id}`)
  assert.deepEqual([removed.status, removed.text], [204, ''])
  assert.deepEqual((await as(user, `GET ${ENDPOINTS}`)).body, [listed])
})

test('an account has at most ten endpoints beside its webhook, also when they are created at once', async () => {
  const user = await api.merchant()
  const all = await Promise.all(Array.from({ length: MAX_ENDPOINTS + 3 }, () => create(user)))
  const refused = all.filter(({ status }) => status !== 200)
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    Array.from({ length: 3 }, () => [409, 'too_many_endpoints']),
  )
  const { body } = await as(user, `GET ${ENDPOINTS}`)
  assert.equal(body.length, MAX_ENDPOINTS)
  await as(user, `DELETE ${ENDPOINTS}/${body[0].id}`)
  assert.equal((await create(user)).status, 200)
})

test('every field is checked, and the error names it', async () => {
  const user = await api.merchant()
  const { body: endpoint } = await create(user)
  const both: readonly (readonly [string, readonly unknown[]])[] = [
    ['url', ['', 'shop.example', 'http://shop.example/', `${URL}#top`, 'https://a:b@shop.example/', 1, null]],
    ['url', [`https://shop.example/${'x'.repeat(2_048)}`, 'ftp://shop.example', 'https://shop.example/a b']],
    ['types', [[], ['invoice.nothing'], ['test', 'test'], 'test', [null], [...EVENT_TYPES, 'more']]],
    ['schedule', ['hourly', null, 1, '']],
    ['enabled', ['true', null, 1]],
  ]
  for (const [field, values] of both)
    for (const value of values) {
      const created = await create(user, { [field]: value })
      assert.deepEqual([created.status, created.body.code], [400, `invalid_${field}`], JSON.stringify(value))
      const changed = await change(user, endpoint.id, { [field]: value })
      assert.deepEqual([changed.status, changed.body.code], [400, `invalid_${field}`], JSON.stringify(value))
    }
  for (const secret of ['short', 'x'.repeat(257), 'with a space in it', 'ünprintäble-sécret', 1, null])
    for (const answer of [await create(user, { secret }), await rotate(user, endpoint.id, { secret })])
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_secret'], JSON.stringify(secret))
  for (const since of [-1, 1.5, '0', null, undefined, clock.secs - 30 * DAY - 1]) {
    const { status, body } = await recover(user, endpoint.id, since)
    assert.deepEqual([status, body.code], [400, 'invalid_since'], JSON.stringify(since))
  }
  for (const answer of [
    await create(user, { more: 1 }),
    await change(user, endpoint.id, { more: 1 }),
    await rotate(user, endpoint.id, { more: 1 }),
    await as(user, `POST ${ENDPOINTS}/${endpoint.id}/recover`, { json: { since: clock.secs, more: 1 } }),
  ])
    assert.deepEqual([answer.status, answer.body.message], [400, 'unknown field more'])
  assert.equal(
    (await change(user, endpoint.id, { secret: 'a-secret-of-the-shop' })).body.message,
    'unknown field secret',
  )
  assert.equal((await as(user, `GET ${ENDPOINTS}`)).body.length, 1)
})

test('a chosen secret that begins as a Standard Webhooks secret is one', async () => {
  const user = await api.merchant()
  for (const secret of [
    'whsec_!!!!!!!!!!!!!!!!!!!!',
    `whsec_${'='.repeat(20)}`,
    'whsec_AAAAAAAAAA==',
    `whsec_${'-_'.repeat(20)}`,
  ]) {
    const { status, body } = await create(user, { secret })
    assert.deepEqual([status, body.code], [400, 'invalid_secret'], secret)
  }
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  assert.equal((await create(user, { secret })).body.secret, secret)
})

test('after a rotation both secrets verify for 24 hours, then the new one alone', async () => {
  const user = await api.merchant()
  const { body: endpoint } = await create(user)
  const chosen = 'chosen-secret-of-the-shop'
  assert.deepEqual((await rotate(user, endpoint.id, { secret: chosen })).body, { secret: chosen })
  const [old, fresh] = [new Webhook(endpoint.secret), new Webhook(chosen, { format: 'raw' })]
  await raise(user)
  const [both] = await sendDue()
  assert.ok(both && verifies(old, both) && verifies(fresh, both))
  assert.equal(both.headers['webhook-signature']?.split(' ').length, 2)
  assert.equal(verifies(old, { ...both, body: `${both.body} ` }), false)

  const { body: rotated } = await rotate(user, endpoint.id)
  assert.match(rotated.secret, /^whsec_/)
  await raise(user)
  const [later] = await sendDue()
  assert.ok(later && verifies(new Webhook(rotated.secret), later) && verifies(fresh, later))
  assert.equal(verifies(old, later), false, 'of earlier secrets the newest one signs')

  clock.advance(DAY - 1)
  await raise(user)
  const [last] = await sendDue()
  assert.equal(last?.headers['webhook-signature']?.split(' ').length, 2)
  clock.advance(1)
  await raise(user)
  const [single] = await sendDue()
  assert.equal(single?.headers['webhook-signature']?.split(' ').length, 1)
  clock.advance(-DAY)
})

test('a test event goes to its endpoint alone, is listed with its id and is sent again; a disabled one gets none', async () => {
  const user = await api.merchant()
  const { body: endpoint } = await create(user, { types: ['invoice.paid'] })
  await create(user, { url: `${URL}/other` })
  const accepted = await as(user, `POST ${ENDPOINTS}/${endpoint.id}/test`)
  assert.equal(accepted.status, 202)
  assert.match(accepted.body.delivery_id, /^[0-9a-f-]{36}$/)
  const requests = await sendDue()
  assert.deepEqual(
    requests.map(({ url }) => url),
    [URL],
  )
  const { type, event_id, seq } = JSON.parse(String(requests[0]?.body))
  const { lastSeq } = await api.store.read(tx => tx.events.range(user.account.id))
  assert.deepEqual([type, event_id, seq], ['test', requests[0]?.headers['webhook-id'], lastSeq])
  const { body: listed } = await as(user, `GET ${DELIVERIES}`)
  assert.deepEqual(listed, [
    {
      ...{ id: listed[0].id, delivery_id: accepted.body.delivery_id, endpoint_id: endpoint.id, invoice_id: null },
      ...{ event_type: 'test', url: URL, status_code: 204, error: null, attempt: 1, duration_ms: 0 },
      created_at: clock.secs,
    },
  ])
  const resend = () => as(user, `POST ${DELIVERIES}/${accepted.body.delivery_id}/resend`)
  const again = await resend()
  assert.equal(again.status, 202)
  assert.equal((await sendDue()).length, 1)
  assert.equal((await as(user, `GET ${DELIVERIES}`)).body[0].delivery_id, again.body.delivery_id)
  await change(user, endpoint.id, { enabled: false })
  for (const refused of [
    await as(user, `POST ${ENDPOINTS}/${endpoint.id}/test`),
    await recover(user, endpoint.id, clock.secs),
    await resend(),
  ])
    assert.deepEqual([refused.status, refused.body.code], [409, 'endpoint_disabled'])
  await as(user, `DELETE ${ENDPOINTS}/${endpoint.id}`)
  const removed = await resend()
  assert.deepEqual([removed.status, removed.body.code], [404, 'no_such_endpoint'])
})

test('recover sends what was not delivered, and says where it begins', async () => {
  const user = await api.merchant()
  // The plan of the merchant is an event too.
  await raise(user)
  const { body: endpoint } = await create(user)
  assert.deepEqual(await sendDue(), [])
  const accepted = await recover(user, endpoint.id, clock.secs - 30 * DAY)
  assert.deepEqual([accepted.status, accepted.body], [202, { first_seq: 1 }])
  assert.equal((await sendDue()).length, 2)
  assert.deepEqual((await recover(user, endpoint.id, clock.secs)).body, { first_seq: 1 })
  assert.deepEqual(await sendDue(), [], 'nothing twice')
  assert.deepEqual((await recover(user, endpoint.id, clock.secs + 1)).body, { first_seq: null })
})

test('ids of another account, unknown ones and removed ones are not found', async () => {
  const [user, stranger] = [await api.merchant(), await api.merchant()]
  const { body: endpoint } = await create(user)
  const { body: removed } = await create(stranger)
  await as(stranger, `DELETE ${ENDPOINTS}/${removed.id}`)
  for (const id of [endpoint.id, removed.id, randomUUID(), 'x'])
    for (const refused of [
      await as(stranger, `GET ${ENDPOINTS}/${id}`),
      await as(stranger, `DELETE ${ENDPOINTS}/${id}`),
      await as(stranger, `POST ${ENDPOINTS}/${id}/test`),
      await change(stranger, id, { enabled: false }),
      await rotate(stranger, id),
      await recover(stranger, id, clock.secs),
    ])
      assert.deepEqual([refused.status, refused.body.code], [404, 'no_such_endpoint'])
  assert.equal((await as(user, `GET ${ENDPOINTS}/${endpoint.id}`)).body.enabled, true)
  assert.deepEqual((await as(stranger, `GET ${ENDPOINTS}`)).body, [])
})

test('every change is in the audit log with the host alone, and mailed to the owner', async () => {
  const user = await api.merchant()
  const { body: endpoint } = await create(user, { url: 'https://shop.example/hook?token=secret' })
  await change(user, endpoint.id, { enabled: true })
  await rotate(user, endpoint.id)
  await recover(user, endpoint.id, clock.secs)
  await as(user, `DELETE ${ENDPOINTS}/${endpoint.id}`)
  const entries = await api.auditLog.list({ accountId: user.account.id }, 5)
  const kinds = ['removed', 'recovered', 'secret_rotated', 'changed', 'created'].map(kind => `endpoint_${kind}`)
  assert.deepEqual(
    entries.map(({ kind, detail, actor }) => [kind, detail, actor.by]),
    kinds.map(kind => [kind, 'shop.example', 'owner']),
  )
  const mails = await api.store.write(tx => tx.mails.claimNotices(clock.secs, 500, () => clock.secs + 60))
  const mailed = mails.filter(({ to, about }) => to === user.account.email && about.startsWith('endpoint_'))
  assert.deepEqual(mailed.map(({ about }) => about).sort(), kinds.filter(kind => kind !== 'endpoint_recovered').sort())
})

test('an account that is being deleted makes no changes but removals', async () => {
  const user = await api.merchant()
  const { body: endpoint } = await create(user)
  await api.accountDeletions.request(user.account, { by: 'operator', session: null, network: null, client: null })
  const { token } = await api.sessions.create(user.account, 'test')
  const owner = { ...user, sessionToken: token }
  for (const refused of [
    await create(owner),
    await change(owner, endpoint.id, { enabled: false }),
    await rotate(owner, endpoint.id),
    await recover(owner, endpoint.id, clock.secs),
  ])
    assert.deepEqual([refused.status, refused.body.code], [409, 'account_being_deleted'])
  assert.equal((await as(owner, `DELETE ${ENDPOINTS}/${endpoint.id}`)).status, 204)
})

test('an endpoint at a private address is sent nothing', async t => {
  const guarded = await startTestApi({ clock })
  t.after(() => guarded.close())
  const user = await guarded.merchant()
  const json = { url: 'https://127.0.0.1:9/hook' }
  const { body: endpoint } = await call(guarded, `POST ${ENDPOINTS}`, { token: user.sessionToken, json })
  await call(guarded, `POST ${ENDPOINTS}/${endpoint.id}/test`, { token: user.sessionToken })
  const { endpointDeliveries } = guarded
  const [job] = await endpointDeliveries.claim(await endpointDeliveries.listDue(DUE))
  const { error, statusCode } = await endpointDeliveries.attempt(job!)
  assert.equal(statusCode, null)
  assert.match(error ?? '', /^the address is not public/)
})
