import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeProblem, isSame } from '../../src/parts/mail/causes.ts'
import { MailJudge } from '../../src/parts/mail/judge.ts'
import type { MailRow } from '../../src/parts/mail/ledger.ts'
import type { ServiceProcess } from '../../src/service/process.ts'
import { Mailboxes, type MailMode, type SentMail } from '../../src/world/mailboxes.ts'
import { createFakeWorld, NOW_SECS } from './fake-world.ts'

const PROCESS = { name: 'process 1', alive: true, clock: { nowMs: () => NOW_SECS * 1000 } } as ServiceProcess
const QUEUED: MailRow = {
  id: 1n,
  recipient: 'a@example.org',
  about: 'api_key_created',
  code_id: null,
  detail: 'shop',
  created_at: BigInt(NOW_SECS),
  due_at: BigInt(NOW_SECS),
  attempts: 0n,
  account_id: null,
  queue: 'notice',
  events: 1n,
  mailed_events: 0n,
}
const CLAIMED: MailRow = { ...QUEUED, attempts: 1n, due_at: BigInt(NOW_SECS + 60) }
const UNCLAIMED = { attempts: 0n, due_at: BigInt(NOW_SECS) }
const ATTENTION: MailRow = {
  ...QUEUED,
  about: 'reorged_payments',
  detail: null,
  account_id: 1n,
  due_at: BigInt(NOW_SECS + 120),
}

const COUNTS = { email: 'a@example.org', keys: 0n, revoked: 0n, sessions: 0n, deletion: null, erased: null }
const ACCOUNTS = new Map([[COUNTS.email, COUNTS]])

/** A judge that has seen an empty queue. */
function start() {
  const { world, broken, tables } = createFakeWorld()
  Object.assign(world, { committer: PROCESS, nextSeed: () => 1 })
  const judge = new MailJudge(world)
  let keys = 0n
  tables['count(*)'] = [COUNTS]
  judge.check()
  return {
    world,
    broken,
    tables,
    judge,
    /** Lets the judge see a queue. @param created API keys in the same commit */
    see(queue: readonly MailRow[], created = 0n) {
      keys += created
      tables['count(*)'] = [{ ...COUNTS, keys }]
      tables['FROM mails'] = queue
      judge.check()
    },
  }
}

function sentMail(accepted: boolean, fields: Partial<SentMail> = {}): SentMail {
  const acknowledgedClockMs = accepted ? NOW_SECS * 1000 : null
  const text = 'On 2026-02-01 00:00 UTC, an API key was created in your zatgate account: shop.'
  const subject = 'zatgate: an API key was created'
  return { to: 'a@example.org', subject, text, process: PROCESS, sentMs: 0, accepted, acknowledgedClockMs, ...fields }
}

test('a mail that is queued with its cause, claimed, sent and removed breaks no rule', () => {
  const { see, judge, broken } = start()
  see([QUEUED], 1n)
  see([CLAIMED])
  judge.sent(sentMail(true))
  see([])
  assert.deepEqual(broken, [])
})

test('a mail without its cause, removed unsent, or sent unclaimed is found', () => {
  const { see, judge, broken } = start()
  see([QUEUED])
  judge.sent(sentMail(true))
  see([CLAIMED])
  see([])
  assert.deepEqual(broken, [
    'changes of an account are mailed to its owner',
    'a mail is claimed before it is sent',
    'a mail stays in the queue until it is sent',
  ])
})

test('a mail with an expired code is removed unsent, and an equal one with a new code is not', () => {
  const { see, judge, broken, tables } = start()
  const expired = { ...CLAIMED, about: 'code', detail: null, code_id: 1n }
  const usable = { ...expired, id: 2n, code_id: 2n }
  tables['FROM sign_in_codes'] = [{ expires_at: BigInt(NOW_SECS) }]
  const begin = () => {
    see([
      { ...expired, ...UNCLAIMED },
      { ...usable, ...UNCLAIMED },
    ])
    see([expired, usable])
  }
  begin()
  judge.sent(sentMail(true, { subject: 'Your zatgate sign-in code' }))
  see([usable])
  tables['FROM sign_in_codes'] = [{ expires_at: BigInt(NOW_SECS + 600) }]
  see([])
  assert.deepEqual(broken, [])
  begin()
  see([])
  assert.deepEqual(broken, ['a mail stays in the queue until it is sent', 'a mail stays in the queue until it is sent'])
})

test('an early repetition is found', () => {
  const { see, broken } = start()
  see([QUEUED], 1n)
  see([CLAIMED])
  see([{ ...CLAIMED, attempts: 2n, due_at: BigInt(NOW_SECS + 59 + 120) }])
  assert.deepEqual(broken, ['a mail is sent when it is due'])
})

test('a paid invoice that lost its payments while the mail was sent is mailed too', () => {
  const { see, judge, broken, tables } = start()
  const invoice = { id: 1n, public_id: 'aaaa', account_id: 1n }
  tables['FROM invoices'] = [invoice]
  see([ATTENTION])
  see([{ ...ATTENTION, attempts: 1n, due_at: BigInt(NOW_SECS + 180) }])
  const subject = 'zatgate: payments of 1 paid invoice are missing'
  judge.sent(sentMail(true, { subject, text: '- 1 ZEC: https://pay.example.org/invoices/aaaa' }))
  tables['FROM invoices'] = [invoice, { ...invoice, id: 2n, public_id: 'bbbb' }]
  tables['FROM attention_mails'] = [{ last_sent_at: BigInt(NOW_SECS) }]
  see([])
  assert.ok(broken.includes('each paid invoice without its payments is mailed'))
})

test('equal subjects are distinguished by their details', () => {
  assert.ok(isSame(QUEUED, sentMail(true)))
  assert.ok(!isSame({ ...QUEUED, detail: 'sho' }, sentMail(true)))
  assert.ok(!isSame({ ...QUEUED, about: 'api_key_revoked' }, sentMail(true)))
})

test('a webhook that changes without a mail is found', () => {
  const webhook = { url: 'https://a.example', secret: 'one' }
  const none = { accounts: ACCOUNTS, webhooks: new Map() }
  const one = { accounts: ACCOUNTS, webhooks: new Map([['a@example.org', webhook]]) }
  const rotated = { accounts: ACCOUNTS, webhooks: new Map([['a@example.org', { ...webhook, secret: 'two' }]]) }
  for (const [before, after] of [
    [none, one],
    [one, none],
    [one, rotated],
  ] as const)
    assert.notEqual(causeProblem([], before, after), null)
  assert.equal(causeProblem([{ ...QUEUED, about: 'webhook_url_set' }], none, one), null)
})

test('a deletion that is requested without a mail is found; the keys that it revokes need none', () => {
  const before = { accounts: ACCOUNTS, webhooks: new Map() }
  const leaving = new Map([[COUNTS.email, { ...COUNTS, revoked: 2n, deletion: 7n }]])
  const after = { accounts: leaving, webhooks: new Map() }
  assert.notEqual(causeProblem([], before, after), null)
  assert.equal(causeProblem([{ ...QUEUED, about: 'deletion_requested' }], before, after), null)
  assert.notEqual(causeProblem([], after, before), null)
})

test('the mail server accepts, refuses, hangs and loses responses', async () => {
  async function send(mode: MailMode) {
    const { world } = createFakeWorld()
    const mailboxes = new Mailboxes(Object.assign(world, { nextSeed: () => 1 }))
    mailboxes.mode = mode
    const mail = { to: 'a@example.org', subject: '', text: '' }
    const sent = mailboxes
      .connect(PROCESS)
      .send(mail)
      .then(
        () => 'sent',
        () => 'failed',
      )
    for (let step = 0; step < 4; step++) {
      await world.scheduler.run()
      world.scheduler.advance(15_000)
    }
    await world.scheduler.run()
    return [await sent, mailboxes.of('a@example.org').length]
  }
  assert.deepEqual(await send('works'), ['sent', 1])
  assert.deepEqual(await send('slow'), ['sent', 1])
  assert.deepEqual(await send('loses responses'), ['failed', 1])
  assert.deepEqual(await send('refuses'), ['failed', 0])
  assert.deepEqual(await send('hangs'), ['failed', 0])
})
