import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Actor } from '../../../src/domain/account/audit.ts'
import type { Session } from '../../../src/domain/account/session.ts'
import { RECENT_AUTHENTICATION_SECS } from '../../../src/domain/account/sign-in.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { Store } from '../../../src/ports/store.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import type { ManualClock } from '../../harness/manual-clock.ts'
import { createSignInHarness } from '../../harness/sign-in.ts'

const OLD = 'old@example.org'
const NEW = 'new@example.org'
const CLIENT = '203.0.113.5'
const ACTOR: Actor = { by: 'owner', session: 'session', network: '203.0.113.0/24', client: 'Firefox on Linux' }

const refusedWith = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

async function open(engine: DatabaseEngine, t: TestContext) {
  const harness = await createSignInHarness(engine, t)
  const { browser, code } = await harness.requestCode(OLD)
  const signedIn = await harness.signIn.signIn(browser, code, 'Firefox')
  const { account, session } = signedIn
  return {
    ...harness,
    ...signedIn,
    async codesTo(email: string, from = OLD) {
      await harness.emailChanges.request(account, session, email, CLIENT)
      await harness.deliver()
      return {
        present: harness.codes(from)[0] as string,
        next: harness.codes(email.trim().toLowerCase())[0] as string,
      }
    },
    /** The link of the newest mail to an address that has one. */
    linkTo(email: string): string {
      const texts = harness.mailbox.mails(email).map(({ text }) => text)
      const [, token] = /\/undo-email\/(\S+)/.exec(texts.find(text => text.includes('/undo-email/')) ?? '') ?? []
      return token ?? ''
    },
  }
}

async function reauthenticate({ store, session, clock }: { store: Store; session: Session; clock: ManualClock }) {
  await store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(session.id, clock.secs + RECENT_AUTHENTICATION_SECS))
}

onBothDatabases(engine => {
  test('the email changes with the code that was mailed to the new address, and the previous one gets a mail', async t => {
    const service = await open(engine, t)
    const { account, session, emailChanges, store, mailbox } = service
    const code = await service.codesTo(` ${NEW.toUpperCase()} `)
    for (const one of Object.values(code)) assert.match(one, /^\d{10}$/)
    assert.equal(await emailChanges.pending(session), NEW)
    const changed = await emailChanges.confirm(account, session, code, service.knownBrowser, ACTOR)
    assert.equal(changed.email, NEW)
    assert.equal((await store.read(tx => tx.accounts.byId(account.id)))?.email, NEW)
    assert.ok(await service.sessions.authenticate(service.token), 'the session goes on')
    await service.deliver()
    for (const [address, link] of [
      [OLD, /^https:\/\/pay\.example\/undo-email\/[\w-]{43}$/m],
      [NEW, /^((?!undo-email).)*$/s],
    ] as const) {
      const notices = mailbox.mails(address).filter(mail => mail.subject === 'zatgate: the email was changed')
      assert.equal(notices.length, 1)
      assert.match(notices[0]?.text ?? '', /the email was changed in your zatgate account: new@example\.org\./)
      assert.match(notices[0]?.text ?? '', link)
    }
    await assert.rejects(emailChanges.confirm(account, session, code), refusedWith('bad_code'), 'once')

    const again = await service.requestCode(NEW)
    const signedIn = await service.signIn.signIn(again.browser, again.code, 'Firefox')
    assert.equal(signedIn.account.id, account.id)
  })

  test('the browser is known under the new email', async t => {
    const service = await open(engine, t)
    const { account, session, emailChanges } = service
    const code = await service.codesTo(NEW)
    const { knownBrowser } = await emailChanges.confirm(account, session, code, service.knownBrowser)
    for (let i = 0; i < 10; i++) await service.signIn.requestCode(NEW, `198.51.100.${i}`)
    await assert.rejects(service.signIn.requestCode(NEW, '198.51.100.99'), refusedWith('too_many_codes'))
    await service.signIn.requestCode(NEW, '198.51.100.99', knownBrowser)
  })

  test('an address of another account is refused, and so are the present one and other text', async t => {
    const service = await open(engine, t)
    const { account, session, emailChanges, store } = service
    await service.requestCode(NEW).then(({ browser, code }) => service.signIn.signIn(browser, code, 'Firefox'))
    service.clock.advance(60)
    const code = await service.codesTo(NEW)
    await assert.rejects(emailChanges.confirm(account, session, code, '', ACTOR), refusedWith('email_taken'))
    assert.equal((await store.read(tx => tx.accounts.byId(account.id)))?.email, OLD)
    const kinds = (await store.read(tx => tx.audit.list({ accountId: account.id }, 10))).map(({ kind }) => kind)
    assert.ok(!kinds.includes('email_changed'))
    for (const text of [OLD, OLD.toUpperCase(), 'none', ''])
      await assert.rejects(emailChanges.request(account, session, text, CLIENT), refusedWith('invalid_email'), text)
  })

  test('a code counts in its session only, for ten minutes and five attempts', async t => {
    const service = await open(engine, t)
    const { account, session, emailChanges, sessions } = service
    const code = await service.codesTo(NEW)
    const { session: other } = await sessions.create(account, 'other')
    await reauthenticate({ ...service, session: other })
    await assert.rejects(emailChanges.confirm(account, other, code), refusedWith('bad_code'))
    const wrong = (one: string) => String((BigInt(one) + 1n) % 10n ** 10n).padStart(10, '0')
    for (const entered of [
      { ...code, next: wrong(code.next) },
      { ...code, present: wrong(code.present) },
      { present: code.next, next: code.present },
      { ...code, present: '' },
      { present: code.present, next: code.present },
      { ...code, next: wrong(code.next) },
    ])
      await assert.rejects(emailChanges.confirm(account, session, entered), refusedWith('bad_code'))
    await assert.rejects(emailChanges.confirm(account, session, code), refusedWith('bad_code'), 'after five attempts')
    assert.equal(await emailChanges.pending(session), null)
    service.clock.advance(60)
    await reauthenticate(service)
    const second = await service.codesTo(NEW)
    service.clock.advance(599)
    await reauthenticate(service)
    service.clock.advance(1)
    await assert.rejects(emailChanges.confirm(account, session, second), refusedWith('bad_code'), 'after ten minutes')
  })

  test('an account can mail codes to other addresses ten times an hour, however many sessions it opens', async t => {
    const service = await open(engine, t)
    const { account, emailChanges, sessions } = service
    for (let i = 0; i < 10; i++) {
      const { session } = await sessions.create(account, `session ${i}`)
      await emailChanges.request(account, session, `person${i}@example.org`, `198.51.100.${i}`)
    }
    const { session } = await sessions.create(account, 'one more')
    await assert.rejects(
      emailChanges.request(account, session, 'person@example.org', CLIENT),
      refusedWith('too_many_codes'),
    )
  })

  test('the operator changes an email without a code', async t => {
    const service = await open(engine, t)
    const { account, accounts, store } = service
    const operator: Actor = { by: 'operator', session: null, network: null, client: null }
    assert.equal(await accounts.setEmail(account, NEW, operator), NEW)
    await assert.rejects(accounts.findByEmail(OLD), refusedWith('no_such_account'))
    const [entry] = await store.read(tx => tx.audit.list({ accountId: account.id }, 1))
    assert.deepEqual([entry?.kind, entry?.actor.by, entry?.detail], ['email_changed', 'operator', NEW])
  })

  test('the codes are refused when the sign-in is no longer recent, and stay usable after a new one', async t => {
    const service = await open(engine, t)
    const { account, session, emailChanges } = service
    service.clock.advance(RECENT_AUTHENTICATION_SECS - 1)
    const codes = await service.codesTo(NEW)
    service.clock.advance(1)
    await assert.rejects(emailChanges.confirm(account, session, codes), refusedWith('recent_sign_in_required'))
    await reauthenticate(service)
    assert.equal((await emailChanges.confirm(account, session, codes)).email, NEW)
  })
})
