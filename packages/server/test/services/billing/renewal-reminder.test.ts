import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyedHash } from '../../../src/adapters/crypto/keyed-hash.ts'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import type { OutgoingMail } from '../../../src/ports/mailer.ts'
import { createMails } from '../../../src/services/mail.ts'
import { createBillingHarness } from '../../harness/billing.ts'
import { silentLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { sqliteStore } from '../../harness/sqlite.ts'

test('the renewal reminder names the plan, its end and what to do', async t => {
  const clock = new ManualClock(Date.UTC(2027, 0, 1, 12) / 1000)
  const { store } = await sqliteStore(t)
  const harness = await createBillingHarness({ store, clock })
  const { email } = await harness.merchant()
  await harness.accounts.setPlan(email, 'Pro', Date.UTC(2027, 0, 3, 10, 30) / 1000)
  await harness.billing.sendRenewalReminders(10)

  const sent: OutgoingMail[] = []
  const mails = createMails({
    store,
    mailer: { send: async mail => void sent.push(mail), close: () => {} },
    clock,
    random: systemRandom,
    keyedHash: createKeyedHash([Buffer.alloc(32, 1)]),
    registration: 'open',
    publicUrl: () => 'https://pay.example.org',
    log: silentLog,
  })
  assert.equal(await mails.sendDue(10), 1)
  assert.deepEqual(
    sent.map(({ to, subject }) => [to, subject]),
    [[email, 'Your zatgate plan ends soon']],
  )
  assert.match(sent[0]?.text ?? '', /^Your zatgate plan is Pro until 2027-01-03 10:30 UTC\.$/m)
  assert.match(sent[0]?.text ?? '', /https:\/\/pay\.example\.org\/billing/)
  assert.equal(await mails.sendDue(10), 0)
})
