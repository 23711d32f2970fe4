import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { verifyWebhook } from '@zatgate/sdk/webhook'
import { createLogger } from '../../src/adapters/system/logger.ts'
import { runCommand } from '../harness/command-line.ts'
import { stackOf } from '../harness/container.ts'
import { call } from '../harness/http-call.ts'
import { startSandboxService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import type { Merchant } from './fixture.ts'
import { startReceiver } from './receiver.ts'
import { PAYOUT_TO } from './story.ts'
import { onEveryVersion, type Restore } from './versions.ts'

/** More sales than the address ranges that a process reserves at first. */
const SOLD = 40

/** Longer than the delay of a retry, and shorter than a code is valid. */
const RETRY_SECS = 300

/** Starts this version on a restored backup. @param secs since the backup was made */
async function upgrade(t: TestContext, restore: Restore, secs = 5) {
  const stack = stackOf(t)
  const receiver = stack.adopt(await startReceiver(), it => it.close())
  const { facts, databaseUrl, dataDir } = await restore(stack, receiver.url)
  const clock = new SkewedClock({ unixSecs: facts.recordedAt + secs })
  const logged: string[] = []
  const logger = createLogger('info', { destination: { write: line => void logged.push(line) } })
  const env = { ENCRYPTION_KEY: facts.encryptionKey }
  const at = stack.adopt(
    await startSandboxService({ databaseUrl, clock, logger, env, sandboxOptions: { dataDir } }),
    it => it.close(),
  )
  const [demo, second] = facts.merchants as [Merchant, Merchant]
  const get = async (line: string, token?: string) => {
    const { status, body } = await call(at, `GET ${line}`, token === undefined ? {} : { token })
    assert.equal(status, 200, line)
    return body
  }
  const invoice = (name: string) => get(`/v1/invoices/${facts.invoices[name]}`)
  const becomesPaid = (name: string) => until(`${name} is paid`, async () => (await invoice(name)).status === 'paid')
  return { at, facts, clock, receiver, logged, demo, second, get, invoice, becomesPaid }
}

/** Asserts that a response has every recorded member with its value. The time of the last use changes with each request. */
function assertKept(actual: unknown, recorded: unknown, path: string): void {
  if (path.endsWith('.last_used_at')) return
  if (typeof recorded !== 'object' || recorded === null) assert.deepEqual(actual, recorded, path)
  else
    for (const [name, value] of Object.entries(recorded))
      assertKept(member(actual, name, path), value, `${path}.${name}`)
}

function member(value: unknown, name: string, path: string): unknown {
  assert.ok(typeof value === 'object' && value !== null, path)
  return (value as Record<string, unknown>)[name]
}

onEveryVersion((_version, _engine, restore) => {
  test('merchants and buyers read what that version responded, with the credentials of then', async t => {
    const { facts, get } = await upgrade(t, restore)
    assert.ok(facts.responses.length > 20)
    for (const { email, line, body } of facts.responses) {
      const token = facts.merchants.find(merchant => merchant.email === email)?.sessionToken
      const now = await get(line.replace('GET ', ''), token)
      // The delivery that was waiting has a new attempt, which is listed first.
      const comparable = line.includes('/deliveries') ? now.slice(-(body as unknown[]).length) : now
      if (Array.isArray(body)) assert.equal(comparable.length, body.length, line)
      assertKept(comparable, body, line)
    }
  })

  test('invoices of that version become paid, from each status', async t => {
    const { at, facts, second, get, invoice, becomesPaid } = await upgrade(t, restore)
    const { wallet, chain, oneclick } = at.sandbox
    for (const name of ['confirming', 'unmined']) assert.equal((await invoice(name)).status, 'detected')
    for (const name of ['pending', 'purchase', 'ofSecond']) wallet.pay({ uri: (await invoice(name)).zip321_uri })
    const { amount_zat, received_zat, zip321_uri: uri } = await invoice('partlyPaid')
    assert.ok(received_zat > 0)
    wallet.pay({ uri, amount: BigInt(amount_zat - received_zat) })
    const { swap, status } = await invoice('swapping')
    assert.deepEqual([status, swap.status], ['pending', 'PROCESSING'])
    oneclick.drive(swap.deposit_address, { outcome: 'SUCCESS' })
    for (const name of ['pending', 'partlyPaid', 'swapping', 'purchase', 'ofSecond'])
      await until(name, async () => (await invoice(name)).status === 'detected')
    chain.mine(3)
    for (const name of Object.keys(facts.invoices)) await becomesPaid(name)
    await until('the plan', async () => (await get('/v1/account/billing', second.sessionToken)).plan === 'Business')
  })

  test('a new invoice gets an address that was never shown, before or after the backup', async t => {
    const { at, facts, logged, demo } = await upgrade(t, restore)
    const create = (json: object, headers = {}) => call(at, 'POST /v1/invoices', { token: demo.apiKey, json, headers })
    const shown = facts.responses.map(({ body }) => (body as { address?: string }).address).filter(Boolean)
    const earlier = new Set([...shown, ...facts.soldLater])
    assert.ok(earlier.size > facts.soldLater.length)
    for (let i = 0; i < SOLD; i++) {
      const { status, body } = await create({ amount_zat: 10_000 + i })
      assert.equal(status, 200)
      assert.ok(!earlier.has(body.address))
      earlier.add(body.address)
    }
    assert.equal(logged.filter(line => line.includes('address counters')).length, 1)
    const repeated = { 'idempotency-key': facts.idempotencyKey }
    const again = await create({ amount_zat: 600_000, expires_in_secs: 86_400 }, repeated)
    assert.deepEqual([again.status, again.body.id], [200, facts.invoices.pending])
  })

  test('the waiting delivery and the queued mails are sent, and secrets are decrypted', async t => {
    const { at, facts, clock, receiver, second } = await upgrade(t, restore, RETRY_SECS)
    const { webhook, invoices, unpaidOut } = facts
    await until('the delivery', () => receiver.count('invoice.paid') > 0)
    const deliveries = await Promise.all(
      receiver.accepted.map(({ body, headers }) =>
        verifyWebhook(body, headers, webhook.secret, { nowMs: clock.nowMs() }),
      ),
    )
    assert.deepEqual(
      deliveries.map(event => [event.type, event.invoice_id]),
      [['invoice.paid', invoices.unreported]],
    )
    await until('the reminder', () => at.sandbox.mailbox.mails(second.email).length > 0)
    assert.match(await at.codeFor('newcomer@example.org'), /^\d{6}$/)

    const order = await runCommand(['withdrawals', 'show', unpaidOut, '--json'], at.env)
    assert.equal(order.json().payout_to, PAYOUT_TO)
    const settled = await runCommand(
      ['withdrawals', 'settle', unpaidOut, '--reference', 'transfer 8', '--json'],
      at.env,
    )
    assert.deepEqual([settled.code, settled.json().status], [0, 'completed'])
  })
})
