import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SESSION_LIFETIME_SECS } from '../../../../src/domain/account/session.ts'
import { AppError } from '../../../../src/domain/error.ts'
import { clientPrefix } from '../../../../src/http/client-prefix.ts'
import type { Mailer } from '../../../../src/ports/mailer.ts'
import { type DatabaseEngine, describePostgres, postgresEngine, sqliteEngine } from '../../../harness/databases.ts'
import { makeAccount } from '../../../harness/fixtures.ts'
import { createSignInHarness } from '../../../harness/sign-in.ts'

const EMAIL = 'shop@example.org'

const badCode = (error: unknown) => error instanceof AppError && error.code === 'bad_code'
const tooMany = (error: unknown) => error instanceof AppError && error.code === 'too_many_codes'

/** A code different from the given one. */
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

function suite(engine: DatabaseEngine): void {
  test('a code signs in and creates the account; the token works for 30 days', async t => {
    const { signIn, sessions, clock, requestCode } = await createSignInHarness(engine, t)
    const { browser, code } = await requestCode(EMAIL)
    const { account, session, token } = await signIn.signIn(browser, code, 'Firefox on Linux')
    assert.equal(account.email, EMAIL)
    assert.equal(session.label, 'Firefox on Linux')
    assert.equal(session.expiresAt, clock.secs + SESSION_LIFETIME_SECS)
    clock.advance(SESSION_LIFETIME_SECS - 1)
    assert.equal((await sessions.authenticate(token))?.account.id, account.id)
    clock.advance(1)
    assert.equal(await sessions.authenticate(token), null)
  })

  test('the second sign-in finds the same account for any spelling of the email', async t => {
    const { signIn, requestCode } = await createSignInHarness(engine, t)
    const first = await requestCode(EMAIL)
    const { account } = await signIn.signIn(first.browser, first.code, 'one')
    const browser = await signIn.requestCode('  SHOP@Example.org ', '203.0.113.5')
    const second = await requestCode(EMAIL)
    assert.notEqual(browser, second.browser)
    assert.equal((await signIn.signIn(second.browser, second.code, 'two')).account.id, account.id)
  })

  test('a wrong code is refused five times; the sixth attempt is refused even with the right code', async t => {
    const { signIn, requestCode } = await createSignInHarness(engine, t)
    const { browser, code } = await requestCode(EMAIL)
    for (let i = 0; i < 5; i++) await assert.rejects(signIn.signIn(browser, otherThan(code), 'b'), badCode)
    await assert.rejects(signIn.signIn(browser, code, 'b'), badCode)
  })

  test('the fifth attempt succeeds with the right code', async t => {
    const { signIn, requestCode } = await createSignInHarness(engine, t)
    const { browser, code } = await requestCode(EMAIL)
    for (let i = 0; i < 4; i++) await assert.rejects(signIn.signIn(browser, otherThan(code), 'b'), badCode)
    assert.ok(await signIn.signIn(browser, code, 'b'))
  })

  test('a code works once, even for two concurrent attempts', async t => {
    const { signIn, requestCode, store } = await createSignInHarness(engine, t)
    const { browser, code } = await requestCode(EMAIL)
    const entered = await Promise.allSettled([1, 2, 3].map(() => signIn.signIn(browser, code, 'b')))
    const [signedIn] = entered.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
    assert.equal(entered.filter(result => result.status === 'fulfilled').length, 1)
    assert.ok(signedIn)
    const sessions = await store.read(tx => tx.sessions.list(signedIn.account.id, 0, { limit: 10 }))
    assert.equal(sessions.length, 1)
    await assert.rejects(signIn.signIn(browser, code, 'b'), badCode)
  })

  test('a code is valid for ten minutes', async t => {
    const { signIn, requestCode, clock } = await createSignInHarness(engine, t)
    const late = await requestCode(EMAIL)
    clock.advance(600)
    await assert.rejects(signIn.signIn(late.browser, late.code, 'b'), badCode)
    const inTime = await requestCode(EMAIL)
    clock.advance(599)
    assert.ok(await signIn.signIn(inTime.browser, inTime.code, 'b'))
  })

  test('a code works in no other browser, with or without its own code', async t => {
    const { signIn, requestCode } = await createSignInHarness(engine, t)
    const { browser, code } = await requestCode(EMAIL)
    const thief = await requestCode('thief@example.org')
    await assert.rejects(signIn.signIn('', code, 'b'), badCode)
    await assert.rejects(signIn.signIn('0'.repeat(64), code, 'b'), badCode)
    if (thief.code !== code) await assert.rejects(signIn.signIn(thief.browser, code, 'b'), badCode)
    assert.equal((await signIn.signIn(browser, code, 'b')).account.email, EMAIL)
  })

  test('a code cannot be used before it is mailed', async t => {
    const { signIn } = await createSignInHarness(engine, t)
    const browser = await signIn.requestCode(EMAIL, '203.0.113.5')
    await assert.rejects(signIn.signIn(browser, '000000', 'b'), badCode)
  })

  test('concurrent attempts are all counted: after five, the right code is refused', async t => {
    const { signIn, requestCode } = await createSignInHarness(engine, t)
    const { browser, code } = await requestCode(EMAIL)
    const attempts = Array.from({ length: 20 }, () => signIn.signIn(browser, otherThan(code), 'b'))
    for (const result of await Promise.allSettled(attempts)) assert.equal(result.status, 'rejected')
    await assert.rejects(signIn.signIn(browser, code, 'b'), badCode)
  })

  test('a thousand attempts from different addresses are all refused, and the mailbox gets ten mails', async t => {
    const { signIn, mailbox, deliver } = await createSignInHarness(engine, t)
    const results = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, i) => signIn.requestCode(EMAIL, `198.51.${i >> 8}.${i & 255}`)),
    )
    await deliver()
    const browsers = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
    const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    assert.equal(browsers.length, 10)
    assert.ok(refused.every(tooMany))
    const mailed = new Set(mailbox.mails(EMAIL).map(mail => mail.code))
    assert.equal(mailbox.mails(EMAIL).length, 10)
    const guesses = Array.from({ length: 100 }, (_, i) => String(i * 997).padStart(6, '0')).filter(
      guess => !mailed.has(guess),
    )
    const attempts = browsers.flatMap(browser => guesses.map(guess => signIn.signIn(browser, guess, 'b')))
    for (const result of await Promise.allSettled(attempts))
      assert.ok(result.status === 'rejected' && badCode(result.reason))
  })

  test('an email gets at most ten codes an hour and twenty a day', async t => {
    const { signIn, clock, mailbox, deliver } = await createSignInHarness(engine, t)
    for (let hour = 0; hour < 5; hour++) {
      await Promise.allSettled(Array.from({ length: 15 }, () => signIn.requestCode(EMAIL, '203.0.113.5')))
      await deliver()
      assert.equal(mailbox.mails(EMAIL).length, Math.min(10 * (hour + 1), 20))
      clock.advance(3_600)
    }
    clock.advance(24 * 3_600)
    assert.ok(await signIn.requestCode(EMAIL, '203.0.113.5'))
  })

  test('one client gets at most a hundred codes an hour for any emails; other clients are not affected', async t => {
    const { signIn } = await createSignInHarness(engine, t)
    const results = await Promise.allSettled(
      Array.from({ length: 110 }, (_, i) =>
        signIn.requestCode(`a${i}@example.org`, clientPrefix(`2001:db8:1:2::${i.toString(16)}`)),
      ),
    )
    assert.equal(results.filter(result => result.status === 'fulfilled').length, 100)
    await assert.rejects(signIn.requestCode('b@example.org', clientPrefix('2001:db8:1:2:ffff::1')), tooMany)
    assert.ok(await signIn.requestCode('b@example.org', clientPrefix('2001:db8:1:3::1')))
  })

  test('with closed registration an unknown email gets no mail and the same response', async t => {
    const { signIn, store, mailbox, deliver } = await createSignInHarness(engine, t, { registration: 'closed' })
    await makeAccount(store, 'known@example.org')
    const known = await signIn.requestCode('known@example.org', '203.0.113.5')
    const unknown = await signIn.requestCode('unknown@example.org', '203.0.113.5')
    assert.equal(known.length, unknown.length)
    await deliver()
    assert.deepEqual(
      mailbox.mails().map(mail => mail.to),
      ['known@example.org'],
    )
    await assert.rejects(signIn.signIn(unknown, '123456', 'b'), badCode)
    const code = mailbox.mails('known@example.org')[0]?.code as string
    assert.equal((await signIn.signIn(known, code, 'b')).account.email, 'known@example.org')
  })

  test('a session is recently authenticated for ten minutes after its code or another code; other sessions are not', async t => {
    const { signIn, sessions, clock, requestCode, deliver, codes } = await createSignInHarness(engine, t)
    const { browser, code } = await requestCode(EMAIL)
    const { account, session } = await signIn.signIn(browser, code, 'b')
    const script = await sessions.create(account, 'script')
    assert.equal(await signIn.isRecentlyAuthenticated(session), true)
    assert.equal(await signIn.isRecentlyAuthenticated(script.session), false)
    clock.advance(600)
    assert.equal(await signIn.isRecentlyAuthenticated(session), false)

    await signIn.requestReauth(account, session, '203.0.113.5')
    await signIn.requestReauth(account, session, '203.0.113.5')
    await deliver()
    assert.equal(codes(EMAIL).length, 2, 'no second code is mailed while one is usable')
    const second = codes(EMAIL)[0] as string
    await assert.rejects(signIn.reauthenticate(script.session, second), badCode)
    await assert.rejects(signIn.reauthenticate(session, otherThan(second)), badCode)
    await assert.rejects(signIn.signIn(browser, second, 'b'), badCode)
    await signIn.reauthenticate(session, second)
    assert.equal(await signIn.isRecentlyAuthenticated(session), true)
    await assert.rejects(signIn.reauthenticate(session, second), badCode)
  })

  test('code requests are deleted after a day, not earlier', async t => {
    const { signIn, store, clock } = await createSignInHarness(engine, t)
    await signIn.requestCode(EMAIL, '203.0.113.5')
    const count = () => store.read(tx => tx.signIn.count('sign_in', { email: EMAIL, isKnownBrowser: false }, 0, 100))
    clock.advance(86_400)
    await signIn.requestCode(EMAIL, '203.0.113.5')
    assert.equal(await count(), 2)
    clock.advance(1)
    await signIn.requestCode(EMAIL, '203.0.113.5')
    assert.equal(await count(), 2)
  })

  test('a mail that the server refuses is retried with growing delays and then dropped', async t => {
    let attempts = 0
    const mailer: Mailer = {
      send: async () => {
        attempts += 1
        throw new Error('451 try later')
      },
      close: () => {},
    }
    const { clock, mails, store } = await createSignInHarness(engine, t, { mailer })
    await store.write(tx =>
      tx.mails.enqueue({ to: EMAIL, about: 'viewing_key_set', detail: null, createdAt: clock.secs }),
    )
    const waits = [60, 120, 240, 480, 960, 1_920, 3_600]
    await mails.sendNotices(5)
    for (const [index, wait] of waits.entries()) {
      clock.advance(wait - 1)
      assert.equal(await mails.sendNotices(5), 0)
      clock.advance(1)
      assert.equal(await mails.sendNotices(5), 1)
      assert.equal(attempts, index + 2)
    }
    clock.advance(86_400)
    assert.equal(await mails.sendNotices(5), 0)
  })
}

describe('sign-in on SQLite', () => suite(sqliteEngine))

describePostgres('sign-in on PostgreSQL', server => suite(postgresEngine(server)))
