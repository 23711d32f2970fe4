import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom } from '../../../../src/adapters/system/random.ts'
import { CODE_REQUEST_RETENTION_SECS } from '../../../../src/domain/account/code-budget.ts'
import { credentialHash } from '../../../../src/domain/account/credential.ts'
import { SIGN_IN_LINK } from '../../../../src/domain/account/sign-in.ts'
import { AppError } from '../../../../src/domain/error.ts'
import { createSignInLink } from '../../../../src/services/account/sign-in-link.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { createSignInHarness } from '../../../harness/sign-in.ts'

const OWNER = 'owner@example.org'
const noSuchLink = (error: unknown) => error instanceof AppError && error.code === 'no_such_link'

onBothDatabases(engine => {
  test('a link signs in once, as a mailed code does, and only its hash is stored', async t => {
    const harness = await createSignInHarness(engine, t, { registration: 'closed' })
    const { store, clock, accounts, sessions, signIn, services, mailbox } = harness
    const links = services.signInLinks
    const account = await accounts.findOrCreate(OWNER)
    const { secret, expiresAt } = await createSignInLink({ store, clock, random: systemRandom }, account)
    assert.match(secret, /^[\w-]{43}$/)
    assert.equal(expiresAt, clock.secs + 600)
    assert.equal(await store.read(tx => tx.signIn.linkEmail(credentialHash(secret), clock.secs)), OWNER)
    for (let i = 0; i < 3; i++) assert.equal(await links.emailOf(secret), OWNER, 'to look at the page changes nothing')

    const attempts = await Promise.allSettled([1, 2, 3].map(() => links.signIn(secret, 'Firefox on Linux')))
    const [signedIn, ...more] = attempts.flatMap(it => (it.status === 'fulfilled' ? [it.value] : []))
    assert.deepEqual(more, [], 'of concurrent uses one signs in')
    assert.ok(signedIn)
    const found = await sessions.authenticate(signedIn.token)
    assert.deepEqual([found?.account.id, found?.session.label], [account.id, 'Firefox on Linux'])
    assert.equal(await signIn.isRecentlyAuthenticated(signedIn.session), true)
    assert.equal(await links.emailOf(secret), null)
    await assert.rejects(links.signIn(secret, 'x'), noSuchLink)

    const entries = await services.auditLog.list({}, 10)
    assert.deepEqual(
      entries.map(({ kind, actor, detail }) => [kind, actor.by, detail]),
      [
        ['signed_in', 'owner', 'Firefox on Linux, with a link of the command zatgate sign-in'],
        ['sign_in_link_created', 'operator', null],
      ],
    )
    assert.equal(entries[0]?.actor.session, signedIn.session.publicId)
    await harness.deliver()
    const [mail] = mailbox.mails(OWNER)
    assert.match(mail?.text ?? '', /a new sign-in was made .*: Firefox on Linux, with a link of the command/)

    // Known from now on: a stranger who spends the codes of the email does not delay it.
    for (let i = 0; i < 10; i++) await signIn.requestCode(OWNER, `198.51.100.${i}`)
    await assert.rejects(signIn.requestCode(OWNER, '198.51.100.99'), /too many codes/)
    await signIn.requestCode(OWNER, '198.51.100.99', signedIn.knownBrowser)
  })

  test('an expired, unknown or old link signs in to nothing, and links are deleted after a day', async t => {
    const { store, clock, accounts, services } = await createSignInHarness(engine, t)
    const links = services.signInLinks
    const account = await accounts.findOrCreate(OWNER)
    const create = () => createSignInLink({ store, clock, random: systemRandom }, account)
    const { secret } = await create()
    clock.advance(SIGN_IN_LINK.lifetimeSecs - 1)
    assert.equal(await links.emailOf(secret), OWNER)
    clock.advance(1)
    for (const wrong of [secret, `${secret}x`, '', 'x']) {
      assert.equal(await links.emailOf(wrong), null)
      await assert.rejects(links.signIn(wrong, 'x'), noSuchLink)
    }
    const isStored = () => store.read(tx => tx.signIn.linkEmail(credentialHash(secret), 0))
    assert.equal(await isStored(), OWNER)
    clock.advance(CODE_REQUEST_RETENTION_SECS)
    await create()
    assert.equal(await isStored(), null)
  })
})
