import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '@zatgate/sandbox/webhook-receiver'
import { verifyWebhook, type WebhookEvent, ZatgateClient } from '@zatgate/sdk'
import type { Clock } from '../../src/ports/clock.ts'
import { onBothDatabases } from '../harness/databases.ts'
import { findPostgres, NO_POSTGRES, startPostgres } from '../harness/postgres.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'

/** Checks the exact signed events of a paid invoice, an underpaid invoice and a webhook test. */
async function checkEvents(at: TestService, clock: SkewedClock): Promise<void> {
  const { sandbox } = at
  const client = new ZatgateClient({ baseUrl: at.url, apiKey: at.apiKey, sessionToken: at.sessionToken })
  const { secret } = await client.setWebhook(sandbox.webhookUrl)
  const delivery = (type: WebhookEvent['type'], invoiceId: string | null) =>
    until(`${type} to arrive`, () => sandbox.webhookReceiver.deliveries.find(isAbout(type, invoiceId)), 20_000)

  const paid = await client.createInvoice({ amount_zat: 1_000_000 })
  sandbox.wallet.pay({ uri: paid.zip321_uri, amount: 1_250_000n })
  const partly = await client.createInvoice({ amount_zat: 1_000_000, expires_in_secs: 60 })
  const part = sandbox.wallet.pay({ uri: partly.zip321_uri, amount: 1n })
  await until('both payments', async () => {
    const [full, little] = await Promise.all([client.getInvoice(paid.id), client.getInvoice(partly.id)])
    return full.status === 'detected' && little.received_zat === 1
  })
  sandbox.chain.mine(3)
  const event = await verified(await delivery('invoice.paid', paid.id), secret, clock)
  const read = await client.getInvoice(paid.id)
  assert.deepEqual(event, {
    type: 'invoice.paid',
    invoice_id: paid.id,
    status: 'paid',
    amount_zat: 1_000_000,
    received_zat: 1_250_000,
    overpaid_zat: 250_000,
    txid: read.txid,
    swap: null,
  })

  clock.advance(90)
  assert.deepEqual(await verified(await delivery('invoice.underpaid', partly.id), secret, clock), {
    type: 'invoice.underpaid',
    invoice_id: partly.id,
    status: 'underpaid',
    amount_zat: 1_000_000,
    received_zat: 1,
    overpaid_zat: 0,
    txid: part.id,
    swap: null,
  })

  const { delivery_id: testId } = await client.testWebhook()
  const testDelivery = await delivery('test', null)
  assert.equal(testDelivery.headers['webhook-id'], testId)
  assert.equal(testDelivery.body.toString(), '{"type":"test","invoice_id":null}')
  await verified(testDelivery, secret, clock)

  const log = await until('all deliveries to be logged', async () => {
    const rows = await client.listDeliveries()
    return rows.length === 3 && rows.every(row => row.status_code === 200) && rows
  })
  assert.deepEqual(log.map(row => [row.event_type, row.invoice_id, row.attempt, row.error]).sort(), [
    ['invoice.paid', paid.id, 1, null],
    ['invoice.underpaid', partly.id, 1, null],
    ['test', null, 1, null],
  ])
  assert.equal((await client.listDeliveries({ invoice_id: paid.id })).length, 1)
}

/** An invoice's own webhook gets its events too, the account's everything. */
async function checkOwnWebhook(at: TestService, clock: SkewedClock): Promise<void> {
  const { sandbox } = at
  const client = new ZatgateClient({ baseUrl: at.url, apiKey: at.apiKey, sessionToken: at.sessionToken })
  const { key } = await client.createApiKey('shop', { scopes: ['invoices:create', 'invoices:write'] })
  const shop = new ZatgateClient({ baseUrl: at.url, apiKey: key })
  const { secret } = await client.setWebhook(sandbox.webhookUrl)
  const ownUrl = `${sandbox.webhookUrl}own`
  sandbox.webhookReceiver.script(
    [
      { kind: 'status', status: 503 },
      { kind: 'status', status: 200 },
    ],
    '/own',
  )
  const sell = async (webhook_url?: string) => {
    const invoice = await shop.createInvoice({ amount_zat: 1_000_000, ...(webhook_url && { webhook_url }) })
    sandbox.wallet.pay({ uri: invoice.zip321_uri })
    await until('the payment', async () => (await client.getInvoice(invoice.id)).status === 'detected')
    return invoice
  }
  const [own, same, none] = [await sell(ownUrl), await sell(sandbox.webhookUrl), await sell()]
  sandbox.chain.mine(3)
  const pathsOf = ({ id }: { id: string }) =>
    sandbox.webhookReceiver.deliveries.filter(isAbout('invoice.paid', id)).map(({ path }) => path)
  await until('the events', () => pathsOf(own).length === 2 && pathsOf(same).length === 1 && pathsOf(none).length === 1)
  clock.advance(15)
  await until('the second attempt', () => pathsOf(own).length === 3)
  assert.deepEqual(pathsOf(own).sort(), ['/', '/own', '/own'], 'each URL has its own attempts')
  assert.deepEqual([pathsOf(same), pathsOf(none)], [['/'], ['/']], 'a URL gets each event once')
  const copies = sandbox.webhookReceiver.deliveries.filter(isAbout('invoice.paid', own.id))
  for (const copy of copies) assert.equal((await verified(copy, secret, clock)).invoice_id, own.id)
  assert.equal(new Set(copies.map(({ headers }) => headers['webhook-id'])).size, 2)

  const rows = await until('the log', async () => {
    const attempts = await client.listDeliveries({ invoice_id: own.id })
    return attempts.length === 3 && attempts.every(row => row.status_code !== null) && attempts
  })
  const failed = rows.find(row => row.url === ownUrl)!
  await client.resendDelivery(failed.delivery_id)
  await until('the resent event', () => pathsOf(own).length === 4)
  assert.equal(pathsOf(own).at(-1), '/own', 'it is sent where it was sent before')
}

function isAbout(type: string, invoiceId: string | null): (delivery: Delivery) => boolean {
  return ({ body }) => {
    const event: WebhookEvent = JSON.parse(body.toString())
    return event.type === type && event.invoice_id === invoiceId
  }
}

function verified({ body, headers }: Delivery, secret: string | undefined, clock: Clock): Promise<WebhookEvent> {
  return verifyWebhook(body, headers, secret ?? '', { nowMs: clock.nowMs() })
}

test('on SQLite, invoice events are sent to the webhook', async t => {
  const clock = new SkewedClock()
  const at = await startTestService({ clock })
  t.after(() => at.close())
  await checkEvents(at, clock)
})

onBothDatabases(engine => {
  test('events of an invoice are sent to its own webhook too', async t => {
    const clock = new SkewedClock()
    const { url: databaseUrl } = await engine.createDatabase(t)
    const at = await startTestService({ databaseUrl, clock })
    t.after(() => at.close())
    await checkOwnWebhook(at, clock)
  })
})

const bin = findPostgres()
test('two processes on one PostgreSQL: one syncs the chain, the other delivers the events', {
  skip: bin ? false : NO_POSTGRES,
}, async t => {
  const postgres = await startPostgres(bin!)
  t.after(() => postgres.stop())
  const databaseUrl = await postgres.freshDatabase()
  const clock = new SkewedClock()
  const chainSync = await startTestService({ databaseUrl, clock, env: { ROLES: 'api,watcher' } })
  t.after(() => chainSync.close())
  const { sandbox } = chainSync
  const deliverer = await startTestService({ databaseUrl, clock, sandbox, env: { ROLES: 'delivery' } })
  t.after(() => deliverer.close())
  await checkEvents(chainSync, clock)
})
