import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset, Invoice, SwapQuote } from '@zatgate/sdk/wire'
import { call } from '../harness/http-call.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { subscribe, type WebSocketClient } from '../harness/websocket-client.ts'

/** Speeds up the clock: a swap is first polled five seconds after its start. */
const SPEED = 10

async function startService(): Promise<TestService> {
  const clock = new SkewedClock({ factor: SPEED })
  const at = await startTestService({ clock })
  const webhook = { token: at.sessionToken, json: { url: at.sandbox.webhookUrl } }
  assert.equal((await call(at, 'PUT /v1/account/webhook', webhook)).status, 200)
  return at
}

async function sell(at: TestService): Promise<Invoice> {
  const { body } = await call(at, 'POST /v1/invoices', { token: at.apiKey, json: { amount_zat: 2_500_000 } })
  return body
}

async function start(at: TestService, id: string, asset: Asset): Promise<SwapQuote> {
  const json = { asset_id: asset.asset_id, refund_to: 'the-buyers-own-address' }
  const { status, body } = await call(at, `POST /v1/invoices/${id}/swap`, { json })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Calls the control API of the sandbox. */
async function control(at: TestService, line: string, json: unknown): Promise<void> {
  const { status, text } = await call({ url: at.sandbox.controlUrl }, line, { json })
  assert.equal(status, 200, text)
}

const drive = (at: TestService, swap: SwapQuote, outcome: string) =>
  control(at, `POST /swaps/${swap.deposit_address}`, { outcome })

function messageArrives(client: WebSocketClient, message: object): Promise<true> {
  return until(JSON.stringify(message), () => client.messages.includes(JSON.stringify(message)))
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect the event body freely
function delivered(at: TestService, type: string): any[] {
  const bodies = at.sandbox.webhookReceiver.deliveries.map(({ body }) => JSON.parse(body.toString()))
  return bodies.filter(body => body.type === type)
}

/** Waits for the first event of the type. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function received(at: TestService, type: string): Promise<any> {
  return until(`the event ${type}`, () => delivered(at, type)[0])
}

test('a buyer pays an invoice in another asset, from the asset list to the status `paid`', async t => {
  const at = await startService()
  t.after(() => at.close())
  const { body: assets } = await call(at, 'GET /v1/swap/assets')
  const usdc = (assets as Asset[]).find(({ symbol, blockchain }) => symbol === 'USDC' && blockchain === 'base')
  assert.ok(usdc)

  const { id } = await sell(at)
  const client = subscribe(at.url, id)
  const abandoned = await start(at, id, assets[0])
  const swap = await start(at, id, usdc)
  assert.notEqual(swap.deposit_address, abandoned.deposit_address)
  await messageArrives(client, { status: 'pending', swap_status: 'PENDING_DEPOSIT' })
  await drive(at, swap, 'PROCESSING')
  await messageArrives(client, { status: 'pending', swap_status: 'PROCESSING' })
  await drive(at, swap, 'SUCCESS')
  await messageArrives(client, { status: 'detected', swap_status: 'SUCCESS', confirmations: 0 })
  await control(at, 'POST /mine', { blocks: 3 })
  assert.equal(await client.closed, 1000)

  const { body: paid } = await call(at, `GET /v1/invoices/${id}`)
  assert.deepEqual([paid.status, paid.received_zat, paid.overpaid_zat], ['paid', 2_500_000, 0])
  assert.deepEqual([paid.swap.status, paid.swap.symbol, paid.swap.blockchain], ['SUCCESS', 'USDC', 'base'])
  const event = await received(at, 'invoice.paid')
  assert.deepEqual(event.swap, {
    asset: usdc.asset_id,
    blockchain: 'base',
    amount_in_formatted: swap.amount_in_formatted,
    status: 'SUCCESS',
  })
})

test('a refunded swap is reported over webhook and WebSocket, and the invoice can then be paid in ZEC', async t => {
  const at = await startService()
  t.after(() => at.close())
  const { body: assets } = await call(at, 'GET /v1/swap/assets')
  const { id, zip321_uri: uri } = await sell(at)
  const client = subscribe(at.url, id)
  const swap = await start(at, id, assets[0])
  await drive(at, swap, 'REFUNDED')
  await messageArrives(client, { status: 'pending', swap_status: 'REFUNDED' })
  const refunded = await received(at, 'swap.refunded')
  assert.deepEqual([refunded.invoice_id, refunded.status, refunded.swap.status], [id, 'pending', 'REFUNDED'])

  at.sandbox.wallet.pay({ uri })
  await messageArrives(client, { status: 'detected', swap_status: 'REFUNDED', confirmations: 0 })
  at.sandbox.chain.mine(3)
  assert.equal(await client.closed, 1000)
  assert.equal((await received(at, 'invoice.paid')).swap, null)
  assert.equal(delivered(at, 'swap.refunded').length, 1)
})
