import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createMailService } from '../../../src/container.ts'
import { FREE_PLAN, type Plan } from '../../../src/domain/account/plan.ts'
import type { OutgoingMail } from '../../../src/ports/mailer.ts'
import { startTestApi } from '../../harness/api.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const PLANS: readonly Plan[] = [
  { name: FREE_PLAN, monthlyInvoiceLimit: 10, priceZat: 0n, periodDays: 30 },
  { name: 'One', monthlyInvoiceLimit: 1, priceZat: 0n, periodDays: 30 },
  { name: 'Unlimited', monthlyInvoiceLimit: null, priceZat: 0n, periodDays: 30 },
]

async function start(engine: DatabaseEngine, t: TestContext) {
  const clock = new ManualClock(Date.UTC(2026, 10, 20) / 1000)
  const store = await openEmptyStore(engine, t)
  const api = await startTestApi({ store, clock, plans: PLANS })
  t.after(() => api.close())
  const sent: OutgoingMail[] = []
  const mailer = { send: async (mail: OutgoingMail) => void sent.push(mail), close: () => {} }
  const mails = createMailService(api.infrastructure, mailer, () => 'https://pay.example.org')
  const merchant = async (plan: string) => {
    const { account } = await api.merchant({ plan })
    const sell = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          api.invoices.create(account, { amountZat: 1n, expiresInSecs: undefined, idempotencyKey: undefined }),
        ),
      )
    /** Mails about the limit since the last call. */
    const limitMails = async () => {
      while ((await mails.sendNotices(50)) > 0);
      return sent
        .splice(0)
        .filter(({ to, subject }) => to === account.email && subject.includes('monthly invoice limit'))
    }
    return { account, sell, limitMails }
  }
  return { api, clock, merchant }
}

onBothDatabases(engine => {
  test('the owner is mailed once at 80 % and once at 100 % of the monthly limit, and again in the next month', async t => {
    const { merchant, clock } = await start(engine, t)
    const { sell, limitMails } = await merchant(FREE_PLAN)
    await sell(7)
    assert.deepEqual(await limitMails(), [])
    await sell(1)
    const [near, ...others] = await limitMails()
    assert.equal(others.length, 0)
    assert.equal(near?.subject, 'zatgate: 80 % of the monthly invoice limit is used')
    assert.match(near?.text ?? '', /8 of the 10 invoices of the Free plan are used until 2026-12-01 00:00 UTC\./)
    assert.match(near?.text ?? '', /https:\/\/pay\.example\.org\/billing/)
    await sell(1)
    assert.deepEqual(await limitMails(), [])
    await sell(1)
    const [reached, ...more] = await limitMails()
    assert.equal(more.length, 0)
    assert.equal(reached?.subject, 'zatgate: the monthly invoice limit is reached')
    assert.match(reached?.text ?? '', /10 of the 10 invoices of the Free plan are used until 2026-12-01 00:00 UTC\./)
    for (const _ of [1, 2]) await assert.rejects(sell(1), { code: 'monthly_invoice_limit_reached' })
    assert.deepEqual(await limitMails(), [])

    clock.advance(15 * 86_400)
    await sell(10)
    assert.deepEqual((await limitMails()).map(({ subject }) => subject).toSorted(), [
      'zatgate: 80 % of the monthly invoice limit is used',
      'zatgate: the monthly invoice limit is reached',
    ])
  })

  test('invoices that are created at the same time cause one mail each, and no limit causes none', async t => {
    const { merchant } = await start(engine, t)
    const [limited, one, unlimited] = [await merchant(FREE_PLAN), await merchant('One'), await merchant('Unlimited')]
    await Promise.allSettled([limited.sell(30), unlimited.sell(30)])
    assert.equal((await limited.limitMails()).length, 2)
    await unlimited.sell(20)
    assert.equal((await unlimited.limitMails()).length, 0)
    await one.sell(1)
    assert.deepEqual(
      (await one.limitMails()).map(({ subject }) => subject),
      ['zatgate: the monthly invoice limit is reached'],
    )
  })

  test('the owner is mailed when a new plan has a limit that is already reached', async t => {
    const { api, merchant } = await start(engine, t)
    const { account, sell, limitMails } = await merchant('Unlimited')
    await sell(12)
    await api.accounts.setPlan(account.email, FREE_PLAN, null)
    assert.deepEqual(
      (await limitMails()).map(({ subject }) => subject),
      ['zatgate: the monthly invoice limit is reached'],
    )
    await api.accounts.setPlan(account.email, FREE_PLAN, 4_000_000_000)
    assert.deepEqual(await limitMails(), [])
  })

  test('the owner is mailed when a plan ends and the limit of Free is already reached', async t => {
    const { api, clock, merchant } = await start(engine, t)
    const { account, sell, limitMails } = await merchant('Unlimited')
    await api.accounts.setPlan(account.email, 'Unlimited', clock.secs + 3_600)
    await sell(12)
    clock.advance(3_600)
    assert.equal(await api.billing.expirePlans(10), 1)
    const [reached, ...others] = await limitMails()
    assert.equal(others.length, 0)
    assert.match(reached?.text ?? '', /12 of the 10 invoices of the Free plan are used/)
  })
})
