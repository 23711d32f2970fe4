import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { OWNER_LIMITS } from '../../../src/domain/account/audit.ts'
import { EMAIL_UNDO_SECS, MAX_EMAIL_CHANGES } from '../../../src/domain/account/email-change.ts'
import { RECENT_AUTHENTICATION_SECS } from '../../../src/domain/account/sign-in.ts'
import { AppError } from '../../../src/domain/error.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { createSignInHarness } from '../../harness/sign-in.ts'

const OWNER = 'owner@example.org'
const THIEF = 'thief@example.org'
const CLIENT = '203.0.113.5'

const refusedWith = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

/** The account of an owner, whose email is changed as by someone who reads its mailbox for a while. */
async function open(engine: DatabaseEngine, t: TestContext) {
  const harness = await createSignInHarness(engine, t)
  const { store, clock, emailChanges, mailbox } = harness
  const { browser, code } = await harness.requestCode(OWNER)
  const signedIn = await harness.signIn.signIn(browser, code, 'Firefox')
  const { account, session } = signedIn

  return {
    ...harness,
    ...signedIn,

    /** Changes the email, and returns the token of the link that the previous address gets. */
    async change(from: string, to: string): Promise<string> {
      const until = clock.secs + RECENT_AUTHENTICATION_SECS
      await store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(session.id, until))
      const present = { ...account, email: from }
      await emailChanges.request(present, session, to, CLIENT)
      await harness.deliver()
      const codes = { present: harness.codes(from)[0] as string, next: harness.codes(to)[0] as string }
      await emailChanges.confirm(present, session, codes)
      await harness.deliver()
      clock.advance(600)
      const mails = mailbox.mails(from).map(({ text }) => text)
      const [, token] = /\/undo-email\/(\S+)/.exec(mails.find(text => text.includes('/undo-email/')) ?? '') ?? []
      return token as string
    },

    async emailNow(): Promise<string | undefined> {
      return (await store.read(tx => tx.accounts.byId(account.id)))?.email
    },

    subjects: (email: string) => mailbox.mails(email).map(({ subject }) => subject),
  }
}

onBothDatabases(engine => {
  test('the previous address undoes the change once: sessions, keys and browsers of the thief end with it', async t => {
    const service = await open(engine, t)
    const { account, emailChanges, sessions, services } = service
    const { key } = await services.apiKeys.create(account, 'thief')
    const { token: script } = await sessions.create(account, 'script of the thief')
    const token = await service.change(OWNER, THIEF)
    assert.match(token, /^[\w-]{43}$/)
    assert.equal(await emailChanges.undoable(token), OWNER)
    assert.equal(await service.emailNow(), THIEF, 'to look at the page changes nothing')

    const undone = await emailChanges.undo(token, service.knownBrowser)
    assert.equal(undone.email, OWNER)
    assert.equal(await service.emailNow(), OWNER)
    assert.equal(await sessions.authenticate(service.token), null)
    assert.equal(await sessions.authenticate(script), null)
    assert.equal(await services.apiKeys.authenticate(key), null)
    await service.deliver()
    for (const address of [OWNER, THIEF])
      assert.ok(service.subjects(address).includes('zatgate: the change of the email was undone'), address)
    await assert.rejects(emailChanges.undo(token), refusedWith('no_such_link'), 'once')
    assert.equal(await emailChanges.undoable(token), null)

    // With the sign-in of the beginning, ten within an hour.
    for (let i = 0; i < 9; i++) await service.signIn.requestCode(OWNER, `198.51.100.${i}`)
    await assert.rejects(
      service.signIn.requestCode(OWNER, CLIENT, service.knownBrowser),
      refusedWith('too_many_codes'),
      'the browser is forgotten',
    )
    await service.signIn.requestCode(OWNER, CLIENT, undone.knownBrowser)
  })

  test('only the hash of the token is stored', async t => {
    const service = await open(engine, t)
    const token = await service.change(OWNER, THIEF)
    const rows = await service.store.read(tx => tx.emailChanges.open(service.account.id, service.clock.secs))
    assert.equal(rows.length, 1)
    assert.ok(!JSON.stringify(rows).includes(token))
    for (const other of ['', 'x', token.slice(1), `${token}=`, '0'.repeat(43)])
      await assert.rejects(service.emailChanges.undo(other), refusedWith('no_such_link'))
  })

  test('whatever the thief changes next, the first link gives the account back and the later ones stop working', async t => {
    const service = await open(engine, t)
    const first = await service.change(OWNER, THIEF)
    const second = await service.change(THIEF, 'other@example.org')
    await service.emailChanges.undo(second)
    assert.equal(await service.emailNow(), THIEF)
    await service.emailChanges.undo(first)
    assert.equal(await service.emailNow(), OWNER)
    assert.equal((await service.store.read(tx => tx.emailChanges.open(service.account.id, 0))).length, 0)
  })

  test('the owner undoes while the thief has moved on, and a link of the thief is worthless then', async t => {
    const service = await open(engine, t)
    const first = await service.change(OWNER, THIEF)
    const second = await service.change(THIEF, 'other@example.org')
    await service.emailChanges.undo(first)
    await assert.rejects(service.emailChanges.undo(second), refusedWith('no_such_link'))
    assert.equal(await service.emailNow(), OWNER)
  })

  test('for seven days the previous address is kept for the account and gets its notices', async t => {
    const service = await open(engine, t)
    const { accounts, account, clock, sessions, signIn } = service
    const token = await service.change(OWNER, THIEF)
    await sessions.create({ ...account, email: THIEF }, 'script')
    await service.deliver()
    for (const address of [OWNER, THIEF])
      assert.ok(service.subjects(address).includes('zatgate: a session token was issued'), address)

    const { browser, code } = await service.requestCode(OWNER)
    await assert.rejects(signIn.signIn(browser, code, 'Firefox'), refusedWith('email_taken'))
    await assert.rejects(accounts.findOrCreate(OWNER), refusedWith('email_taken'))
    const other = await accounts.findOrCreate('else@example.org')
    const operator = { by: 'operator', session: null, network: null, client: null } as const
    await assert.rejects(accounts.setEmail(other, OWNER, operator), refusedWith('email_taken'))

    clock.advance(EMAIL_UNDO_SECS - 600)
    await assert.rejects(service.emailChanges.undo(token), refusedWith('no_such_link'), 'after seven days')
    assert.notEqual((await accounts.findOrCreate(OWNER)).id, account.id)
    await service.services.cleanup.pruneEmailChanges()
    clock.advance(1)
    await service.services.cleanup.pruneEmailChanges()
    assert.equal((await service.store.read(tx => tx.emailChanges.open(account.id, 0))).length, 0)
  })

  test('a deletion that the thief requested ends with the undoing, also when the changes of the day are spent', async t => {
    const service = await open(engine, t)
    const { account, clock, store } = service
    const token = await service.change(OWNER, THIEF)
    const actor = { by: 'owner', session: null, network: null, client: null } as const
    await service.services.accountDeletions.request({ ...account, email: THIEF }, actor)
    const entry = {
      accountId: account.id,
      kind: 'confirmations_set',
      actor,
      detail: null,
      createdAt: clock.secs,
    } as const
    for (let i = 0; i < OWNER_LIMITS.account.max; i += 250)
      await store.write(async tx => {
        for (let j = 0; j < 250; j++) await tx.audit.append(entry)
      })
    await service.emailChanges.undo(token, '', actor)
    assert.equal((await store.read(tx => tx.accounts.byId(account.id)))?.deletionRequestedAt, undefined)
    const entries = await store.read(tx => tx.audit.list({}, 100))
    const canceled = entries.find(({ kind }) => kind === 'deletion_canceled')
    assert.equal(canceled?.actor.by, 'owner')
    const { browser, code } = await service.requestCode(OWNER)
    assert.equal((await service.signIn.signIn(browser, code, 'Firefox')).account.id, account.id)
    await service.services.accountDeletions.eraseDue()
    assert.equal(await service.emailNow(), OWNER)
  })

  test('the thief changes the email back and again: the last link of the owner leaves the thief no link', async t => {
    const service = await open(engine, t)
    await service.change(OWNER, THIEF)
    const ofThief = await service.change(THIEF, OWNER)
    const last = await service.change(OWNER, 'other@example.org')
    await service.emailChanges.undo(last)
    await assert.rejects(service.emailChanges.undo(ofThief), refusedWith('no_such_link'))
    assert.equal(await service.emailNow(), OWNER)
    assert.notEqual((await service.accounts.findOrCreate(THIEF)).id, service.account.id, 'its address is free')
  })

  test('a change by the operator ends the links: it is the last word', async t => {
    const service = await open(engine, t)
    const token = await service.change(OWNER, THIEF)
    const operator = { by: 'operator', session: null, network: null, client: null } as const
    await service.accounts.setEmail(service.account, 'shop@example.org', operator)
    await assert.rejects(service.emailChanges.undo(token), refusedWith('no_such_link'))
    assert.equal(await service.emailNow(), 'shop@example.org')
  })

  test('of concurrent uses of a link one counts', async t => {
    const service = await open(engine, t)
    const token = await service.change(OWNER, THIEF)
    const results = await Promise.allSettled([1, 2, 3].map(() => service.emailChanges.undo(token)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  test('an account changes its email at most five times in seven days', async t => {
    const service = await open(engine, t)
    const address = (i: number) => (i === 0 ? OWNER : `person${i}@example.org`)
    for (let i = 0; i < MAX_EMAIL_CHANGES; i++) await service.change(address(i), address(i + 1))
    await assert.rejects(
      service.change(address(MAX_EMAIL_CHANGES), 'last@example.org'),
      refusedWith('too_many_email_changes'),
    )
    service.clock.advance(EMAIL_UNDO_SECS)
    await service.change(address(MAX_EMAIL_CHANGES), 'last@example.org')
  })
})
