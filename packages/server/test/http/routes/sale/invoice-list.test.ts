import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { InvoiceStatus } from '../../../../src/domain/sale/invoice.ts'
import { startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const api = await startTestApi()
const merchant = await api.merchant()
after(() => api.close())

const rights = { scopes: ['invoices:read'], expiresAt: null, addresses: null } as const
const { key: token } = await api.apiKeys.create(merchant.account, 'reader', undefined, rights)

const list = (query: string, credential = token) => call(api, `GET /v1/invoices${query}`, { token: credential })
const idsOf = async (query: string) => (await list(query)).body.map(({ id }: { id: string }) => id)

const start = api.clock.secs
/** Newest last, a second apart. */
const made: { id: string; order_id: string; status: InvoiceStatus; created_at: number }[] = []
const STATUSES = ['pending', 'paid', 'expired', 'underpaid', 'detected'] as const

before(async () => {
  for (let i = 0; i < 20; i++) {
    const order_id = `order ${i % 3}`
    const { body } = await call(api, 'POST /v1/invoices', {
      token: merchant.apiKey,
      json: { amount_zat: 5, order_id, metadata: { i }, description: `no. ${i}` },
    })
    const status = STATUSES[i % STATUSES.length]!
    await api.store.write(async tx => {
      const invoice = (await tx.invoices.byPublicId(body.id)) ?? assert.fail()
      if (status !== 'pending') await tx.invoices.updateStates([{ ...invoice, status }])
    })
    made.push({ id: body.id, order_id, status, created_at: api.clock.secs })
    api.clock.advance(1)
  }
  const stranger = await api.merchant()
  await call(api, 'POST /v1/invoices', { token: stranger.apiKey, json: { amount_zat: 5, order_id: 'order 1' } })
})

type Made = (typeof made)[number]

const expected = (matches: (invoice: Made) => boolean) =>
  made
    .filter(matches)
    .map(({ id }) => id)
    .toReversed()

test('a key lists the invoices of its account as the account itself does, with all that the shop gave', async () => {
  const listed = await list('')
  const { text } = await call(api, 'GET /v1/account/invoices', { token: merchant.sessionToken })
  assert.deepEqual([listed.status, listed.text], [200, text])
  assert.equal((await list('', merchant.sessionToken)).text, text)
  assert.deepEqual(
    await idsOf(''),
    expected(() => true),
  )
  const [{ metadata, description, order_id }] = listed.body
  assert.deepEqual(
    { metadata, description, order_id },
    { metadata: { i: 19 }, description: 'no. 19', order_id: 'order 1' },
  )
})

test('each combination of filters lists exactly its invoices, in pages of any size', async () => {
  const statuses: [query: string, has: readonly string[]][] = [
    ['', STATUSES],
    ['status=paid', ['paid']],
    ['status=paid,expired', ['paid', 'expired']],
    ['status=expired,paid,paid', ['paid', 'expired']],
    ['status=underpaid,pending,paid,expired,detected', STATUSES],
  ]
  const orders: [query: string, is: string | null][] = [
    ['', null],
    ['order_id=order+1', 'order 1'],
    ['order_id=order', 'order'],
    ['order_id=ORDER+1', 'ORDER 1'],
  ]
  const times: [query: string, from: number, to: number][] = [
    ['', 0, Infinity],
    [`created_from=${start + 5}`, start + 5, Infinity],
    [`created_to=${start + 12}`, 0, start + 12],
    [`created_from=${start + 3}&created_to=${start + 17}`, start + 3, start + 17],
    [`created_from=${start + 3}&created_to=${start + 3}`, start + 3, start + 3],
  ]
  for (const [status, has] of statuses)
    for (const [order, is] of orders)
      for (const [time, from, to] of times) {
        const query = [status, order, time].filter(Boolean).join('&')
        const wanted = expected(
          invoice =>
            has.includes(invoice.status) &&
            (is === null || invoice.order_id === is) &&
            invoice.created_at >= from &&
            invoice.created_at < to,
        )
        assert.deepEqual(await idsOf(`?${query}`), wanted, query)
        const paged: string[] = []
        for (let page: string[] = []; ; paged.push(...page)) {
          const cursor = paged.length > 0 ? `&before=${paged.at(-1)}` : ''
          page = await idsOf(`?limit=3&${query}${cursor}`)
          if (page.length === 0) break
        }
        assert.deepEqual(paged, wanted, `${query}, in pages`)
      }
})

test('a filter that is not valid is refused by name', async () => {
  for (const [query, field] of [
    ['status=', 'status'],
    ['status=canceled', 'status'],
    ['status=paid,', 'status'],
    ['status=paid,PAID', 'status'],
    ['order_id=', 'order_id'],
    ['created_from=-1', 'created_from'],
    ['created_from=yesterday', 'created_from'],
    ['created_to=1.5', 'created_to'],
    ['created_to=253402300800', 'created_to'],
    ...['0', '201', '-1', '', 'ten', '1e1', '+5', '%205', '05', '5.0', '1&limit=2'].map(limit => [
      `limit=${limit}`,
      'limit',
    ]),
    ['before=x', 'before'],
  ]) {
    const { status, body } = await list(`?${query}`)
    assert.deepEqual([status, body.code, body.message], [400, `invalid_${field}`, `invalid ${field}`], query)
  }
  for (const limit of [1, 200]) assert.equal((await list(`?limit=${limit}`)).status, 200)
  assert.equal((await list('?state=paid')).body.code, 'unknown_parameter')
})

test('the cursor is an invoice of the same account, also with several statuses', async () => {
  const { body } = await call(api, 'POST /v1/invoices', {
    token: (await api.merchant()).apiKey,
    json: { amount_zat: 5 },
  })
  for (const query of ['', '&status=paid,expired'])
    assert.equal((await list(`?before=${body.id}${query}`)).body.code, 'invalid_before')
})
