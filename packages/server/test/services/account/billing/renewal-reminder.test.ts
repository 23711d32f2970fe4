import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailService } from '../../../../src/container.ts'
import type { OutgoingMail } from '../../../../src/ports/mailer.ts'
import { createBillingHarness } from '../../../harness/billing.ts'
import { sqliteStore } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

test('the renewal reminder names the plan, its end and what to do', async t => {
  const clock = new ManualClock(Date.UTC(2027, 0, 1, 12) / 1000)
  const { store } = await sqliteStore(t)
  const harness = await createBillingHarness(t, { store, clock })
  const { email } = await harness.merchant()
  await harness.accounts.setPlan(email, 'Pro', Date.UTC(2027, 0, 3, 10, 30) / 1000)
  await harness.billing.sendRenewalReminders(10)

  const sent: OutgoingMail[] = []
  const mailer = { send: async (mail: OutgoingMail) => void sent.push(mail), close: () => {} }
  const mails = createMailService(harness.infrastructure, mailer, () => 'https://pay.example.org')
  assert.equal(await mails.sendNotices(10), 1)
  assert.deepEqual(
    sent.map(({ to, subject }) => [to, subject]),
    [[email, 'Your zatgate plan ends soon']],
  )
  assert.match(sent[0]?.text ?? '', /^Your zatgate plan is Pro until 2027-01-03 10:30 UTC\.$/m)
  assert.match(sent[0]?.text ?? '', /https:\/\/pay\.example\.org\/billing/)
  assert.equal(await mails.sendNotices(10), 0)
})
