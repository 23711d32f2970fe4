import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../src/ports/store.ts'
import { createBillingHarness } from '../../harness/billing.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { makeAccount } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { createSignInHarness } from '../../harness/sign-in.ts'

/** Takes the queued mails to an address, in the order of their creation. */
async function queued(store: Store, email: string): Promise<(readonly [about: string, detail: string | null])[]> {
  const due = await store.write(tx => tx.mails.claimNotices(4_000_000_000, 100, () => 5_000_000_000))
  return due.flatMap(mail => (mail.to === email && 'detail' in mail ? [[mail.about, mail.detail] as const] : []))
}

onBothDatabases(engine => {
  test('a change of the confirmations is mailed once, and an invalid or equal number is not', async t => {
    const store = await openEmptyStore(engine, t)
    const services = await createBillingHarness(t, { store, clock: new ManualClock() })
    const account = await makeAccount(store)
    await services.accounts.setTerms(account, { confirmations: 0 })
    await services.accounts.setTerms(account, { confirmations: 0 })
    await assert.rejects(services.accounts.setTerms(account, { confirmations: 101 }))
    assert.deepEqual(await queued(store, account.email), [['confirmations_set', '0']])
  })

  test('the creation and the cancellation of a withdrawal are mailed without the payout details', async t => {
    const store = await openEmptyStore(engine, t)
    const services = await createBillingHarness(t, { store, clock: new ManualClock() })
    const account = await makeAccount(store)
    const order = { amountZat: 50_000_000n, fiatCurrency: 'EUR', payoutTo: 'DE00 1234', idempotencyKey: 'once' }
    const { withdrawal } = await services.withdrawals.create(account, order)
    await services.withdrawals.create(account, order)
    await services.withdrawals.cancel(account, withdrawal.publicId)
    await assert.rejects(services.withdrawals.cancel(account, withdrawal.publicId))
    assert.deepEqual(await queued(store, account.email), [
      ['withdrawal_created', '0.5 ZEC for 49.50 EUR'],
      ['withdrawal_canceled', '0.5 ZEC for 49.50 EUR'],
    ])
  })

  test('a sign-in is mailed with the name of its browser, and a wrong code is not', async t => {
    const { store, signIn, requestCode, deliver, mailbox } = await createSignInHarness(engine, t)
    const { browser, code } = await requestCode('shop@example.org')
    await assert.rejects(signIn.signIn(browser, 'x', 'Firefox on Linux'))
    await signIn.signIn(browser, code, 'Firefox on Linux')
    await deliver()
    const [mail, ...others] = mailbox.mails('shop@example.org').filter(sent => sent.code === undefined)
    assert.equal(others.length, 0)
    assert.equal(mail?.subject, 'zatgate: a new sign-in was made')
    assert.match(mail?.text ?? '', /a new sign-in was made in your zatgate account: Firefox on Linux\./)
    assert.deepEqual(await queued(store, 'shop@example.org'), [])
  })
})
