import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createMailService } from '../../../src/container.ts'
import { mailOf } from '../../../src/domain/set-aside.ts'
import type { OutgoingMail } from '../../../src/ports/mailer.ts'
import type { Store } from '../../../src/ports/store.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { poisonRow, run } from '../../harness/poison.ts'

const RECIPIENTS = ['a', 'b', 'c', 'd', 'e'].map(name => `${name}@example.org`)

async function open(engine: DatabaseEngine, t: TestContext) {
  const clock = new ManualClock()
  const database = await engine.createDatabase(t)
  const sent: OutgoingMail[] = []
  const mailer = { send: async (mail: OutgoingMail) => void sent.push(mail), close: () => {} }
  const { infrastructure, services } = await openTestContainer(t, { clock, mailer, store: await database.open() })
  const poison = (value: string, column = 'recipient') =>
    poisonRow(database.url, { table: 'mails', column, value, on: 'UPDATE' })
  return {
    infrastructure,
    services,
    url: database.url,
    clock,
    sent,
    poison,
    /** Only the end of the mail cannot be written: the claim leaves "mailed" as it is. */
    poisonEnd: (recipient: string) => poison(`${recipient}1`, 'recipient || mailed_events'),
    enqueue: (...recipients: readonly string[]) =>
      infrastructure.store.write(async tx => {
        for (const to of recipients)
          await tx.mails.enqueue({ to, about: 'webhook_removed', detail: null, createdAt: clock.secs })
      }),
    async requestCodes(...emails: readonly string[]) {
      for (const email of emails) await services.accounts.findOrCreate(email)
      for (const email of emails) await services.signIn.requestCode(email, '203.0.113.5')
    },
    mails: createMailService(infrastructure, mailer, () => 'https://pay.example'),
    kinds: async () => (await services.setAsides.countByKind()).map(({ kind, rows }) => [kind, rows]),
  }
}

onBothDatabases(engine => {
  for (const position of [0, 2, 4])
    test(`a mail that cannot be recorded as sent, at place ${position}, keeps no other from being sent`, async t => {
      const { enqueue, poisonEnd, clock, sent, mails, kinds } = await open(engine, t)
      await enqueue(...RECIPIENTS)
      const bad = RECIPIENTS[position] as string
      const repair = await poisonEnd(bad)
      assert.equal(await mails.sendNotices(10), 5)
      assert.deepEqual(sent.map(({ to }) => to).sort(), RECIPIENTS)
      assert.deepEqual(await kinds(), [['mail', 1]])
      clock.advance(60)
      assert.equal(await mails.sendNotices(10), 0, 'it is left out, and the others are done')
      await repair()
      await mails.retrySetAside()
      assert.deepEqual(await kinds(), [])
      assert.deepEqual(
        sent.slice(5).map(({ to }) => to),
        [bad],
      )
      assert.equal(await mails.sendNotices(10), 0)
    })

  test('a mail whose end cannot be recorded is tried less and less often, and sent a bounded number of times', async t => {
    const { infrastructure, enqueue, poisonEnd, clock, sent, mails } = await open(engine, t)
    await enqueue('a@example.org')
    await poisonEnd('a@example.org')
    const start = clock.secs
    await mails.sendNotices(10)
    const tried: string[] = []
    for (let retries = 0; retries < 12; retries++) {
      const [entry] = await infrastructure.store.query(tx => tx.setAside.list(2))
      assert.ok(entry)
      tried.push(`${entry.failures}: ${entry.nextAttemptAt - start}`)
      clock.advance(entry.nextAttemptAt - clock.secs)
      await mails.retrySetAside()
    }
    assert.deepEqual(tried.slice(0, 5), ['1: 60', '2: 180', '3: 420', '4: 900', '5: 1860'])
    assert.equal(sent.length, 8)
  })

  for (const [what, claimed, waitSecs] of [
    ['notice', 'claimed', 600],
    ['code', 'moved to its queue', 300],
  ] as const)
    for (const position of [0, 2, 4])
      test(`a ${what} that cannot be ${claimed}, at place ${position}, keeps no other from being sent`, async t => {
        const { enqueue, requestCodes, poison, clock, sent, mails, kinds } = await open(engine, t)
        await (what === 'notice' ? enqueue : requestCodes)(...RECIPIENTS)
        const bad = RECIPIENTS[position] as string
        const repair = await poison(bad)
        await (what === 'notice' ? mails.sendNotices(10) : mails.sendCodes(10))
        assert.deepEqual(sent.map(({ to }) => to).sort(), RECIPIENTS.toSpliced(position, 1))
        assert.deepEqual(await kinds(), [['mail', 1]])
        clock.advance(60)
        await mails.retrySetAside()
        assert.deepEqual(await kinds(), [['mail', 1]], `it still cannot be ${claimed}`)
        await repair()
        clock.advance(waitSecs)
        await mails.retrySetAside()
        assert.equal(sent.at(-1)?.to, bad)
        assert.deepEqual(await kinds(), [])
      })

  test('a later notice with the row id of one that was set aside is not taken for it', async t => {
    const { infrastructure, enqueue, poison, url, clock, sent, mails, kinds } = await open(engine, t)
    await enqueue('first@example.org', 'lost@example.org')
    const repair = await poison('lost@example.org')
    await mails.sendNotices(10)
    assert.deepEqual(await kinds(), [['mail', 1]])
    await repair()
    await removeLast(url, infrastructure)
    clock.advance(3600)
    await enqueue('later@example.org')
    await mails.retrySetAside()
    assert.deepEqual(
      sent.map(({ to }) => to),
      ['first@example.org'],
      'its turn is not that of the lost one',
    )
    assert.deepEqual(await kinds(), [])
    await mails.sendNotices(10)
    assert.deepEqual(
      sent.map(({ to }) => to),
      ['first@example.org', 'later@example.org'],
    )
  })

  test('a later code with the row id of one that was set aside is not moved to a queue before its turn', async t => {
    const { infrastructure, services, requestCodes, poison, url, clock, sent, mails, kinds } = await open(engine, t)
    await services.accounts.findOrCreate('later@example.org')
    await requestCodes('lost@example.org', 'first@example.org')
    const repair = await poison('lost@example.org')
    await mails.sendCodes(10)
    assert.deepEqual(await kinds(), [['mail', 1]])
    await repair()
    await removeLast(url, infrastructure)
    clock.advance(3600)
    await services.signIn.requestCode('later@example.org', '203.0.113.5')
    await mails.retrySetAside()
    assert.equal((await infrastructure.store.query(tx => tx.mails.listUnsorted(10))).length, 1)
    assert.deepEqual(await kinds(), [])
    await mails.sendCodes(10)
    assert.deepEqual(
      sent.map(({ to }) => to),
      ['first@example.org', 'later@example.org'],
    )
  })
})

/** Removes the mail with the greatest row id. The next one has its id, as on SQLite, or on a standby of PostgreSQL. */
async function removeLast(url: string, infrastructure: { readonly store: Store }): Promise<void> {
  const [entry] = await infrastructure.store.query(tx => tx.setAside.list(1))
  assert.ok(entry)
  const { id } = mailOf(entry)
  const restart = url.startsWith('sqlite:') ? [] : [`ALTER TABLE mails ALTER COLUMN id RESTART WITH ${id}`]
  await run(url, [`DELETE FROM mails WHERE id = ${id}`, ...restart])
}
