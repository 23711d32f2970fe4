import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createMailService } from '../../../src/container.ts'
import type { Account } from '../../../src/domain/account/account.ts'
import type { HttpClient } from '../../../src/ports/http-client.ts'
import type { OutgoingMail } from '../../../src/ports/mailer.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const DAY_SECS = 86_400
const SLOTS = { total: 100, forAccount: () => 100, fullAccountIds: [], isAttempting: () => false }
/** The delays before the attempts, and some time for an interrupted one to count as lost. */
const TIMES = [0, 15, 65, 305, 20]

/** A service with a merchant, whose server and whose deliveries the test drives. */
async function createHarness(engine: DatabaseEngine, t: TestContext) {
  const store = await openEmptyStore(engine, t)
  const clock = new ManualClock()
  const sent: OutgoingMail[] = []
  const bodies: string[] = []
  let status = 500
  const webhookHttp: HttpClient = {
    async send({ body }) {
      bodies.push(String(body))
      return { status, headers: {}, body: new Uint8Array() }
    },
    close: () => {},
  }
  const mailer = { send: async (mail: OutgoingMail) => void sent.push(mail), close: () => {} }
  const { infrastructure, services } = await openTestContainer(t, { store, clock, mailer, webhookHttp })
  const mails = createMailService(infrastructure, mailer, () => 'https://pay.example')
  const account = await services.accounts.findOrCreate('shop@example.org')
  await services.webhooks.set(account, 'https://shop.example/hook')
  await mails.sendNotices(10)
  sent.length = 0

  const raise = (owner: Account, ...bodies: readonly string[]) => {
    const event = { accountId: owner.id, invoiceId: null, type: 'plan.updated', createdAt: clock.secs } as const
    return store.write(tx =>
      services.outbox.append(
        tx,
        bodies.map(body => ({ ...event, body })),
      ),
    )
  }
  const record = async (end: boolean) => {
    const { jobs } = await services.deliveries.recordAndClaim([], SLOTS)
    if (!end) return
    const ended = await Promise.all(jobs.map(job => services.deliveries.attempt(job)))
    await services.deliveries.recordAndClaim(ended, { ...SLOTS, total: 0 })
  }
  return {
    ...services,
    store,
    clock,
    account,
    bodies,
    raise,
    respondWith: (next: number) => {
      status = next
    },
    /** Lets the open deliveries have their four attempts. @param end whether their results are recorded */
    async deliver(end = true) {
      for (const secs of TIMES) {
        clock.advance(secs)
        await record(end)
      }
    },
    async mailed() {
      await mails.sendNotices(10)
      return sent.splice(0)
    },
  }
}

onBothDatabases(engine => {
  test('the first event that fails for good is mailed at once, later ones at most once a day', async t => {
    const { account, raise, deliver, mailed, clock } = await createHarness(engine, t)
    await raise(account, '{"a":1}')
    await deliver()
    const [mail, ...more] = await mailed()
    assert.deepEqual(more, [])
    assert.deepEqual([mail?.to, mail?.subject], ['shop@example.org', 'zatgate: your webhook failed'])
    assert.match(mail?.text ?? '', /^An event could not be delivered .*four attempts.* failed: answered 500\.\n/)
    assert.match(mail?.text ?? '', /send the failed events again: https:\/\/pay\.example\/webhook\?show=failed\n/)

    await raise(account, '{"a":2}')
    await raise(account, '{"a":3}')
    await deliver()
    assert.deepEqual(await mailed(), [])
    clock.advance(DAY_SECS)
    assert.match((await mailed())[0]?.text ?? '', /^2 events could not be delivered/)
    clock.advance(2 * DAY_SECS)
    assert.deepEqual(await mailed(), [])
    await raise(account, '{"a":4}')
    await deliver()
    assert.equal((await mailed()).length, 1)
  })

  test('an event whose last attempt was interrupted is mailed too; a test event is not', async t => {
    const { account, raise, deliver, mailed, webhooks } = await createHarness(engine, t)
    await webhooks.test(account)
    await deliver()
    assert.deepEqual(await mailed(), [])
    assert.equal(await webhooks.countFailed(account), 0)
    await raise(account, '{}')
    await deliver(false)
    assert.match((await mailed())[0]?.text ?? '', /failed: interrupted: the service stopped/)
    assert.equal(await webhooks.countFailed(account), 1)
  })

  test('failed events are sent again once, oldest first, and only those of the account', async t => {
    const { account, accounts, raise, deliver, webhooks, respondWith, bodies } = await createHarness(engine, t)
    const other = await accounts.findOrCreate('other@example.org')
    await webhooks.set(other, 'https://other.example/')
    await raise(account, '{"n":1}', '{"n":2}', '{"n":3}')
    await raise(other, '{"other":1}')
    await deliver()
    const failed = await webhooks.deliveries(account, { limit: 10 }, { failed: true })
    assert.deepEqual(
      failed.map(({ state, attempts, resentAt, lastAttempts }) => [state, attempts, resentAt, lastAttempts[0]?.error]),
      Array(3).fill(['failed', 4, null, 'answered 500']),
    )
    // One is sent again by hand: it is not among those that are sent again together.
    respondWith(204)
    bodies.length = 0
    await webhooks.resend(account, failed[1]!.publicId)
    assert.deepEqual(await webhooks.resendFailed(account), { resent: 2, left: 0 })
    assert.deepEqual(await webhooks.resendFailed(account), { resent: 0, left: 0 })
    await deliver()
    assert.deepEqual(bodies, ['{"n":2}', '{"n":1}', '{"n":3}'])
    assert.deepEqual([await webhooks.countFailed(account), await webhooks.countFailed(other)], [0, 1])
    const all = await webhooks.deliveries(account, { limit: 10 })
    assert.deepEqual(
      all.map(({ state, resentAt }) => [state, resentAt !== null]),
      [...Array(3).fill(['delivered', false]), ...Array(3).fill(['failed', true])],
    )
    await assert.rejects(webhooks.resend(account, failed[0]!.publicId.replace(/./g, '0')), { code: 'no_such_delivery' })
  })

  test('as many events are sent again as fit beside those that wait, and the rest is named', async t => {
    const { account, raise, deliver, webhooks } = await createHarness(engine, t)
    await raise(account, ...Array<string>(5).fill('{}'))
    await deliver()
    await raise(account, ...Array<string>(997).fill('{}'))
    assert.deepEqual(await webhooks.resendFailed(account), { resent: 3, left: 2 })
    await assert.rejects(webhooks.resendFailed(account), { code: 'too_many_deliveries' })
  })

  test('without a webhook nothing is sent again, and the failed events stay', async t => {
    const { account, raise, deliver, webhooks } = await createHarness(engine, t)
    await raise(account, '{}')
    await deliver()
    await webhooks.remove(account)
    await assert.rejects(webhooks.resendFailed(account), { code: 'webhook_not_set' })
    assert.equal(await webhooks.countFailed(account), 1)
  })
})
