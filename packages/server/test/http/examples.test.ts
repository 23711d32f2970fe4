import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { invoiceEventBody, planUpdatedEvent, withdrawalUpdatedEvent } from '../../src/domain/event.ts'
import { TEST_EVENT_BODY } from '../../src/domain/webhook.ts'
import type { Random } from '../../src/ports/random.ts'
import { startTestApi } from '../harness/api.ts'
import { type CallOptions, call } from '../harness/http-call.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { BTC } from '../harness/swap.ts'
import { startProvider } from '../harness/swap-provider.ts'
import { testViewingKey } from '../harness/viewing-key.ts'

const FILE = new URL('../../src/http/openapi/examples.json', import.meta.url)

/** The same sequence in every run. */
function countingRandom(): Random {
  let drawn = 0
  const bytes = (count: number): Uint8Array => {
    drawn += 1
    const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, index) =>
      createHash('sha256').update(`example ${drawn} ${index}`).digest(),
    )
    return Buffer.concat(blocks).subarray(0, count)
  }
  const uuid = () => {
    const hex = Buffer.from(bytes(16)).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  return { bytes, uuid }
}

/** The bodies of webhooks, by the functions that make them. */
function eventBodies(): Record<string, string> {
  const publicId = '5d4c1c0e-3c53-4b0e-8a51-2f0c4f6f7b10'
  const pending = { publicId, status: 'pending', amountZat: 2_500_000n, receivedZat: 0n, overpaidZat: 0n } as const
  const paid = { ...pending, status: 'paid', receivedZat: 2_500_000n, txid: '4f'.repeat(32) } as const
  const underpaid = { ...pending, status: 'underpaid', receivedZat: 1_000_000n, txid: '4f'.repeat(32) } as const
  const swapped = (status: string) => ({ asset: BTC, blockchain: 'btc', amountInFormatted: '0.0000125', status })
  const withdrawal = {
    accountId: 1,
    publicId: '0b8c0f86-2f60-4b1b-9a43-7a5a3b3a5f27',
    status: 'completed',
    amountZat: 150_000_000n,
    fiatCurrency: 'EUR',
    fiatAmount: '148.50',
  } as const
  return {
    'invoice.paid': invoiceEventBody('invoice.paid', paid, null),
    'invoice.underpaid': invoiceEventBody('invoice.underpaid', underpaid, null),
    'swap.refunded': invoiceEventBody('swap.refunded', { ...pending, txid: null }, swapped('REFUNDED')),
    'swap.failed': invoiceEventBody('swap.failed', { ...pending, txid: null }, swapped('FAILED')),
    'swap.incomplete_deposit': invoiceEventBody(
      'swap.incomplete_deposit',
      { ...pending, txid: null },
      swapped('INCOMPLETE_DEPOSIT'),
    ),
    'withdrawal.updated': withdrawalUpdatedEvent(withdrawal, 1_800_000_000).body ?? '',
    'plan.updated': planUpdatedEvent(1, { plan: 'Pro', planExpiresAt: 1_802_592_000 }, 1_800_000_000).body ?? '',
    test: TEST_EVENT_BODY,
  }
}

test('the examples of the document are what the service responds; ZATGATE_RECORD=1 writes them anew', async t => {
  const clock = new ManualClock()
  const { provider } = await startProvider(t, { clock })
  const api = await startTestApi({ clock, random: countingRandom(), swapProvider: provider })
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
  const { id: keyId } = await run('createApiKey', 'POST /v1/account/api-keys', { json: { name: 'web shop' } })
  await run('listApiKeys', 'GET /v1/account/api-keys')
  const invoice = await run('createInvoice', 'POST /v1/invoices', {
    token: apiKey,
    json: { amount_zat: 2_500_000, expires_in_secs: 900 },
  })
  await run('getInvoice', `GET /v1/invoices/${invoice.id}`)
  await run('listInvoices', 'GET /v1/account/invoices?limit=20')
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
  const order = await run('createWithdrawal', 'POST /v1/account/withdrawals', {
    json: { amount_zat: 150_000_000, fiat_currency: 'EUR', payout_to: 'DE89 3704 0044 0532 0130 00' },
  })
  await run('listWithdrawals', 'GET /v1/account/withdrawals')
  await run('getWithdrawal', `GET /v1/account/withdrawals/${order.id}`)
  await run('cancelWithdrawal', `POST /v1/account/withdrawals/${order.id}/cancel`)
  await run('getBilling', 'GET /v1/account/billing')
  await run('subscribe', 'POST /v1/account/billing/subscribe', { json: { plan: 'Business' } })
  await run('listSessions', 'GET /v1/account/sessions')
  await run('revokeApiKey', `DELETE /v1/account/api-keys/${keyId}`)
  await run('removeWebhook', 'DELETE /v1/account/webhook')

  for (const [type, body] of Object.entries(eventBodies())) recorded[type] = { request: JSON.parse(body) }

  const examples = Object.fromEntries(Object.entries(recorded).filter(([, example]) => Object.keys(example).length > 0))
  if (process.env.ZATGATE_RECORD) writeFileSync(FILE, `${JSON.stringify(examples, null, 2)}\n`)
  assert.deepEqual(examples, JSON.parse(readFileSync(FILE, 'utf8')))
})
