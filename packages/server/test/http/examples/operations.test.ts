import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePng } from '../../adapters/image/images.ts'
import { startTestApi } from '../../harness/api.ts'
import { header, payment } from '../../harness/fixtures.ts'
import { type CallOptions, call } from '../../harness/http-call.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { BTC } from '../../harness/swap.ts'
import { startProvider } from '../../harness/swap-provider.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'
import { compareWithRecorded, countingRandom } from './recorded.ts'

/** A published test vector of regtest. */
const BUYER =
  'uregtest135lxj5ew0vvzmlkaj20ge99q3n2ajs6r84ne2h7yet00a7nvgggpxes3tsdedpz9vseqg3zdfkua8vq3r4a55xgfpzl2ngxrhcq0cuue'

test('the examples of the document are what the service responds; ZATGATE_RECORD=1 writes them anew', async t => {
  const clock = new ManualClock()
  const { provider } = await startProvider(t, { clock })
  const api = await startTestApi({
    settings: { publicUrl: 'https://zatgate.example' },
    clock,
    random: countingRandom(),
    swapProvider: provider,
  })
  t.after(() => api.close())
  const { apiKey, sessionToken } = await api.merchant({ plan: 'Pro', viewingKey: null })
  const recorded: Record<string, { request?: unknown; response?: unknown }> = {}

  async function run(operation: string, line: string, options: CallOptions = {}) {
    const { status, body, text } = await call(api, line, { token: sessionToken, ...options })
    assert.ok(status < 300, `${operation}: ${status} ${text}`)
    recorded[operation] = {
      ...(options.json !== undefined && { request: options.json }),
      ...(body !== undefined && { response: body }),
    }
    return body
  }

  await run('checkHealth', 'GET /healthz')
  await run('listPlans', 'GET /v1/plans')
  await run('setViewingKey', 'PUT /v1/account/viewing-key', { json: { viewing_key: testViewingKey() } })
  await run('updateAccount', 'PATCH /v1/account', { json: { confirmations: 3 } })
  await run('getAccount', 'GET /v1/account')
  await run('updateStore', 'PATCH /v1/account/store', {
    json: {
      name: 'Sunflower Shop',
      accent: '#d9480f',
      support: 'help@shop.example',
      website: 'https://shop.example/',
      locale: 'de',
      currency: 'EUR',
      expires_in_secs: 900,
      after_payment: 'stay',
      frame_origins: ['https://shop.example'],
    },
  })
  await run('getStore', 'GET /v1/account/store')
  await run('setStoreLogo', 'PUT /v1/account/store/logo', { raw: makePng(4, 2) })
  await run('removeStoreLogo', 'DELETE /v1/account/store/logo')
  const { id: keyId } = await run('createApiKey', 'POST /v1/account/api-keys', {
    json: {
      name: 'web shop',
      scopes: ['invoices:create', 'invoices:read', 'refunds:write'],
      expires_at: 1_830_000_000,
      addresses: ['203.0.113.0/24'],
    },
  })
  await run('listApiKeys', 'GET /v1/account/api-keys')
  const invoice = await run('createInvoice', 'POST /v1/invoices', {
    token: apiKey,
    json: {
      price: { amount: '25.00', currency: 'EUR' },
      order_id: '1001',
      description: 'T-shirt',
      metadata: { customer: 42 },
      success_url: 'https://shop.example/thanks?order={order_id}',
      expires_in_secs: 900,
    },
  })
  await run('getInvoice', `GET /v1/invoices/${invoice.id}`)
  const { body: unwanted } = await call(api, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 2_500_000 } })
  await run('cancelInvoice', `POST /v1/invoices/${unwanted.id}/cancel`)
  const { body: paidInCash } = await call(api, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 2_500_000 } })
  await run('markInvoice', `POST /v1/invoices/${paidInCash.id}/mark`, { json: { as: 'settled' } })
  await api.store.write(async tx => {
    const [sold] = await tx.invoices.byPublicIds([invoice.id])
    await tx.chain.appendHeaders([8, 9, 10].map(header))
    await tx.payments.upsert([payment(sold!, { valueZat: sold!.amountZat, location: { at: 'mined', height: 8 } })])
  })
  const refund = await run('createRefund', `POST /v1/account/invoices/${invoice.id}/refunds`, {
    json: { price: { amount: '10.00', currency: 'EUR' }, reason: 'one of two came torn' },
  })
  const link = refund.refund_url.split('/').at(-1)
  await run('getBuyerRefund', `GET /v1/refunds/${link}`)
  await run('giveRefundAddress', `PUT /v1/refunds/${link}/address`, { json: { address: BUYER } })
  await run('getRefund', `GET /v1/account/refunds/${refund.id}`)
  await run('refundPayment', 'POST /v1/account/refunds/payment-request', { json: { ids: [refund.id] } })
  await run('markRefundSent', `POST /v1/account/refunds/${refund.id}/sent`, { json: { txid: 'ab'.repeat(32) } })
  const { body: mistaken } = await call(api, `POST /v1/account/invoices/${invoice.id}/refunds`, {
    token: sessionToken,
    json: { amount_zat: 1 },
  })
  await run('cancelRefund', `POST /v1/account/refunds/${mistaken.id}/cancel`)
  await run('listInvoiceRefunds', `GET /v1/account/invoices/${invoice.id}/refunds`)
  await run('listRefunds', 'GET /v1/account/refunds?limit=20')
  await run('listInvoices', 'GET /v1/invoices?status=pending,paid&limit=20')
  await run('listAccountInvoices', 'GET /v1/account/invoices?limit=20')
  await run('rates', 'GET /v1/rates?currency=USD,EUR')
  await run('listSwapAssets', 'GET /v1/swap/assets')
  await run('startSwap', `POST /v1/invoices/${invoice.id}/swap`, {
    json: { asset_id: BTC, refund_to: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  })
  await run('setWebhook', 'PUT /v1/account/webhook', { json: { url: 'https://shop.example/zatgate' } })
  await run('getWebhook', 'GET /v1/account/webhook')
  const { delivery_id: deliveryId } = await run('testWebhook', 'POST /v1/account/webhook/test')
  await run('listDeliveries', 'GET /v1/account/webhook/deliveries')
  await run('resendDelivery', `POST /v1/account/webhook/deliveries/${deliveryId}/resend`)
  await run('rotateWebhookSecret', 'POST /v1/account/webhook/rotate-secret')
  const { id: endpointId } = await run('createEndpoint', 'POST /v1/account/endpoints', {
    json: { url: 'https://shop.example/events', types: ['invoice.created', 'invoice.paid'], schedule: 'persistent' },
  })
  const endpoint = `/v1/account/endpoints/${endpointId}`
  await run('listEndpoints', 'GET /v1/account/endpoints')
  await run('getEndpoint', `GET ${endpoint}`)
  await run('changeEndpoint', `PATCH ${endpoint}`, { json: { types: null } })
  await run('rotateEndpointSecret', `POST ${endpoint}/rotate-secret`, { json: {} })
  await run('testEndpoint', `POST ${endpoint}/test`)
  await run('recoverEndpoint', `POST ${endpoint}/recover`, { json: { since: clock.secs - 3_600 } })
  const order = await run('createWithdrawal', 'POST /v1/account/withdrawals', {
    json: { amount_zat: 150_000_000, fiat_currency: 'EUR', payout_to: 'DE89 3704 0044 0532 0130 00' },
  })
  await run('listWithdrawals', 'GET /v1/account/withdrawals')
  await run('getWithdrawal', `GET /v1/account/withdrawals/${order.id}`)
  await run('cancelWithdrawal', `POST /v1/account/withdrawals/${order.id}/cancel`)
  await run('getBilling', 'GET /v1/account/billing')
  await run('subscribe', 'POST /v1/account/billing/subscribe', { json: { plan: 'Business' } })
  await run('listEvents', 'GET /v1/account/events?types=refund.updated&limit=1')
  await run('listSessions', 'GET /v1/account/sessions')
  await run('revokeApiKey', `DELETE /v1/account/api-keys/${keyId}`)
  await run('removeEndpoint', `DELETE ${endpoint}`)
  await run('removeWebhook', 'DELETE /v1/account/webhook')
  const sold = await run('createPaymentLink', 'POST /v1/links', {
    json: {
      title: 'T-shirt',
      currency: 'EUR',
      amount: '25.00',
      stock: 20,
      fields: [{ label: 'Size', required: true }],
    },
  })
  await run('listPaymentLinks', 'GET /v1/links')
  await run('getPaymentLink', `GET /v1/links/${sold.id}`)
  await run('changePaymentLink', `PATCH /v1/links/${sold.id}`, { json: { paused: true } })

  const examples = Object.fromEntries(Object.entries(recorded).filter(([, example]) => Object.keys(example).length > 0))
  compareWithRecorded('examples.json', examples)
})
