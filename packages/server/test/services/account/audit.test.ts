import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, OWNER_LIMITS, VISITOR_LIMIT } from '../../../src/domain/account/audit.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createBillingHarness } from '../../harness/billing.ts'
import { openTestContainer } from '../../harness/container.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { makeAccount, NOW } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { createSignInHarness } from '../../harness/sign-in.ts'

const ACTOR: Actor = { by: 'owner', session: 'session', network: '203.0.113.0/24', client: 'Firefox on Linux' }
const VISITOR: Actor = { ...ACTOR, by: 'visitor', session: null }

const tooMany = (error: unknown) => error instanceof AppError && error.code === 'too_many_changes'

async function appendChanges(store: Store, accountId: number, actor: Actor, count: number, createdAt: number) {
  const entry = { accountId, kind: 'confirmations_set', actor, detail: null, createdAt } as const
  await store.write(async tx => {
    for (let i = 0; i < count; i++) await tx.audit.append(entry)
  })
}

/** Kinds and details, oldest first. */
async function entriesOf(store: Store, accountId: number) {
  const entries = await store.read(tx => tx.audit.list({ accountId }, 2_000))
  return entries.toReversed().map(({ kind, actor, detail }) => [kind, actor.by, actor.network, detail])
}

onBothDatabases(engine => {
  test('a sign-in, its request and its failures are recorded with network and program', async t => {
    const { store, signIn, mailbox, deliver } = await createSignInHarness(engine, t)
    const account = await makeAccount(store, 'shop@example.org')
    const browser = await signIn.requestCode('shop@example.org', '203.0.113.5', '', VISITOR)
    await deliver()
    const code = mailbox.mails('shop@example.org')[0]?.code as string
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
    await assert.rejects(signIn.signIn(browser, wrong, 'Firefox', '', VISITOR))
    const { session } = await signIn.signIn(browser, code, 'Firefox', '', VISITOR)
    const network = VISITOR.network
    assert.deepEqual(await entriesOf(store, account.id), [
      ['sign_in_requested', 'visitor', network, null],
      ['sign_in_failed', 'visitor', network, null],
      ['signed_in', 'owner', network, 'Firefox'],
    ])
    const [entry] = await store.read(tx => tx.audit.list({}, 1))
    assert.deepEqual(entry?.actor, { ...ACTOR, session: session.publicId })
  })

  test('visitors cannot fill the log: of any number of requests and wrong codes, fifty a day are recorded', async t => {
    const { store, signIn, clock } = await createSignInHarness(engine, t)
    const account = await makeAccount(store, 'shop@example.org')
    const limit = { since: NOW - 1, max: VISITOR_LIMIT.max }
    await store.write(async tx => {
      for (let i = 0; i < VISITOR_LIMIT.max; i++) {
        const entry = { kind: 'sign_in_failed', actor: VISITOR, detail: null, createdAt: clock.secs } as const
        await tx.audit.appendForEmail(account.email, entry, limit)
      }
    })
    await signIn.requestCode(account.email, '203.0.113.5', '', VISITOR)
    assert.equal((await entriesOf(store, account.id)).length, VISITOR_LIMIT.max)
    clock.advance(VISITOR_LIMIT.windowSecs)
    await signIn.requestCode(account.email, '203.0.113.5', '', VISITOR)
    assert.equal((await entriesOf(store, account.id)).length, VISITOR_LIMIT.max + 1)
  })

  test('a refused change leaves neither an entry nor a mail; a repeated revocation leaves no second one', async t => {
    const store = await openEmptyStore(engine, t)
    const { services } = await openTestContainer(t, { store })
    const account = await makeAccount(store)
    const { apiKeys, webhooks, sessions, viewingKeys } = services
    await assert.rejects(apiKeys.create(account, '', ACTOR))
    await assert.rejects(apiKeys.revoke(account, 'x', ACTOR))
    await assert.rejects(webhooks.remove(account, ACTOR))
    await assert.rejects(webhooks.rotateSecret(account, ACTOR))
    await assert.rejects(sessions.end(account, 'x', ACTOR))
    await assert.rejects(viewingKeys.set(account, 'nonsense', ACTOR))
    assert.deepEqual(await entriesOf(store, account.id), [])
    const { apiKey } = await apiKeys.create(account, 'till', ACTOR)
    await apiKeys.revoke(account, apiKey.publicId, ACTOR)
    await apiKeys.revoke(account, apiKey.publicId, ACTOR)
    assert.deepEqual(await entriesOf(store, account.id), [
      ['api_key_created', 'owner', ACTOR.network, 'till'],
      ['api_key_revoked', 'owner', ACTOR.network, null],
    ])
  })

  test('a session is refused after a thousand changes a day; keys and sessions can still be ended', async t => {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock()
    const { services } = await openTestContainer(t, { store, clock })
    const account = await makeAccount(store)
    const { accounts, apiKeys, sessions } = services
    const { apiKey } = await apiKeys.create(account, 'till', ACTOR)
    const { session } = await sessions.create(account, 'thief', ACTOR)
    await appendChanges(store, account.id, ACTOR, OWNER_LIMITS.session.max - 2, clock.secs)
    await assert.rejects(accounts.setTerms(account, { confirmations: 0 }, ACTOR), tooMany)
    assert.equal((await accounts.findByEmail(account.email)).confirmations, 3)
    await apiKeys.revoke(account, apiKey.publicId, ACTOR)
    await sessions.end(account, session.publicId, ACTOR)
    clock.advance(OWNER_LIMITS.session.windowSecs)
    await accounts.setTerms(account, { confirmations: 0 }, ACTOR)
    const kinds = (await entriesOf(store, account.id)).map(([kind]) => kind)
    assert.deepEqual(kinds.slice(-3), ['api_key_revoked', 'session_ended', 'confirmations_set'])
  })

  test('a stolen session cannot spend the changes of the owner: neither of another session nor after a new code', async t => {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock()
    const { services } = await openTestContainer(t, { store, clock })
    const account = await makeAccount(store)
    const { accounts, sessions } = services
    const open = async (label: string) => {
      const { session } = await sessions.create(account, label)
      return { session, actor: { ...ACTOR, session: session.publicId } }
    }
    const { session: stolen, actor: thief } = await open('stolen')
    const { actor: script } = await open('script')
    await appendChanges(store, account.id, thief, OWNER_LIMITS.session.max, clock.secs)
    await assert.rejects(accounts.setTerms(account, { confirmations: 0 }, thief), tooMany)
    await accounts.setTerms(account, { confirmations: 4 }, script)

    // Many stolen sessions together spend the limit of the account. A code in any session opens a new one.
    await appendChanges(store, account.id, ACTOR, OWNER_LIMITS.account.max, clock.secs)
    await assert.rejects(accounts.setTerms(account, { confirmations: 5 }, script), tooMany)
    clock.advance(60)
    for (const { id } of [stolen, (await open('the owner, after a sign-in')).session]) {
      const until = clock.secs + OWNER_LIMITS.code.windowSecs
      await store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(id, until))
    }
    await accounts.setTerms(account, { confirmations: 5 }, thief)
    await appendChanges(store, account.id, thief, OWNER_LIMITS.code.max - 1, clock.secs)
    await assert.rejects(accounts.setTerms(account, { confirmations: 6 }, thief), (error: AppError) => {
      return tooMany(error) && error.retryAfterSecs === OWNER_LIMITS.code.windowSecs
    })
    const { session: next, actor: owner } = await open('the owner, once more')
    const until = clock.secs + OWNER_LIMITS.code.windowSecs
    await store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(next.id, until))
    await accounts.setTerms(account, { confirmations: 7 }, owner)
  })

  test('the operator’s settlement of a withdrawal is in the log of its account, without the payout details', async t => {
    const store = await openEmptyStore(engine, t)
    const harness = await createBillingHarness(t, { store, clock: new ManualClock() })
    const account = await makeAccount(store)
    const order = { amountZat: 50_000_000n, fiatCurrency: 'EUR', payoutTo: 'DE00 1234', idempotencyKey: undefined }
    const { withdrawal, invoice } = await harness.withdrawals.create(account, order, ACTOR)
    await harness.deposit(invoice, order.amountZat)
    await harness.mine()
    await harness.payouts.markPaidOut(withdrawal.publicId, 'ref')
    const detail = '0.5 ZEC for 49.50 EUR'
    assert.deepEqual(await entriesOf(store, account.id), [
      ['withdrawal_created', 'owner', ACTOR.network, detail],
      ['withdrawal_settled', 'operator', null, detail],
    ])
  })

  test('entries are kept for the days of the setting', async t => {
    const store = await openEmptyStore(engine, t)
    const clock = new ManualClock(NOW)
    const { services } = await openTestContainer(t, { store, clock, env: { AUDIT_RETENTION_DAYS: '30' } })
    await services.auditLog.recordCommand('rescan_started', 'from block 7')
    clock.advance(30 * 86_400)
    await services.cleanup.pruneAuditLog()
    assert.equal((await services.auditLog.list({}, 10)).length, 1)
    clock.advance(1)
    await services.cleanup.pruneAuditLog()
    assert.deepEqual(await services.auditLog.list({}, 10), [])
  })
})
