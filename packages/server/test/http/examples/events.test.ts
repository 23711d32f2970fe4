import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import { verifyWebhook } from '@zatgate/sdk'
import { EVENT_TYPES, isWebhookEvent } from '../../../src/domain/notify/event.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { startDeliveryWorker } from '../../../src/workers/notify/delivery.ts'
import { closeNoteScanner } from '../../harness/chain-sync.ts'
import { SwapHarness } from '../../harness/swap.ts'
import { until } from '../../harness/until.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'
import { compareWithRecorded, countingRandom } from './recorded.ts'

const ZEC = 100_000_000n
const HEADERS = ['x-service-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature']

after(closeNoteScanner)

/** Causes each event: payments on the chain, swaps of the provider, a plan, and a withdrawal. */
async function causeEvents(harness: SwapHarness): Promise<void> {
  const { chainSync } = harness
  const { account, services } = chainSync
  const { billing, payouts, withdrawals, webhooks } = services
  const payAndMine = async (invoice: Invoice, amount: bigint) => {
    chainSync.pay(invoice, amount)
    await chainSync.sync()
    await harness.mine(3)
  }

  await webhooks.test(account)
  const paid = await harness.invoice()
  await payAndMine(paid, paid.amountZat)
  await services.refunds.create(account, paid.publicId, { idempotencyKey: undefined })

  const plan = await billing.subscribe(account, 'Pro')
  await payAndMine(plan, plan.amountZat)

  const request = { amountZat: (3n * ZEC) / 2n, fiatCurrency: 'EUR', payoutTo: 'DE89 3704 0044 0532 0130 00' }
  const { withdrawal, invoice: deposit } = await withdrawals.create(account, { ...request, idempotencyKey: undefined })
  await payAndMine(deposit, deposit.amountZat)
  await payouts.markPaidOut(withdrawal.publicId, 'SEPA 4711')

  for (const outcome of ['REFUNDED', 'FAILED', 'INCOMPLETE_DEPOSIT']) {
    const swap = await harness.start(await harness.invoice())
    harness.drive(swap, outcome)
    await harness.advance(10)
  }

  const underpaid = await harness.invoice({ expiresInSecs: 600 })
  await payAndMine(underpaid, 1_000_000n)
  await chainSync.expire()
  await causeFurtherEvents(harness)
}

/** Those that the webhook does not get, and that the others have not caused. */
async function causeFurtherEvents(harness: SwapHarness): Promise<void> {
  const { chainSync } = harness
  const { account, services, sandbox } = chainSync
  const request = { amountZat: 2_500_000n, expiresInSecs: undefined, idempotencyKey: undefined }
  const { publicId } = await services.invoices.create(account, request)
  await services.cancellations.cancel(account, publicId)
  const { publicId: paidInCash } = await services.invoices.create(account, request)
  await services.marks.mark(account, paidInCash, 'settled')
  const [late] = await chainSync.query(tx => tx.invoices.byPublicIds([publicId]))
  const overpaid = await harness.invoice()
  const reorged = await harness.invoice()
  chainSync.pay(late!, late!.amountZat)
  chainSync.pay(overpaid, 3_000_000n)
  const txid = chainSync.pay(reorged, reorged.amountZat)
  await chainSync.sync()
  await harness.mine(3)
  sandbox.reorg({ depth: 3, drop: [txid], blocks: 4 })
  await chainSync.sync()
}

test('the examples of the events are what a webhook receives, or the feed has; ZATGATE_RECORD=1 writes them anew', async t => {
  const receiver = await WebhookReceiver.start()
  t.after(() => receiver.close())
  const container = {
    random: countingRandom(),
    env: { WEBHOOK_ALLOW_PRIVATE: 'true' },
    config: { billingViewingKey: testViewingKey(9) },
  }
  const harness = await SwapHarness.start(t, { container })
  const { account, clock, infrastructure, services } = harness.chainSync
  const { secret } = await services.webhooks.set(account, receiver.url)
  assert.ok(secret)
  await causeEvents(harness)

  // It starts now, because what it draws at random meanwhile would change the ids.
  const worker = startDeliveryWorker({ ...infrastructure, ...services })
  t.after(() => worker.stop())
  const feed = await services.eventFeed.read(account, { limit: 200, waitMs: 0 }, t.signal)
  const events: Record<string, { headers?: Record<string, string | undefined>; body: unknown }> = {}
  for (const type of EVENT_TYPES) {
    const isExample = (text: string) => {
      const event = JSON.parse(text)
      return event.type === type && (type !== 'withdrawal.updated' || event.status === 'completed')
    }
    if (!isWebhookEvent(type)) {
      const { body } = feed.events.findLast(event => isExample(event.body)) ?? assert.fail(`no ${type}`)
      events[type] = { body: JSON.parse(body) }
      assert.equal(JSON.stringify(events[type].body), body)
      continue
    }
    const delivered = () => receiver.deliveries.findLast(({ body }) => isExample(body.toString()))
    const { headers, body } = await until(type, delivered)
    const event = await verifyWebhook(body, headers, secret, { nowMs: clock.nowMs() })
    assert.equal(JSON.stringify(event), body.toString(), 'a reader of the document can repeat the exact bytes')
    events[type] = { headers: Object.fromEntries(HEADERS.map(name => [name, headers[name]])), body: event }
  }
  compareWithRecorded('events.json', { secret, events })
})
