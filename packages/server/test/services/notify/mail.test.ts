import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailService } from '../../../src/container.ts'
import type { Mailer, OutgoingMail } from '../../../src/ports/mailer.ts'
import type { Store } from '../../../src/ports/store.ts'
import { startMailLoops } from '../../../src/workers/notify/mail.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { silentLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { until } from '../../harness/until.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

const OWNER = 'owner@example.org'
const STRANGER = 'stranger@example.org'
const isCode = (mail: OutgoingMail) => mail.subject.endsWith('code')

/** Services with a mail server that accepts what `accept` resolves for. */
async function createHarness(engine: DatabaseEngine, t: Parameters<typeof openEmptyStore>[1]) {
  const store = await openEmptyStore(engine, t)
  const clock = new ManualClock()
  const sent: OutgoingMail[] = []
  let accept: (mail: OutgoingMail) => Promise<void> = async () => {}
  const mailer: Mailer = {
    async send(mail) {
      await accept(mail)
      sent.push(mail)
    },
    close: () => {},
  }
  const { infrastructure, services } = await openTestContainer(t, { store, clock, mailer })
  const mails = createMailService(infrastructure, mailer, () => 'https://pay.example')
  const account = await services.accounts.findOrCreate(OWNER)
  return {
    ...services,
    infrastructure: { ...infrastructure, mailer },
    store,
    clock,
    mails,
    sent,
    account,
    setAccept: (next: typeof accept) => {
      accept = next
    },
  }
}

onBothDatabases(engine => {
  test('setting the present webhook URL, viewing key or confirmations again mails nothing', async t => {
    const { webhooks, viewingKeys, accounts, account, mails, sent, clock } = await createHarness(engine, t)
    await webhooks.set(account, 'https://shop.example/hook')
    const webhook = await webhooks.read(account)
    const { account: withKey } = await viewingKeys.set(account, testViewingKey())
    await accounts.setTerms(withKey, { confirmations: 5 })
    assert.equal(await mails.sendNotices(10), 3)
    for (let i = 0; i < 20; i++) {
      clock.advance(3_600)
      const again = await webhooks.set(withKey, 'https://shop.example/hook')
      assert.deepEqual(again, { webhook, secret: null })
      await viewingKeys.set(account, testViewingKey())
      await accounts.setTerms(withKey, { confirmations: 5 })
      assert.equal(await mails.sendNotices(10), 0)
    }
    await viewingKeys.set(account, testViewingKey(2))
    await webhooks.set(account, 'https://shop.example/other')
    assert.equal(await mails.sendNotices(10), 2)
    assert.equal(sent.length, 5)
  })

  test('the first change of a kind is mailed at once, later ones within ten minutes are one mail that counts them', async t => {
    const { webhooks, apiKeys, account, mails, sent, clock } = await createHarness(engine, t)
    const setUrl = (host: string) => webhooks.set(account, `https://${host}/hook`)
    await setUrl('first.example')
    assert.equal(await mails.sendNotices(10), 1)
    assert.match(sent[0]?.text ?? '', /^On .* UTC, the webhook URL was set in your zatgate account: first\.example\./)
    for (let i = 0; i < 1_000; i++) await setUrl(i % 2 === 0 ? 'one.example' : 'two.example')
    await apiKeys.create(account, 'till')
    await mails.sendNotices(10)
    assert.deepEqual(
      sent.slice(1).map(({ subject }) => subject),
      ['zatgate: an API key was created'],
      'another kind does not wait',
    )
    clock.advance(599)
    assert.equal(await mails.sendNotices(10), 0)
    clock.advance(1)
    assert.equal(await mails.sendNotices(10), 1)
    assert.match(
      sent[2]?.text ?? '',
      /^Since the last mail about it, the webhook URL was set 1000 times in .*The last time was on .*: two\.example\./,
    )
    clock.advance(86_400)
    assert.equal(await mails.sendNotices(10), 0)
  })

  test('a run opens no write transaction when there is no mail to sort, send or remove', async t => {
    const { infrastructure, signIn, store, clock, sent } = await createHarness(engine, t)
    let writes = 0
    const counting: Store = {
      ...store,
      write(work) {
        writes += 1
        return store.write(work)
      },
    }
    const mails = createMailService({ ...infrastructure, store: counting }, infrastructure.mailer, () => '')
    /** The mails sent by both loops, and whether each wrote. */
    const run = async () => {
      writes = 0
      const codes = await mails.sendCodes(10)
      const codesWrote = writes > 0
      const notices = await mails.sendNotices(10)
      return [codes, codesWrote, notices, !codesWrote && writes > 0]
    }
    assert.deepEqual(await run(), [0, false, 0, false])
    await signIn.requestCode(STRANGER, '203.0.113.5')
    assert.deepEqual(await run(), [1, true, 0, false])
    assert.deepEqual(await run(), [0, false, 0, false])
    const notice = { to: OWNER, about: 'webhook_url_set', detail: null, createdAt: clock.secs + 1 } as const
    await store.write(tx => tx.mails.enqueue(notice))
    assert.deepEqual(await run(), [0, false, 0, false], 'a notice that is due in a second')
    clock.advance(1)
    assert.deepEqual(await run(), [0, false, 1, true])
    assert.equal(sent.length, 2)
    clock.advance(599)
    assert.deepEqual(await run(), [0, false, 0, false])
    clock.advance(1)
    assert.deepEqual(await run(), [0, false, 0, true], 'the row of a notice that may be mailed again')
    assert.deepEqual(await run(), [0, false, 0, false])
  })

  test('a mail whose result cannot be recorded does not let the next run send another one of its batch again', async t => {
    const { infrastructure, webhooks, apiKeys, account, store, clock, sent, setAccept } = await createHarness(engine, t)
    await webhooks.set(account, 'https://shop.example/hook')
    await apiKeys.create(account, 'till')
    const slow = Promise.withResolvers<void>()
    const recorded = Promise.withResolvers<void>()
    setAccept(mail => (mail.subject.includes('API key') ? slow.promise : Promise.resolve()))
    let writes = 0
    const failing: Store = {
      ...store,
      async write(work) {
        // The first write claims both, the second one records that the first of them is sent.
        if (++writes !== 2) return store.write(work)
        recorded.resolve()
        throw new Error('disk I/O error')
      },
    }
    const mails = createMailService({ ...infrastructure, store: failing }, infrastructure.mailer, () => '')
    let runs = 0
    const run = async () => {
      await mails.sendNotices(10).catch(() => {})
      runs += 1
    }
    const first = run()
    await recorded.promise
    // Longer than the lease of a claim. The loop starts the next run when this one has ended.
    clock.advance(61)
    await new Promise(resolve => setImmediate(resolve))
    const second = runs === 1 ? run() : null
    await new Promise(resolve => setImmediate(resolve))
    slow.resolve()
    await Promise.all([first, second])
    assert.equal(sent.filter(({ subject }) => subject.includes('API key')).length, 1)
  })

  test('a code does not wait for notices that are queued before it, fail or hang', async t => {
    const { signIn, mails, setAsides, sent, store, clock, setAccept } = await createHarness(engine, t)
    for (let i = 0; i < 40; i++)
      await store.write(tx =>
        tx.mails.enqueue({ to: `${i}@example.org`, about: 'webhook_url_set', detail: null, createdAt: clock.secs }),
      )
    const hanging = Promise.withResolvers<void>()
    let hangingNotices = 0
    setAccept(mail => {
      if (isCode(mail)) return Promise.resolve()
      hangingNotices++
      return hanging.promise
    })
    const processes = [1, 2].map(() => startMailLoops({ store, mails, setAsides, clock, log: silentLog }))
    await until('notices hang', () => hangingNotices > 0)
    await signIn.requestCode(STRANGER, '203.0.113.5')
    await until('the code is sent while all notices hang', () => sent.some(isCode))
    assert.deepEqual(
      sent.map(({ to }) => to),
      [STRANGER],
    )
    setAccept(async mail => {
      if (!isCode(mail)) throw new Error('451 try later')
    })
    hanging.reject(new Error('451 try later'))
    await signIn.requestCode(STRANGER, '203.0.113.5')
    await until('the second code is sent while notices fail', () => sent.filter(isCode).length === 2)
    await Promise.all(processes.map(loops => loops.stop()))
  })

  test('codes for known browsers and accounts are sent before codes for unknown emails that were requested earlier', async t => {
    const { signIn, mails, sent } = await createHarness(engine, t)
    for (let i = 0; i < 30; i++) await signIn.requestCode(`junk${i}@example.org`, '203.0.113.5')
    await signIn.requestCode(OWNER, '203.0.113.5')
    assert.equal(await mails.sendCodes(1), 1)
    assert.deepEqual(
      sent.map(({ to }) => to),
      [OWNER],
    )
  })
})
