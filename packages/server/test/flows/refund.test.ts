import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parsePaymentUri } from '@zatgate/zcash/zip321'
import { describePostgres } from '../harness/databases.ts'
import { type CallOptions, call } from '../harness/http-call.ts'
import { createPlainNoteScanner } from '../harness/plain-note-scanner.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const ZEC = 100_000_000
const TXID = 'ab'.repeat(32)

describe('refunds on SQLite', () => declareTests(async () => undefined))
describePostgres('refunds on PostgreSQL', server => {
  declareTests(() => server().migratedDatabase())

  test('of refunds that two processes make at once, those within what was received are made', async t => {
    const databaseUrl = await server().migratedDatabase()
    const first = await startTestService({ databaseUrl })
    t.after(() => first.close())
    const second = await startTestService({ databaseUrl, sandbox: first.sandbox, env: { ROLES: 'api' } })
    t.after(() => second.close())
    await refundAtOnce(first, [first, second])
  })
})

function declareTests(createDatabase: () => Promise<string | undefined>): void {
  let started: Awaited<ReturnType<typeof startOn>>
  before(async () => {
    started = await startOn(await createDatabase())
  })
  after(() => started?.at.close())

  test('the buyer is asked for an address; a part is refunded, and the invoice says so', async () => {
    const { at, api, sellAndPay, buyerAddress, read } = started
    const { id } = await sellAndPay({ amount_zat: ZEC, order_id: '1001' })
    const created = await api(`POST /v1/account/invoices/${id}/refunds`, {
      json: { amount_zat: ZEC / 4, reason: 'torn' },
    })
    assert.deepEqual([created.status, created.body.status, created.body.address], [200, 'awaiting_address', null])
    const link = linkOf(created.body.refund_url)
    assert.notEqual(link, id)
    assert.equal((await call(at, `GET /v1/refunds/${id}`)).status, 404, 'no invoice id finds it')
    assert.equal((await call(at, `GET /v1/refunds/${created.body.id}`)).status, 404, 'nor does that of the refund')

    const asked = (await call(at, `GET /v1/refunds/${link}`)).body
    assert.deepEqual(asked, {
      status: 'awaiting_address',
      amount_zat: ZEC / 4,
      order_id: '1001',
      address: null,
      can_change: true,
    })
    const give = (address: string) => call(at, `PUT /v1/refunds/${link}/address`, { json: { address } })
    for (const [address, named] of [
      ['t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC', /transparent/],
      [
        'u1kcqzhl4fezaye4mwk0fc2k5jeqe6h4fwl0zv5rgl6r0qsv8xgzkeygr4e8hvq82gyu9y3ppu6j2dkkdj5syslv5hzs7jjxyzruudhm9d',
        /main network/,
      ],
      [(await read(id)).address, /address of the shop/],
    ] as const) {
      const { status, body } = await give(address)
      assert.deepEqual([status, body.code], [400, 'invalid_address'])
      assert.match(body.detail, named)
    }
    await give(await buyerAddress())
    const address = await buyerAddress()
    assert.deepEqual([(await give(address)).body.address, (await give(address)).body.can_change], [address, true])

    const ready = (await api(`GET /v1/account/refunds/${created.body.id}`)).body
    assert.deepEqual([ready.status, ready.address, ready.refund_url], ['ready', address, undefined])
    const request = parsePaymentUri(ready.zip321_uri)
    assert.deepEqual([request.address, request.amount], [address, BigInt(ZEC / 4)])
    const late = await give(await buyerAddress())
    assert.deepEqual([late.status, late.body.code], [409, 'refund_address_fixed'], 'the merchant has seen it')

    const sent = await api(`POST /v1/account/refunds/${ready.id}/sent`, { json: { txid: TXID } })
    assert.deepEqual([sent.body.status, sent.body.txid], ['sent', TXID])
    const again = await api(`POST /v1/account/refunds/${ready.id}/sent`, { json: { txid: TXID } })
    assert.deepEqual(again.body, sent.body)
    assert.equal((await api(`POST /v1/account/refunds/${ready.id}/cancel`)).body.code, 'refund_closed')
    const { address: _, ...members } = sent.body
    const exported = await api('GET /v1/account/refunds/export?format=json')
    assert.deepEqual(exported.body, [{ ...members, order_id: '1001' }])
    const shown = await read(id)
    assert.deepEqual([shown.status, shown.refunded_zat], ['paid', ZEC / 4])
    const [listed] = (await api('GET /v1/account/invoices')).body
    assert.equal(listed.refunded_zat, ZEC / 4)
    const { id: accountId } = await at.service.accounts.findByEmail(at.email)
    const [day] = await at.service.store.query(tx => tx.dashboard.paidByDay(accountId, 0))
    assert.deepEqual([day?.receivedZat, day?.refundedZat], [BigInt(ZEC), BigInt(ZEC / 4)])
  })

  test('all refunds together never exceed what is confirmed: whole, part, over and canceled', async () => {
    const { at, api, sellAndPay, buyerAddress } = started
    const { body: open } = await call(at, 'POST /v1/invoices', { token: at.apiKey, json: { amount_zat: ZEC } })
    const refund = async (id: string, json: object = {}) =>
      (await api(`POST /v1/account/invoices/${id}/refunds`, { json })).body
    assert.equal((await refund(open.id)).code, 'refund_exceeds_received', 'nothing was received')
    const { id } = await sellAndPay({ amount_zat: ZEC }, BigInt(ZEC) + 7n)
    const over = await refund(id, { amount_zat: 7, address: await buyerAddress() })
    assert.deepEqual([over.status, over.amount_zat], ['ready', 7])
    assert.deepEqual(await refund(id, { amount_zat: ZEC + 1 }), {
      code: 'refund_exceeds_received',
      message: 'refund exceeds what was received',
      detail: '1 ZEC can be refunded',
    })
    const whole = await refund(id)
    assert.equal(whole.amount_zat, ZEC)
    assert.equal((await refund(id, { amount_zat: 1 })).code, 'refund_exceeds_received')
    await api(`POST /v1/account/refunds/${whole.id}/cancel`)
    assert.equal((await api(`POST /v1/account/refunds/${whole.id}/sent`, { json: { txid: TXID } })).status, 409)
    const { body: list } = await api(`GET /v1/account/invoices/${id}/refunds`)
    assert.deepEqual([list.left_zat, list.refunds.length], [ZEC, 2])
    assert.equal((await refund(id, { amount_zat: ZEC })).amount_zat, ZEC)
  })

  test('of two refunds at once, in either order, one is made', async () => {
    const { at } = started
    await refundAtOnce(at, [at, at])
  })

  test('a refund in money is converted once, and a repeat returns it without a rate', async () => {
    const { at, api, sellAndPay } = started
    const { id } = await sellAndPay({ price: { amount: '25', currency: 'EUR' } })
    const refund = () =>
      api(`POST /v1/account/invoices/${id}/refunds`, {
        raw: '{"price": {"amount": 10.50, "currency": "eur"}}',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'r-1' },
      })
    const first = (await refund()).body
    assert.deepEqual(first.price, { amount: '10.50', currency: 'eur' })
    assert.equal(first.rate.currency, 'EUR')
    at.sandbox.rates.faults.down = true
    assert.deepEqual((await refund()).body, first)
    at.sandbox.rates.faults.down = false
    const other = await api(`POST /v1/account/invoices/${id}/refunds`, {
      json: { amount_zat: 1 },
      headers: { 'idempotency-key': 'r-1' },
    })
    assert.equal(other.body.code, 'idempotency_key_reused')
  })

  test('a repeated request shows the address that the buyer has given since, which is fixed from then on', async () => {
    const { at, api, sellAndPay, buyerAddress } = started
    const { id } = await sellAndPay({ amount_zat: ZEC })
    const create = async () =>
      (await api(`POST /v1/account/invoices/${id}/refunds`, { json: {}, headers: { 'idempotency-key': 'r-2' } })).body
    const created = await create()
    const give = (address: string) =>
      call(at, `PUT /v1/refunds/${linkOf(created.refund_url)}/address`, { json: { address } })
    const address = await buyerAddress()
    await give(address)
    const repeated = await create()
    assert.deepEqual([repeated.id, repeated.status, repeated.address], [created.id, 'ready', address])
    const late = await give(await buyerAddress())
    assert.deepEqual([late.status, late.body.code], [409, 'refund_address_fixed'], 'the merchant has seen it')
  })

  test('several refunds are one payment request', async () => {
    const { api, sellAndPay, buyerAddress } = started
    const { id } = await sellAndPay({ amount_zat: 1_000, order_id: '7' })
    const ids: string[] = []
    for (const amount_zat of [100, 200]) {
      const json = { amount_zat, address: await buyerAddress() }
      ids.push((await api(`POST /v1/account/invoices/${id}/refunds`, { json })).body.id)
    }
    const { body } = await api('POST /v1/account/refunds/payment-request', { json: { ids } })
    assert.equal(body.amount_zat, 300)
    assert.match(
      body.zip321_uri,
      /^zcash:\?address=uregtest1\w+&amount=0\.000001&memo=[\w-]+&address\.1=uregtest1\w+&amount\.1=0\.000002&memo\.1=/,
    )
  })
}

/** Two requests at once for three fifths each, then for the rest and more, in both orders. */
async function refundAtOnce(owner: TestService, [one, other]: readonly [TestService, TestService]): Promise<void> {
  for (const order of [
    [one, other],
    [other, one],
  ] as const) {
    const { id } = await tools(owner).sellAndPay({ amount_zat: ZEC })
    const answers = await Promise.all(
      order.map(at =>
        call(at, `POST /v1/account/invoices/${id}/refunds`, {
          token: owner.sessionToken,
          json: { amount_zat: (ZEC / 5) * 3 },
        }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  }
}

/** A service for all tests, each of which sells its own invoices. */
async function startOn(databaseUrl: string | undefined) {
  const at = await startTestService(databaseUrl === undefined ? {} : { databaseUrl })
  return { at, ...tools(at) }
}

const linkOf = (url: string) => url.split('/').at(-1) as string

function tools(at: TestService) {
  const api = (line: string, options: CallOptions = {}) => call(at, line, { token: at.sessionToken, ...options })
  const read = async (id: string) => (await call(at, `GET /v1/invoices/${id}`)).body

  /** An address of the sandbox that no invoice of the shop has. */
  let buyers = 0n
  const buyerAddress = async () => {
    const noteScanner = createPlainNoteScanner()
    const { incoming } = noteScanner.parseViewingKey(at.sandbox.operatorViewingKey)
    buyers += 1n
    const [address] = await noteScanner.deriveAddresses(incoming, 'regtest', buyers + 1_000n, 1)
    return address as string
  }

  async function sellAndPay(json: object, amount?: bigint): Promise<{ id: string }> {
    const { body } = await call(at, 'POST /v1/invoices', { token: at.apiKey, json })
    at.sandbox.wallet.pay({ uri: body.zip321_uri, ...(amount !== undefined && { amount }) })
    await until('detected', async () => (await read(body.id)).status === 'detected')
    at.sandbox.chain.mine(3)
    await until('paid', async () => (await read(body.id)).status === 'paid')
    return body
  }
  return { api, read, buyerAddress, sellAndPay }
}
