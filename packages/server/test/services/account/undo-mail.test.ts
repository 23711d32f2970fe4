import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { EMAIL_UNDO_SECS } from '../../../src/domain/account/email-change.ts'
import type { Mailer, OutgoingMail } from '../../../src/ports/mailer.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { createSignInHarness } from '../../harness/sign-in.ts'

const OWNER = 'owner@example.org'
const THIEF = 'thief@example.org'
const HOUR_SECS = 3_600

const linkOf = ({ text }: OutgoingMail) => /\/undo-email\/(\S+)/.exec(text)?.[1] as string
const isUndo = ({ text }: OutgoingMail) => text.includes('/undo-email/')

/** An account whose email was changed while the mail server does with mails with a link what `deliver` does. */
async function open(engine: DatabaseEngine, t: TestContext) {
  const sent: OutgoingMail[] = []
  const undo = { tried: [] as string[], accepted: [] as string[], deliver: async () => {} }
  const mailer: Mailer = {
    async send(mail) {
      if (isUndo(mail)) {
        undo.tried.push(linkOf(mail))
        await undo.deliver()
        undo.accepted.push(linkOf(mail))
      }
      sent.push(mail)
    },
    close: () => {},
  }
  const harness = await createSignInHarness(engine, t, { mailer })
  const { clock, signIn, emailChanges, mails } = harness
  const send = async () => {
    while ((await mails.sendCodes(1)) > 0);
    while ((await mails.sendNotices(1)) > 0);
  }
  const codeTo = (email: string) =>
    /\d{6,}/.exec(sent.findLast(({ to, subject }) => to === email && subject.endsWith('code'))?.text ?? '')?.[0] ?? ''
  const longCodeTo = (email: string) =>
    /\d{10}/.exec(sent.findLast(({ to, text }) => to === email && /\d{10}/.test(text))?.text ?? '')?.[0] ?? ''
  const browser = await signIn.requestCode(OWNER, '203.0.113.5')
  await send()
  const { account, session } = await signIn.signIn(browser, codeTo(OWNER), 'Firefox')
  return {
    ...harness,
    undo,
    send,
    async change() {
      await emailChanges.request(account, session, THIEF, '203.0.113.5')
      await send()
      await emailChanges.confirm(account, session, { present: longCodeTo(OWNER), next: longCodeTo(THIEF) })
      await send()
    },
    /** Signs in at the address that the account had. */
    async signInAtOldAddress() {
      clock.advance(HOUR_SECS)
      const secret = await signIn.requestCode(OWNER, '203.0.113.5')
      await send()
      await assert.rejects(signIn.signIn(secret, codeTo(OWNER), 'Firefox'), { code: 'email_taken' })
      await assert.rejects(signIn.signIn(secret, codeTo(OWNER), 'Firefox'), { code: 'bad_code' }, 'one mail for a code')
    },
  }
}

onBothDatabases(engine => {
  test('a mail server that refuses for half a day: the link is mailed then, and works', async t => {
    const { clock, emailChanges, undo, send, change } = await open(engine, t)
    undo.deliver = async () => {
      throw new Error('mailbox unavailable')
    }
    await change()
    for (let i = 0; i < 12; i++) {
      clock.advance(HOUR_SECS)
      await send()
    }
    assert.ok(undo.tried.length > 9, `${undo.tried.length} attempts`)
    undo.deliver = async () => {}
    clock.advance(HOUR_SECS)
    await send()
    assert.equal(undo.accepted.length, 1)
    assert.equal((await emailChanges.undo(undo.accepted[0] as string)).email, OWNER)
  })

  test('a mail that arrived although the attempt failed keeps its link while later attempts are refused', async t => {
    const { clock, emailChanges, undo, send, change, store } = await open(engine, t)
    undo.deliver = async () => {
      throw new Error('the connection timed out after the mail was accepted')
    }
    await change()
    for (let i = 0; i < 3; i++) {
      clock.advance(HOUR_SECS)
      await send()
    }
    assert.equal(undo.tried.length, 4)
    assert.equal((await emailChanges.undo(undo.tried[0] as string)).email, OWNER)
    clock.advance(HOUR_SECS)
    await send()
    assert.equal(undo.tried.length, 4, 'a change that is undone is mailed no more')
    assert.equal(await store.read(tx => tx.mails.countWaiting()), 0)
  })

  test('the attempts end when the change can be undone no more', async t => {
    const { clock, undo, send, change, store } = await open(engine, t)
    undo.deliver = async () => {
      throw new Error('mailbox unavailable')
    }
    await change()
    clock.advance(EMAIL_UNDO_SECS)
    await send()
    assert.equal(undo.tried.length, 1)
    assert.equal(await store.read(tx => tx.mails.countWaiting()), 0)
  })

  test('a right sign-in code at an address that the account had mails the link again, one for a code', async t => {
    const { emailChanges, undo, send, change, signInAtOldAddress } = await open(engine, t)
    await change()
    assert.equal(undo.accepted.length, 1)
    await signInAtOldAddress()
    await send()
    assert.equal(undo.accepted.length, 2)
    assert.equal((await emailChanges.undo(undo.accepted[1] as string)).email, OWNER)
  })

  test('while a mail with the link waits, codes queue no second one', async t => {
    const { clock, undo, send, change, signInAtOldAddress } = await open(engine, t)
    undo.deliver = async () => {
      throw new Error('mailbox unavailable')
    }
    await change()
    for (let i = 0; i < 3; i++) await signInAtOldAddress()
    undo.deliver = async () => {}
    clock.advance(HOUR_SECS)
    await send()
    assert.equal(undo.accepted.length, 1)
  })
})
