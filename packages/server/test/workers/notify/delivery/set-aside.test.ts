import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServices } from '../../../../src/container.ts'
import type { Account } from '../../../../src/domain/account/account.ts'
import type { Infrastructure } from '../../../../src/infrastructure.ts'
import type { HttpClient } from '../../../../src/ports/http-client.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { openTestContainer } from '../../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases } from '../../../harness/databases.ts'
import { recordingLog } from '../../../harness/log.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { type PoisonRow, poisonRow, run } from '../../../harness/poison.ts'
import { until } from '../../../harness/until.ts'

const SLOTS = { total: 100, forAccount: () => 10, fullAccountIds: [], isAttempting: () => false }

async function open(engine: DatabaseEngine, t: TestContext) {
  const database = await engine.createDatabase(t)
  const clock = new ManualClock()
  const log = recordingLog()
  const sent: string[] = []
  /** The receivers answer when it resolves. */
  const answers = { at: Promise.resolve() }
  const webhookHttp: HttpClient = {
    async send({ url }) {
      sent.push(new URL(url).pathname)
      await answers.at
      return { status: 500, headers: {}, body: Buffer.from('no\0') }
    },
    close: () => {},
  }
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true' }
  const options = { clock, log, webhookHttp, env, store: await database.open() }
  const { infrastructure, services } = await openTestContainer(t, options)
  const { deliveries, webhooks, accounts, setAsides } = services
  /** Sends what is due, and records the results. */
  async function deliver(): Promise<void> {
    const { jobs } = await deliveries.recordAndClaim([], SLOTS)
    await deliveries.recordAndClaim(await Promise.all(jobs.map(deliveries.attempt)), { ...SLOTS, total: 0 })
  }
  return {
    ...services,
    store: infrastructure.store,
    url: database.url,
    clock,
    log,
    sent,
    answers,
    deliver,
    async account(name: string): Promise<Account> {
      const account = await accounts.findOrCreate(`${name}@example.com`)
      await webhooks.set(account, `http://shop.example/${name}`)
      return account
    },
    attempts: (account: Account) => webhooks.attempts(account, { limit: 10 }),
    kinds: async () => (await setAsides.countByKind()).map(({ kind, rows }) => [kind, rows]),
    poison: (row: PoisonRow) => poisonRow(database.url, row),
    secondProcess: (change: Partial<Infrastructure> = {}) => createServices({ ...infrastructure, ...change }, null),
  }
}

/** The bad one is the first, one in the middle, and the last. */
const POSITIONS = [0, 2, 4]
const NAMES = ['a', 'b', 'c', 'd', 'e']

onBothDatabases(engine => {
  for (const position of POSITIONS) {
    test(`one result that the database refuses, at place ${position}, is stored without the answer; all others are kept`, async t => {
      const service = await open(engine, t)
      const accounts = []
      for (const name of NAMES) accounts.push(await service.account(name))
      const ids = []
      for (const account of accounts) ids.push(await service.webhooks.test(account))
      await service.poison({ table: 'delivery_attempts', column: 'response', value: 'no\ufffd', on: 'UPDATE' })
      const bad = accounts[position] as Account
      const good = accounts.filter(account => account !== bad)
      const { jobs } = await service.deliveries.recordAndClaim([], SLOTS)
      const ended = await Promise.all(jobs.map(service.deliveries.attempt))
      const results = ended.map(result => ({
        ...result,
        response: result.accountId === bad.id ? result.response : 'ok',
      }))
      await service.deliveries.recordAndClaim(results, { ...SLOTS, total: 0 })
      for (const account of good) assert.equal((await service.attempts(account))[0]?.statusCode, 500)
      const [attempt] = await service.attempts(bad)
      assert.equal(attempt?.error, 'the result of this attempt could not be stored')
      assert.deepEqual(await service.kinds(), [], 'nothing is set aside')
    })

    test(`a delivery whose result cannot be stored at all, at place ${position}, is set aside and sent again later`, async t => {
      const service = await open(engine, t)
      const accounts = []
      for (const name of NAMES) accounts.push(await service.account(name))
      for (const account of accounts) await service.webhooks.test(account)
      const bad = accounts[position] as Account
      const repair = await service.poison({
        table: 'delivery_attempts',
        column: 'account_id',
        value: String(bad.id),
        on: 'UPDATE',
      })
      await service.deliver()
      assert.equal(service.sent.length, 5)
      for (const account of accounts.filter(account => account !== bad))
        assert.equal((await service.attempts(account))[0]?.statusCode, 500)
      assert.deepEqual(await service.kinds(), [['delivery', 1]])
      assert.deepEqual(await service.setAsides.countByKindOf(bad.id), await service.setAsides.countByKind())
      const lines = service.log.lines.filter(({ details }) => details.kind === 'delivery')
      assert.deepEqual(
        lines.map(({ level, details }) => [level, details.account, details.error]),
        [['error', bad.id, 'poison']],
      )

      service.clock.advance(30)
      await service.deliver()
      assert.ok(!service.sent.slice(5).includes(`/${NAMES[position]}`), 'it is left out')
      assert.equal(service.sent.length, 9)
      await repair()
      service.clock.advance(30)
      await service.deliveries.retrySetAside()
      assert.deepEqual(await service.kinds(), [])
      await service.deliver()
      assert.ok(service.sent.slice(9).includes(`/${NAMES[position]}`))
    })

    test(`a webhook whose secret does not open, at place ${position}, waits without a lost attempt; the others are called`, async t => {
      const service = await open(engine, t)
      const accounts = []
      for (const name of NAMES) accounts.push(await service.account(name))
      for (const account of accounts) await service.webhooks.test(account)
      const bad = accounts[position] as Account
      const zero = engine.name === 'SQLite' ? "x'00'" : "'\\x00'"
      await run(service.url, [`UPDATE webhooks SET secret = ${zero} WHERE account_id = ${bad.id}`])
      await service.deliver()
      assert.equal(service.sent.length, 4)
      assert.deepEqual(await service.attempts(bad), [])
      assert.deepEqual(await service.kinds(), [['webhook', 1]])
      service.clock.advance(60)
      await service.deliveries.retrySetAside()
      assert.deepEqual(await service.kinds(), [['webhook', 1]], 'it still does not open')

      await service.webhooks.rotateSecret(bad)
      assert.deepEqual(await service.kinds(), [])
      service.sent.length = 0
      await service.deliver()
      assert.ok(service.sent.includes(`/${NAMES[position]}`))
    })

    test(`a delivery that cannot be claimed, at place ${position}, holds up neither its account nor the others`, async t => {
      const service = await open(engine, t)
      const accounts = []
      for (const name of NAMES) accounts.push(await service.account(name))
      const bad = accounts[position] as Account
      for (const account of accounts) await service.webhooks.test(account)
      const badId = await service.webhooks.test(bad)
      await service.webhooks.test(bad)
      const repair = await service.poison({ table: 'deliveries', column: 'public_id', value: badId, on: 'UPDATE' })
      await service.deliver()
      assert.equal(service.sent.length, 6)
      assert.deepEqual(await service.kinds(), [['delivery', 1]])
      service.clock.advance(60)
      await service.deliveries.retrySetAside()
      assert.deepEqual(await service.kinds(), [['delivery', 1]], 'it still cannot be written')
      await repair()
      service.clock.advance(120)
      const before = service.sent.length
      await service.deliveries.retrySetAside()
      assert.deepEqual(await service.kinds(), [])
      await service.deliver()
      assert.equal(service.sent.slice(before).filter(path => path === `/${NAMES[position]}`).length, 3)
    })
  }

  test('a delivery that was set aside is not sent by a second process that starts during its attempt', async t => {
    const service = await open(engine, t)
    const account = await service.account('a')
    const id = await service.webhooks.test(account)
    const repair = await service.poison({ table: 'deliveries', column: 'public_id', value: id, on: 'UPDATE' })
    await service.deliver()
    await repair()
    service.clock.advance(60)
    const { promise, resolve } = Promise.withResolvers<void>()
    service.answers.at = promise
    const first = service.deliveries.retrySetAside()
    await until('the first request', () => service.sent.length > 0)
    const second = service.secondProcess()
    service.clock.advance(1)
    await second.setAsides.makeAllDue()
    const retried = second.deliveries.retrySetAside()
    // A second request would wait for its answer.
    for (let turn = 0; turn < 10_000 && service.sent.length === 1; turn++) await new Promise(setImmediate)
    const requests = service.sent.length
    resolve()
    await Promise.all([first, retried])
    assert.equal(requests, 1)
    assert.deepEqual(await service.kinds(), [])
  })

  test('a webhook is not set aside because another process has set its only due delivery aside meanwhile', async t => {
    const service = await open(engine, t)
    const account = await service.account('a')
    const id = await service.webhooks.test(account)
    await service.poison({ table: 'deliveries', column: 'public_id', value: id, on: 'UPDATE' })
    let failures = 0
    const store: Store = {
      ...service.store,
      async write(work) {
        try {
          return await service.store.write(work)
        } catch (error) {
          failures += 1
          throw error
        }
      },
      async query(work) {
        // Before it looks for the delivery that fails.
        if (failures === 2) await service.deliver()
        return service.store.query(work)
      },
    }
    await service.secondProcess({ store }).deliveries.recordAndClaim([], SLOTS)
    assert.ok(failures >= 2)
    assert.deepEqual(await service.kinds(), [['delivery', 1]])
  })

  for (const on of ['INSERT', 'UPDATE'] as const)
    test(`a delivery whose attempts cannot be stored, at ${on}, is tried less and less often`, async t => {
      const service = await open(engine, t)
      const bad = await service.account('a')
      await service.webhooks.test(bad)
      await service.poison({ table: 'delivery_attempts', column: 'account_id', value: String(bad.id), on })
      await service.deliver()
      const start = service.clock.secs
      const failures = new Map<number, number>()
      for (let passed = 0; passed < 2_000; passed += 20) {
        service.clock.advance(20)
        await service.deliveries.retrySetAside()
        await service.deliver()
        const [entry] = await service.store.read(tx => tx.setAside.list(1))
        const count = entry?.failures ?? 0
        if (!failures.has(count)) failures.set(count, service.clock.secs - start)
      }
      assert.deepEqual(Object.fromEntries(failures), { 1: 20, 2: 60, 3: 180, 4: 420, 5: 900, 6: 1_860 })
    })
})
