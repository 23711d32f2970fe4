import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor } from '../../../../src/domain/account/audit.ts'
import { CODE_BUDGETS } from '../../../../src/domain/account/code-budget.ts'
import { AppError } from '../../../../src/domain/error.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { createSignInHarness, type SignInHarness } from '../../../harness/sign-in.ts'

const OWNER = 'owner@example.org'
const STRANGER = '198.51.100.1'

const tooMany = (error: unknown) => error instanceof AppError && error.code === 'too_many_codes'

async function signInAnew({ requestCode, signIn, clock }: SignInHarness, cookie = '') {
  clock.advance(600)
  const { browser, code } = await requestCode(OWNER)
  return signIn.signIn(browser, code, 'Firefox', cookie)
}

/** Spends the requests of unknown browsers, so that a request is accepted only from a known one. */
async function spendUnknown({ signIn }: SignInHarness): Promise<void> {
  for (let i = 0; i < 10; i++) await signIn.requestCode(OWNER, `198.51.100.${i}`).catch(() => {})
  await assert.rejects(signIn.requestCode(OWNER, STRANGER), tooMany)
}

const wrong = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0')

onBothDatabases(engine => {
  test('a session without a recent code ends all sessions and forgets no browser: strangers do not lock the owner out', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, sessions, clock, store } = harness
    const { account, session, token, knownBrowser } = await signInAnew(harness)
    clock.advance(3_600)
    await assert.rejects(signIn.forgetBrowsers(account, session, knownBrowser), { code: 'recent_sign_in_required' })
    assert.ok(await sessions.authenticate(token), 'a refused request ends nothing')
    await sessions.endAll(account)
    assert.equal(await sessions.authenticate(token), null)
    await spendUnknown(harness)
    await signIn.requestCode(OWNER, STRANGER, knownBrowser)
    const entries = await store.read(tx => tx.audit.list({}, 100))
    assert.equal(entries.filter(({ kind }) => kind === 'sessions_ended').length, 1)
  })

  test('after a code, forgetting the browsers ends the copied cookies, and the browser that did it stays known', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, sessions, clock } = harness
    const { knownBrowser: copied } = await signInAnew(harness)
    clock.advance(3_600)
    await spendUnknown(harness)
    await signIn.requestCode(OWNER, STRANGER, copied)

    clock.advance(3_600)
    const owner = await signInAnew(harness, copied)
    const next = await signIn.forgetBrowsers(owner.account, owner.session, owner.knownBrowser)
    assert.equal(await sessions.authenticate(owner.token), null)
    assert.ok(!next.includes(copied.slice(0, 32)), 'with another id: the copy shares no limit with it')
    const { knownBrowser: sameSecond } = await (async () => {
      const { browser, code } = await harness.requestCode(OWNER)
      return signIn.signIn(browser, code, 'Firefox')
    })()
    await spendUnknown(harness)
    for (const forgotten of [copied, owner.knownBrowser])
      await assert.rejects(signIn.requestCode(OWNER, STRANGER, forgotten), tooMany)
    for (const known of [next, sameSecond]) await signIn.requestCode(OWNER, STRANGER, known)
  })

  test('a cookie for an email is worthless for the next account with this email', async t => {
    const harness = await createSignInHarness(engine, t)
    const { account, knownBrowser } = await signInAnew(harness)
    const operator: Actor = { by: 'operator', session: null, network: null, client: null }
    await harness.accounts.setEmail(account, 'moved@example.org', operator)
    harness.clock.advance(3_600)
    await signInAnew(harness)
    await spendUnknown(harness)
    await assert.rejects(harness.signIn.requestCode(OWNER, STRANGER, knownBrowser), tooMany)
  })

  test('ten wrong codes a day in known browsers of an email: then their codes have ten digits, and the owner signs in', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, clock, deliver, codes } = harness
    const { knownBrowser: copied } = await signInAnew(harness)
    clock.advance(3_600)
    const request = async () => {
      clock.advance(60)
      const browser = await signIn.requestCode(OWNER, STRANGER, copied)
      await deliver()
      return { browser, code: codes(OWNER)[0] as string }
    }
    const early = await request()
    for (let guesses = 0; guesses < CODE_BUDGETS.known_wrong_codes.max; ) {
      const { browser, code } = await request()
      assert.equal(code.length, 6)
      for (let i = 0; i < 5 && guesses < CODE_BUDGETS.known_wrong_codes.max; i++, guesses++)
        await assert.rejects(signIn.signIn(browser, wrong(code), 'thief', copied), { code: 'bad_code' })
    }
    await assert.rejects(signIn.signIn(early.browser, early.code, 'Firefox', copied), { code: 'bad_code' })
    const { browser, code } = await request()
    assert.equal(code.length, 10)
    const { session } = await signIn.signIn(browser, code, 'Firefox', copied)
    assert.ok(session)
    const anew = await harness.requestCode(OWNER)
    assert.equal(anew.code.length, 6, 'unknown browsers have another budget')
    clock.advance(CODE_BUDGETS.known_wrong_codes.windowSecs)
    assert.equal((await request()).code.length, 6, 'a day later')
  })

  test('wrong confirmation codes of a session count with those of known browsers; right ones do not', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, clock, deliver, codes } = harness
    const { account, session, knownBrowser } = await signInAnew(harness)
    clock.advance(3_600)
    const confirm = async () => {
      clock.advance(700)
      await signIn.requestReauth(account, session, STRANGER)
      await deliver()
      return codes(OWNER)[0] as string
    }
    for (let i = 0; i < 3; i++) await signIn.reauthenticate(session, await confirm())
    for (let i = 0; i < 2; i++) {
      const code = await confirm()
      assert.equal(code.length, 6)
      for (let j = 0; j < 5; j++)
        await assert.rejects(signIn.reauthenticate(session, wrong(code)), { code: 'bad_code' })
    }
    assert.equal((await confirm()).length, 10)
    clock.advance(60)
    await signIn.requestCode(OWNER, STRANGER, knownBrowser)
    await deliver()
    assert.equal(codes(OWNER)[0]?.length, 10)
  })

  test('the end of one session by another is mailed with its name, and a sign-out is only recorded', async t => {
    const harness = await createSignInHarness(engine, t)
    const { sessions, mailbox, deliver, store } = harness
    const { account, session } = await signInAnew(harness)
    const { session: script } = await sessions.create(account, 'nightly export')
    const actor: Actor = { by: 'owner', session: session.publicId, network: null, client: null }
    await sessions.end(account, script.publicId.toUpperCase(), actor)
    await sessions.end(account, session.publicId, actor)
    await deliver()
    const ends = mailbox.mails(OWNER).filter(({ subject }) => subject === 'zatgate: a session was ended')
    assert.equal(ends.length, 1)
    assert.match(ends[0]?.text ?? '', /a session was ended in your zatgate account: nightly export\./)
    const entries = await store.read(tx => tx.audit.list({ accountId: account.id }, 2))
    assert.deepEqual(
      entries.map(({ kind, detail }) => [kind, detail]),
      [
        ['signed_out', 'Firefox'],
        ['session_ended', 'nightly export'],
      ],
    )
  })
})
