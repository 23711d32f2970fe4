import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MAX_ENDPOINTS } from '../../src/domain/notify/endpoint.ts'
import { insertFailed } from '../harness/failed-delivery.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { withoutMarks } from './buyer-view.ts'
import { expireRecentAuth, openVisitor } from './visitor.ts'

const PATH = '/webhook/endpoints'

describe('the pages of endpoints', () => {
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  async function signedIn(name: string) {
    const email = `${name}@example.org`
    const { visitor, token } = await openVisitor(harness, email)
    const { accounts, endpoints } = harness.service
    const account = await accounts.findByEmail(email)
    return { visitor, token, account, email, list: () => endpoints.list(account) }
  }

  const url = () => `${harness.sandbox.webhookReceiver.url}books`

  test('each change needs a recent sign-in, and none is made before the code is entered', async () => {
    const { visitor, token, account, list } = await signedIn('recent')
    const { endpoint } = await harness.service.endpoints.create(account, { url: url() })
    await expireRecentAuth(harness, token)
    const own = `${PATH}/${endpoint.publicId}`
    for (const [path, form] of [
      [PATH, { url: url(), 'type-invoice.paid': '1' }],
      [own, { url: `${url()}/other`, 'type-invoice.paid': '1' }],
      [`${own}/resume`, { recover: '1' }],
      [`${own}/disable`, {}],
      [`${own}/rotate-secret`, {}],
      [`${own}/remove`, {}],
    ] as const) {
      const { status, text } = await visitor.request(`POST ${path}`, form)
      assert.equal(status, 403, path)
      assert.match(text, /Confirm your identity/)
    }
    assert.deepEqual(await list(), [endpoint])
    assert.equal((await visitor.request(`POST ${own}/test`, {})).status, 303)
    const since = new Date().toISOString().slice(0, 10)
    assert.equal((await visitor.request(`POST ${own}/recover`, { since })).status, 303)
  })

  test('all types ticked mean those added later too; some are kept as they are, with one that has no box', async () => {
    const { visitor, list, account } = await signedIn('types')
    const { text } = await visitor.request(`GET ${PATH}/new`)
    const boxes = [...text.matchAll(/name="(type-[\w.]+)" value="1" checked/g)].map(([, name = '']) => name)
    assert.ok(boxes.length > 15 && !boxes.includes('type-test'), boxes.join())
    const all = Object.fromEntries(boxes.map(name => [name, '1']))
    const created = await visitor.request(`POST ${PATH}`, { url: ` ${url()} `, schedule: 'persistent', ...all })
    assert.equal(created.status, 200)
    const [endpoint] = await list()
    assert.deepEqual([endpoint?.types, endpoint?.schedule, endpoint?.url], [null, 'persistent', url()])
    const change = (form: Record<string, string>) =>
      visitor.request(`POST ${PATH}/${endpoint?.publicId}`, { url: url(), schedule: 'standard', ...form })
    assert.equal((await change({ 'type-refund.updated': '1' })).status, 303)
    assert.deepEqual((await list())[0]?.types, ['refund.updated'])
    await harness.service.endpoints.change(account, endpoint?.publicId ?? '', { types: ['test', 'plan.updated'] })
    assert.equal((await change({ 'type-plan.updated': '1' })).status, 303)
    assert.deepEqual((await list())[0]?.types, ['plan.updated', 'test'])
    const none = await change({})
    assert.deepEqual([none.status, /Invalid types: at least one type/.test(none.text)], [400, true])
  })

  test('a secret is shown once, generated or chosen, and a refused form keeps what was filled in', async () => {
    const { visitor, list } = await signedIn('secret')
    const secret = 'a-secret-of-my-own-choice'
    const refused = await visitor.request(`POST ${PATH}`, { url: 'nonsense', 'type-invoice.paid': '1', secret })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /Invalid url: must be an absolute URL/)
    assert.match(refused.text, /name="url" type="url" value="nonsense"/)
    assert.match(refused.text, /name="type-invoice\.paid" value="1" checked/)
    assert.doesNotMatch(refused.text, /name="type-invoice\.underpaid" value="1" checked/)
    const created = await visitor.request(`POST ${PATH}`, { url: url(), 'type-invoice.paid': '1', secret })
    assert.match(created.text, new RegExp(`<code>${secret}</code>`))
    const path = `${PATH}/${(await list())[0]?.publicId}`
    assert.doesNotMatch((await visitor.request(`GET ${path}`)).text, new RegExp(secret))
    const rotated = await visitor.request(`POST ${path}/rotate-secret`, { secret: '' })
    assert.match(rotated.text, /<code>whsec_[A-Za-z0-9+/]{43}=<\/code>/)
    assert.match(rotated.text, /earlier secret also signs for 24 hours/)
    const short = await visitor.request(`POST ${path}/rotate-secret`, { secret: 'short' })
    assert.deepEqual([short.status, /Invalid secret: 16 to 256 printable/.test(short.text)], [400, true])
  })

  test('an endpoint for a plugin that asks for a secret is added by hand, in the format of BTCPay', async () => {
    const { visitor, list } = await signedIn('plugin')
    const created = await visitor.request(`POST ${PATH}`, {
      url: url(),
      format: 'greenfield',
      'type-invoice.paid': '1',
    })
    assert.match(created.text, /<code>whsec_/)
    assert.match(created.text, /Enter its secret in the settings of your shop plugin/)
    const [endpoint] = await list()
    assert.deepEqual(
      [endpoint?.dialect, endpoint?.greenfieldEvents, endpoint?.schedule, endpoint?.application],
      ['greenfield', null, 'greenfield', null],
    )
    const rotated = await visitor.request(`POST ${PATH}/${endpoint?.publicId}/rotate-secret`, { secret: 'eight ch' })
    assert.match(rotated.text, /<code>eight ch<\/code>/)
    assert.match(rotated.text, /Enter it in the settings of your plugin now/)
  })

  test('an account has at most ten, and an id that is not its own is not found', async () => {
    const { visitor, account, list } = await signedIn('many')
    for (let count = 0; count < MAX_ENDPOINTS; count++)
      await harness.service.endpoints.create(account, { url: url(), enabled: false })
    const page = await visitor.request('GET /webhook')
    assert.match(withoutMarks(page.text), /at most 10 endpoints/)
    assert.doesNotMatch(page.text, /Add an endpoint/)
    const refused = await visitor.request(`POST ${PATH}`, { url: url(), 'type-invoice.paid': '1' })
    assert.deepEqual([refused.status, /Too many endpoints/.test(refused.text)], [400, true])
    assert.equal((await list()).length, MAX_ENDPOINTS)
    for (const id of ['none', crypto.randomUUID()]) {
      assert.equal((await visitor.request(`GET ${PATH}/${id}`)).status, 404)
      assert.equal((await visitor.request(`POST ${PATH}/${id}/recover`, { since: 'x' })).status, 404)
      assert.equal((await visitor.request(`GET /webhook?endpoint=${id}`)).status, 404)
    }
  })

  test('a recovery needs a date of the last 30 days', async () => {
    const { visitor, account } = await signedIn('recovery')
    const { endpoint } = await harness.service.endpoints.create(account, { url: url() })
    const recover = (since: string) => visitor.request(`POST ${PATH}/${endpoint.publicId}/recover`, { since })
    for (const [since, problem] of [
      ['yesterday', /Invalid since: a date, such as/],
      ['2020-01-01', /Invalid since: at most 30 days ago/],
    ] as const) {
      const { status, text } = await recover(since)
      assert.deepEqual([status, problem.test(text)], [400, true], since)
    }
    const done = await recover(new Date().toISOString().slice(0, 10))
    assert.equal(done.headers.get('location'), `${PATH}/${endpoint.publicId}?done=none`)
  })

  test('the overview counts the failed events of the webhook and of each endpoint, with links to repair them', async () => {
    const { visitor, account } = await signedIn('attention')
    const { endpoints, store, webhooks } = harness.service
    await webhooks.set(account, 'http://127.0.0.1:9/')
    await insertFailed(store, account.id, ['{"n":1}'])
    const { endpoint } = await endpoints.create(account, { url: 'http://127.0.0.1:9/books', enabled: false })
    await store.write(async tx => {
      const about = { accountId: account.id, endpointId: endpoint.id, invoiceId: null, createdAt: 1 }
      for (const publicId of [crypto.randomUUID(), crypto.randomUUID()]) {
        const delivery = {
          ...about,
          publicId,
          eventSeq: 1,
          part: 0,
          originalId: null,
          eventType: 'plan.updated',
        } as const
        await tx.endpointDeliveries.settle(await tx.endpointDeliveries.insert(delivery, 1, true), 'failed', null)
      }
    })
    const { text } = await visitor.request('GET /overview')
    assert.match(text, /1 webhook event could not be delivered/)
    // The second delivery of the event stands for the first.
    assert.match(withoutMarks(text), /1 event could not be delivered to the endpoint 127\.0\.0\.1:9\/books\./)
    assert.ok(text.includes(`href="${PATH}/${endpoint.publicId}"`))
    assert.ok(text.includes('href="/webhook?show=failed&amp;endpoint=webhook#log"'))
    const log = await visitor.request(`GET /webhook?show=failed&endpoint=${endpoint.publicId}`)
    assert.equal(log.text.match(/<details id="delivery-/g)?.length, 1)
  })

  test('the log is filtered by the exact order id, and its further pages keep the filter', async () => {
    const { visitor, account } = await signedIn('order')
    const { endpoints, invoices, viewingKeys, webhooks } = harness.service
    const { account: ready } = await viewingKeys.set(account, harness.sandbox.demoViewingKey)
    const { endpoint } = await endpoints.create(ready, { url: url() })
    for (const orderId of ['A-1', 'A-10'])
      await invoices.create(ready, { amountZat: 5_000n, expiresInSecs: 900, orderId, idempotencyKey: undefined })
    await until('the deliveries of both orders', async () => {
      const rows = await webhooks.deliveries(ready, { limit: 9 }, { endpoint: endpoint.publicId })
      return rows.length === 2 && rows.every(({ state }) => state === 'delivered')
    })
    const { text } = await visitor.request('GET /webhook?order=%00A-1%20&type=invoice.created')
    assert.equal(text.match(/<details id="delivery-/g)?.length, 1)
    assert.match(text, /order <bdi>A-1<\/bdi>/)
    assert.match(text, /<time datetime="[-\dT:]+Z" title="[-\dT:]+Z" data-seconds>[-\d]+ \d\d:\d\d:\d\d UTC<\/time>/)
    const none = await visitor.request('GET /webhook?type=nonsense&order=none')
    assert.match(none.text, /No matching deliveries\./)
    for (let count = 0; count < 26; count++) await endpoints.test(ready, endpoint.publicId)
    const first = await visitor.request('GET /webhook?type=test&show=')
    assert.match(first.text, /href="\/webhook\?type=test&amp;before=[-0-9a-f]{36}#log" rel="next"/)
  })
})
