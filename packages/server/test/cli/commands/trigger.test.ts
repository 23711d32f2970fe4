import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { type Invoice, ZatgateClient } from '@zatgate/sdk'
import { trigger } from '../../../src/cli/commands/trigger.ts'
import { createContext } from '../../../src/cli/context.ts'
import { createOutput } from '../../../src/cli/output.ts'
import { EVENT_TYPES, type EventType } from '../../../src/domain/notify/event.ts'
import { runCommand } from '../../harness/command-line.ts'
import { stackOf, temporaryFolder } from '../../harness/container.ts'
import { call } from '../../harness/http-call.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { startTestService } from '../../harness/service.ts'
import { SkewedClock } from '../../harness/skewed-clock.ts'
import { BTC } from '../../harness/swap.ts'
import { until } from '../../harness/until.ts'

const clock = new SkewedClock()
const sandbox = await startSandbox({ clock })
const service = await startTestService({ clock, sandbox })
after(async () => {
  await service.close()
  await sandbox.close()
})
const { url, apiKey, sessionToken, email } = service
const client = new ZatgateClient({ baseUrl: url, apiKey, sessionToken })
const env = { DATA_DIR: service.env.DATA_DIR }
const credentials = { api_key: apiKey, session_token: sessionToken, email }
const sandboxFile = JSON.stringify({ ...credentials, api_url: url, sandbox_url: sandbox.controlUrl })
writeFileSync(join(env.DATA_DIR ?? '', 'sandbox.json'), sandboxFile)

/** The status of the invoice in each event about one. */
const STATUS: Readonly<Partial<Record<EventType, Invoice['status']>>> = {
  'invoice.created': 'pending',
  'invoice.payment_received': 'detected',
  'invoice.detected': 'detected',
  'invoice.part_paid': 'pending',
  'invoice.paid': 'paid',
  'invoice.overpaid': 'detected',
  'invoice.underpaid': 'underpaid',
  'invoice.expired': 'expired',
  'invoice.canceled': 'expired',
  'invoice.marked': 'pending',
  'invoice.late_payment': 'expired',
  'invoice.reorged': 'paid',
  'swap.updated': 'pending',
  'swap.refunded': 'pending',
  'swap.failed': 'pending',
  'swap.incomplete_deposit': 'pending',
}

/** The status of the swap in each event about one. */
const SWAP_STATUS: Readonly<Partial<Record<EventType, string>>> = {
  'swap.updated': 'PENDING_DEPOSIT',
  'swap.refunded': 'REFUNDED',
  'swap.failed': 'FAILED',
  'swap.incomplete_deposit': 'INCOMPLETE_DEPOSIT',
}

// biome-ignore lint/suspicious/noExplicitAny: the event as it was printed
type Printed = any

/** Members in the order of the body; undefined ones are absent. */
function invoiceBody(type: EventType, { id, swap, ...invoice }: Invoice): string {
  const { status, amount_zat, received_zat, overpaid_zat, txid, confirmations, canceled_at, marked_as, marked_at } =
    invoice
  const { blockchain, amount_in_formatted, status: swapStatus } = swap ?? {}
  const fields = {
    status,
    amount_zat,
    received_zat,
    overpaid_zat,
    txid,
    confirmations,
    canceled_at,
    marked_as,
    marked_at,
  }
  const paidBy = swap && { asset: BTC, blockchain, amount_in_formatted, status: swapStatus }
  return JSON.stringify({ type, invoice_id: id, ...fields, swap: paidBy })
}

/** The body that the service owes, from what its other endpoints say of the invoice, refund, withdrawal or plan. */
async function expectedBody(type: EventType, { created_at, body }: Printed): Promise<string> {
  if (STATUS[type] !== undefined) {
    const invoice = await client.getInvoice(body.invoice_id)
    assert.deepEqual([invoice.status, invoice.swap?.status], [STATUS[type], SWAP_STATUS[type]])
    return invoiceBody(type, invoice)
  }
  if (type === 'refund.updated') {
    const { refunds } = await client.listInvoiceRefunds(body.invoice_id)
    const [{ id, invoice_id, status, amount_zat, txid }] = refunds as [(typeof refunds)[0]]
    assert.equal(status, 'awaiting_address')
    return JSON.stringify({ type, invoice_id, refund_id: id, status, amount_zat, txid })
  }
  if (type === 'withdrawal.updated') {
    const { id, status, amount_zat, fiat_currency, fiat_amount } = await client.getWithdrawal(body.withdrawal_id)
    assert.equal(status, 'deposit_detected')
    return JSON.stringify({
      ...{ type, invoice_id: null, withdrawal_id: id },
      ...{ status, amount_zat, fiat_currency, fiat_amount },
    })
  }
  if (type === 'plan.updated') {
    const { plan } = await client.getAccount()
    const { expires_at } = body
    const sinceEnd = created_at + 365 * 86_400 - expires_at
    assert.ok(sinceEnd >= 0 && sinceEnd <= 60, `${sinceEnd} s`)
    return JSON.stringify({ type, invoice_id: null, plan, expires_at })
  }
  return JSON.stringify({ type, invoice_id: null })
}

for (const type of EVENT_TYPES)
  test(`trigger ${type} makes one happen, and prints it as the feed has it, byte for byte`, async () => {
    const onError = (text: string) => text.includes('waits') && clock.advance(61)
    const { code, out, err } = await runCommand(['trigger', type], env, { onError })
    assert.equal(code, 0, err)
    const printed: Printed = JSON.parse(out)
    assert.equal(out.slice(out.indexOf('"body":') + '"body":'.length, -2), await expectedBody(type, printed))
    const { text } = await call(service, `GET /v1/account/events?after=${printed.seq - 1}&limit=1`, {
      token: sessionToken,
    })
    assert.equal(text, `[${out.trimEnd()}]`)
  })

test('trigger test leaves the webhook as it was', async () => {
  await assert.rejects(client.getWebhook(), { code: 'webhook_not_set' })
  const { secret } = await client.setWebhook(sandbox.webhookUrl)
  const { code } = await runCommand(['trigger', 'test'], env)
  assert.equal(code, 0)
  assert.deepEqual([(await client.getWebhook()).url, typeof secret], [sandbox.webhookUrl, 'string'])
})

test('trigger without a type lists each with what it does; another type is refused', async () => {
  const { code, out } = await runCommand(['trigger'], {})
  assert.equal(code, 0)
  const [, ...rows] = out.trimEnd().split('\n')
  assert.deepEqual(
    rows.map(row => row.split(' ')[0]),
    [...EVENT_TYPES],
  )
  const wrong = await runCommand(['trigger', 'invoice.payed'], env)
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /TYPE must be one of invoice\.paid, /)
})

test('trigger says what is missing: the sandbox, or its process', async t => {
  const folder = temporaryFolder(stackOf(t))
  const none = await runCommand(['trigger', 'test'], { DATA_DIR: folder })
  assert.deepEqual([none.code, none.out], [1, ''])
  assert.match(none.err, /no sandbox was started here: run npm start/)
  const real = await runCommand(['trigger', 'test'], { ...service.env, DATA_DIR: env.DATA_DIR })
  assert.match(real.err, /no sandbox was started here/)
  const stopped = { ...credentials, api_url: url, sandbox_url: 'http://127.0.0.1:1' }
  writeFileSync(join(folder, 'sandbox.json'), JSON.stringify(stopped))
  const absent = await runCommand(['trigger', 'invoice.paid'], { DATA_DIR: folder })
  assert.deepEqual([absent.code, absent.out], [1, ''])
  assert.match(absent.err, /the sandbox does not respond at http:\/\/127\.0\.0\.1:1: /)
})

test('trigger ends with an error when the event does not appear in time', async t => {
  const post = (path: string, body: object) =>
    fetch(sandbox.controlUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/chain', { down: true })
  t.after(() => post('/chain', { down: false }))
  const manual = new ManualClock()
  const context = createContext(createOutput(false, new PassThrough(), new PassThrough()), {}, env)
  const running = trigger({ type: 'invoice.detected' }, context, manual)
  await until('the wait', () => manual.sleeping.length > 0)
  manual.advance(manual.sleeping[0]! / 1000)
  await assert.rejects(running, /the event invoice\.detected did not appear within 180 s/)
})
