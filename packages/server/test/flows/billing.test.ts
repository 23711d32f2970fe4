import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { verifyWebhook, type WebhookEvent, ZatgateClient } from '@zatgate/sdk'
import { run } from '../../src/cli/main.ts'
import { startOfNextMonth } from '../../src/domain/time.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { startTestService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'

const DAY = 86_400
const PERIOD_DAYS = 5
const LIMIT = 3
const IBAN = 'DE89370400440532013000'
const PLANS = [
  { name: 'Free', monthly_invoice_limit: LIMIT, price_zat: 0, period_days: 30 },
  { name: 'Pro', monthly_invoice_limit: 100, price_zat: 10_000_000, period_days: PERIOD_DAYS },
  { name: 'Business', monthly_invoice_limit: null, price_zat: 50_000_000, period_days: PERIOD_DAYS },
]

/** Starts the service with a webhook over real sockets and a clock that can be advanced. */
async function start(t: TestContext, plan: string) {
  const plansFile = join(temporaryFolder(stackOf(t)), 'plans.json')
  writeFileSync(plansFile, JSON.stringify(PLANS))
  // Early in a month, so that the monthly count does not restart while the test advances the clock.
  const clock = new SkewedClock({ unixSecs: Date.UTC(2027, 0, 5) / 1000 })
  const at = await startTestService({
    clock,
    env: { PLANS_FILE: plansFile, WITHDRAWAL_SPREAD_BPS: '100' },
  })
  t.after(() => at.close())
  await at.service.accounts.setPlan(at.email, plan, null)
  const { url: baseUrl, apiKey, sessionToken } = at
  const client = new ZatgateClient({ baseUrl, apiKey, sessionToken, retries: 0 })
  const { secret } = await client.setWebhook(at.sandbox.webhookUrl)
  const { deliveries } = at.sandbox.webhookReceiver

  /**
   * Waits for `count` events of this type. Returns them in order, with verified signatures. A delivery whose result is not
   * yet recorded when the test advances the clock counts as lost, and is repeated.
   */
  async function events<T extends WebhookEvent['type']>(type: T, count: number) {
    const ofType = () => {
      const all = deliveries.filter(({ body }) => JSON.parse(body.toString()).type === type)
      return [...new Map(all.map(delivery => [delivery.headers['webhook-id'], delivery])).values()]
    }
    const received = await until(`${count} events ${type}`, () => ofType().length >= count && ofType(), 20_000)
    const verified = await Promise.all(
      received.map(({ body, headers, receivedAtMs }) =>
        verifyWebhook(body, headers, secret ?? '', { nowMs: receivedAtMs }),
      ),
    )
    return verified as Extract<WebhookEvent, { type: T }>[]
  }

  function pay(uri: string): void {
    at.sandbox.wallet.pay({ uri })
    at.sandbox.chain.mine(3)
  }

  /** Runs an operator command while the service is running. */
  async function command(...args: string[]) {
    let text = ''
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        text += chunk
        done()
      },
    })
    const code = await run([...args, '--json'], { env: at.env, stdout, stderr: stdout })
    return { code, value: code === 0 ? JSON.parse(text) : text }
  }

  return { at, clock, client, events, pay, command, secs: () => Math.floor(clock.nowMs() / 1000) }
}

test('an account reaches the Free limit, buys, renews and loses a plan: each change sends an event, and the limit applies again', async t => {
  const { at, clock, client, events, pay, secs } = await start(t, 'Free')
  const create = () => client.createInvoice({ amount_zat: 1_000 })
  for (let created = 0; created < LIMIT; created++) await create()
  const limitReached = {
    status: 402,
    code: 'monthly_invoice_limit_reached',
    body: {
      code: 'monthly_invoice_limit_reached',
      message: 'monthly invoice limit reached for the Free plan',
      limit: LIMIT,
      used: LIMIT,
      plan: 'Free',
      resets_at: startOfNextMonth(secs()),
      doc_url: `${at.url}/docs/errors#monthly_invoice_limit_reached`,
    },
  }
  await assert.rejects(create, limitReached)

  const first = await client.subscribe('Pro')
  assert.deepEqual([first.amount_zat, first.status], [10_000_000, 'pending'])
  const paidFrom = secs()
  pay(first.zip321_uri)
  const [bought] = await events('plan.updated', 1)
  assert.ok(bought?.expires_at)
  assert.ok(bought.expires_at >= paidFrom + PERIOD_DAYS * DAY && bought.expires_at <= secs() + PERIOD_DAYS * DAY)
  assert.deepEqual(bought, { type: 'plan.updated', invoice_id: null, plan: 'Pro', expires_at: bought.expires_at })
  const { plan, expires_at, invoices_this_month } = await client.getBilling()
  assert.deepEqual([plan, expires_at], ['Pro', bought.expires_at])
  assert.deepEqual([invoices_this_month.used, invoices_this_month.limit], [LIMIT, 100])
  assert.equal((await create()).status, 'pending')

  pay((await client.subscribe('Pro')).zip321_uri)
  const renewed = (await events('plan.updated', 2))[1]
  assert.equal(renewed?.expires_at, bought.expires_at + PERIOD_DAYS * DAY)

  clock.advance(2 * PERIOD_DAYS * DAY)
  const expiredPlan = (await events('plan.updated', 3))[2]
  assert.ok(
    expiredPlan && expiredPlan.expires_at >= bought.expires_at + PERIOD_DAYS * DAY && expiredPlan.expires_at <= secs(),
  )
  assert.deepEqual(expiredPlan, {
    type: 'plan.updated',
    invoice_id: null,
    plan: 'Free',
    expires_at: expiredPlan.expires_at,
  })
  await assert.rejects(create, { ...limitReached, body: { ...limitReached.body, used: LIMIT + 1 } })
})

test('a withdrawal from quote to payout: deposit, confirmation and settlement by command each send an event', async t => {
  const { at, client, events, command } = await start(t, 'Business')
  at.sandbox.rates.setPrice('ZECEUR', '1222.31000')
  const order = await client.createWithdrawal({ amount_zat: 150_000_000, fiat_currency: 'EUR', payout_to: IBAN })
  // 1.5 × 1222.31 × 0.99, rounded down.
  assert.deepEqual([order.rate, order.fiat_amount], ['1222.31', '1815.13'])
  assert.deepEqual([order.status, order.payout_to, order.txid], ['awaiting_deposit', 'DE••••3000', null])
  assert.ok(order.zip321_uri.startsWith(`zcash:${order.deposit_address}?amount=1.5&memo=`))

  at.sandbox.wallet.pay({ uri: order.zip321_uri })
  await events('withdrawal.updated', 1)
  at.sandbox.chain.mine(3)
  await events('withdrawal.updated', 2)
  const [listed] = (await command('withdrawals', 'list')).value
  assert.deepEqual([listed.id, listed.status, listed.payout_to], [order.id, 'payout_processing', 'DE••••3000'])
  assert.equal((await command('withdrawals', 'show', order.id)).value.payout_to, IBAN)
  assert.equal((await command('withdrawals', 'settle', order.id)).code, 2)
  const settled = await command('withdrawals', 'settle', order.id, '--reference', 'SEPA 4711')
  assert.deepEqual([settled.code, settled.value.status], [0, 'completed'])
  assert.equal((await command('withdrawals', 'settle', order.id, '--reference', 'again')).code, 1)

  const sent = await events('withdrawal.updated', 3)
  assert.deepEqual(
    sent,
    (['deposit_detected', 'payout_processing', 'completed'] as const).map(status => ({
      type: 'withdrawal.updated',
      invoice_id: null,
      withdrawal_id: order.id,
      status,
      amount_zat: 150_000_000,
      fiat_currency: 'EUR',
      fiat_amount: '1815.13',
    })),
  )
  const done = await client.getWithdrawal(order.id)
  assert.deepEqual([done.status, done.reference, done.reason], ['completed', 'SEPA 4711', null])
  assert.equal(done.received_zat, 150_000_000)
  assert.match(done.txid ?? '', /^[0-9a-f]{64}$/)
})
