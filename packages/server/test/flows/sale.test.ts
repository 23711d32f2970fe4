import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { run } from '../../src/cli/main.ts'
import { describePostgres } from '../harness/databases.ts'
import { call } from '../harness/http-call.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { subscribe } from '../harness/websocket-client.ts'

const AMOUNT = 1_000_000

async function sell(at: TestService, amount = AMOUNT) {
  const { status, body } = await call(at, 'POST /v1/invoices', { token: at.apiKey, json: { amount_zat: amount } })
  assert.equal(status, 200)
  return body as { id: string; zip321_uri: string }
}

const read = async (at: TestService, id: string) => (await call(at, `GET /v1/invoices/${id}`)).body

/** Pays an invoice in two parts and mines three blocks. Checks each step over HTTP and WebSocket. */
async function paidInTwoParts(at: TestService): Promise<void> {
  const { id, zip321_uri: uri } = await sell(at)
  const client = subscribe(at.url, id)
  await client.message(0)

  const first = at.sandbox.wallet.pay({ uri, amount: 600_000n })
  assert.equal(await client.message(1), '{"status":"pending"}')
  const partly = await read(at, id)
  assert.deepEqual([partly.status, partly.received_zat, partly.overpaid_zat], ['pending', 600_000, 0])
  assert.equal(partly.txid, first.id)

  const paidAt = performance.now()
  const second = at.sandbox.wallet.pay({ uri, amount: 500_000n })
  assert.equal(await client.message(2), '{"status":"detected","confirmations":0}')
  assert.ok(performance.now() - paidAt < 5_000)
  const fully = await read(at, id)
  assert.deepEqual([fully.status, fully.received_zat, fully.overpaid_zat], ['detected', 1_100_000, 100_000])
  assert.equal(fully.txid, second.id)

  for (const confirmations of [1, 2]) {
    at.sandbox.chain.mine(1)
    const message = await client.message(2 + confirmations)
    assert.deepEqual(JSON.parse(message), { status: 'detected', confirmations })
  }
  assert.equal((await read(at, id)).status, 'detected')
  at.sandbox.chain.mine(1)
  assert.equal(await client.closed, 1000)
  assert.equal(client.messages.at(-1), '{"status":"paid"}')
  const paid = await read(at, id)
  assert.deepEqual([paid.status, paid.received_zat, paid.overpaid_zat], ['paid', 1_100_000, 100_000])
  assert.equal(paid.txid, second.id)
}

const readTip = async (at: TestService) => (await at.service.store.read(tx => tx.chain.tip()))?.height

test('on SQLite, an invoice is paid in two parts, while doctor and rescan find no problem', async t => {
  const at = await startTestService()
  t.after(() => at.close())
  await paidInTwoParts(at)

  const command = async (...args: string[]) => {
    const out = new PassThrough().setEncoding('utf8')
    const code = await run([...args, '--json'], { env: at.env, stdout: out, stderr: process.stderr })
    return { code, output: JSON.parse(out.read()) }
  }
  const health = await command('doctor')
  assert.deepEqual(
    // Its advice about settings depends on who runs it.
    health.output.filter(({ check, state }: Record<string, string>) => check !== 'settings' && state !== 'ok'),
    [
      { check: 'backup', state: 'skipped', says: 'a regtest has no real money' },
      { check: 'clock', state: 'skipped', says: 'regtest block times are arbitrary' },
    ],
  )
  const tip = await readTip(at)
  assert.deepEqual(await command('rescan', '--from', '1'), { code: 0, output: { from: 1, to: tip, found: 0 } })
})

test('an invoice is paid in two parts before Ironwood with Orchard payments, and after its activation', async t => {
  const at = await startTestService({ sandboxOptions: { nu63Height: 8 } })
  t.after(() => at.close())
  await paidInTwoParts(at)
  assert.ok(at.sandbox.chain.height < 8)
  at.sandbox.chain.mine(8 - at.sandbox.chain.height)
  await until('Ironwood to be reached', async () => (await readTip(at)) === at.sandbox.chain.height)
  await paidInTwoParts(at)
})

describePostgres('two processes on one PostgreSQL', server => {
  test('one syncs the chain, the other reports the payment', async t => {
    const databaseUrl = await server().migratedDatabase()
    const chainSync = await startTestService({ databaseUrl, env: { ROLES: 'api,watcher' } })
    t.after(() => chainSync.close())
    const front = await startTestService({ databaseUrl, sandbox: chainSync.sandbox, env: { ROLES: 'api' } })
    t.after(() => front.close())
    await paidInTwoParts(front)
  })
})
