import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PayoutResult } from '../../../src/ports/payout-provider.ts'
import type { Store } from '../../../src/ports/store.ts'
import { type BillingHarness, createBillingHarness } from '../../harness/billing.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { recordingLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { scriptedPayout } from '../../harness/scripted-payout.ts'

const AMOUNT = 100_000_000n
const LEASE_SECS = 120
const REFUSED = { code: 'payout_in_progress', kind: 'conflict' }

async function start(t: TestContext, engine: DatabaseEngine) {
  const clock = new ManualClock()
  const { open, events } = await engine.createDatabase(t)
  const hooked = afterNextWrite(await open())
  const provider = scriptedPayout()
  const log = recordingLog()
  const harness = await createBillingHarness(t, { store: hooked.store, clock, provider, log })
  const account = await harness.merchant()

  async function deposited() {
    const request = { amountZat: AMOUNT, fiatCurrency: 'USD', payoutTo: 'account 1', idempotencyKey: undefined }
    const ordered = await harness.withdrawals.create(account, request)
    await harness.deposit(ordered.invoice, AMOUNT)
    await harness.mine()
    return { ...ordered, id: ordered.withdrawal.publicId }
  }

  return {
    clock,
    harness,
    provider,
    log,
    deposited,
    afterNextWrite: hooked.afterNextWrite,
    read: async (id: string) => (await harness.payouts.read(id)).withdrawal,
    statuses: async () => (await events(account.id)).map(({ status }) => status),
    warnings: () => log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
    /** A second process on the same database, with the same provider. */
    async restarted(): Promise<BillingHarness> {
      return createBillingHarness(t, { store: await open(), clock, provider, log })
    },
  }
}

/** A store that runs `work` once, right after the next transaction is committed. */
function afterNextWrite(real: Store) {
  let next: (() => Promise<void>) | undefined
  const write: Store['write'] = async work => {
    const result = await real.write(work)
    const hook = next
    next = undefined
    await hook?.()
    return result
  }
  return {
    store: { ...real, write },
    afterNextWrite(work: () => Promise<void>) {
      next = work
    },
  }
}

const closings = [
  [
    'settle',
    (harness: BillingHarness, id: string, override?: boolean) =>
      harness.payouts.markPaidOut(id, 'by hand', { override }),
  ],
  [
    'fail',
    (harness: BillingHarness, id: string, override?: boolean) =>
      harness.payouts.markFailed(id, 'sent back', { override }),
  ],
] as const

onBothDatabases(engine => {
  const check = (name: string, work: (setup: Awaited<ReturnType<typeof start>>) => Promise<void>) =>
    test(name, async t => work(await start(t, engine)))

  check('an order that the operator closes before it is claimed is not passed to the provider', async setup => {
    const { harness, provider, deposited } = setup
    const { id } = await deposited()
    await harness.payouts.markPaidOut(id, 'by hand')
    assert.equal(await harness.payouts.payDue(10), 0)
    assert.equal(provider.calls.length, 0)
  })

  for (const [name, close] of closings) {
    check(`${name} is refused between the claim of an order and the call of the provider`, async setup => {
      const { clock, harness, provider, deposited, read, afterNextWrite } = setup
      const { id } = await deposited()
      const since = clock.secs
      let refused = 0
      afterNextWrite(async () => {
        assert.equal(provider.calls.length, 0)
        await assert.rejects(close(harness, id), REFUSED)
        assert.deepEqual((await read(id)).activePayout, { provider: 'scripted', since })
        refused += 1
      })
      provider.results.push({ state: 'paid', reference: 'wire 1' })
      assert.equal(await harness.payouts.payDue(10), 1)
      const { status, reference, activePayout } = await read(id)
      assert.deepEqual([refused, status, reference, activePayout], [1, 'completed', 'wire 1', null])
    })

    check(`${name} is refused between the call of the provider and the record of its result`, async setup => {
      const { harness, provider, deposited, read, statuses } = setup
      const { id } = await deposited()
      provider.results.push(async () => {
        await assert.rejects(close(harness, id), REFUSED)
        return { state: 'paid', reference: 'wire 1' }
      })
      await harness.payouts.payDue(10)
      const { status, reference } = await read(id)
      assert.deepEqual([status, reference], ['completed', 'wire 1'])
      assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing', 'completed'])
    })
  }

  check('the refusal names the provider, the time and the override', async setup => {
    const { harness, provider, deposited } = setup
    const { id } = await deposited()
    provider.results.push({ state: 'processing', pollAfterSecs: 300 })
    await harness.payouts.payDue(10)
    await assert.rejects(harness.payouts.markPaidOut(id, 'by hand'), {
      message: 'payout in progress',
      extra: {
        detail:
          'the provider scripted has been paying this order since 2027-01-15T08:00:00Z; ' +
          'override only when the provider will not pay',
      },
    })
  })

  check('an order stays claimed while the provider is paying, and when a call fails', async setup => {
    const { clock, harness, provider, deposited, read } = setup
    const { id } = await deposited()
    const claimed = { provider: 'scripted', since: clock.secs }
    provider.results.push({ state: 'processing', pollAfterSecs: 300 }, new Error('down'))
    for (const secs of [0, 300]) {
      clock.advance(secs)
      assert.equal(await harness.payouts.payDue(10), 1)
      assert.deepEqual((await read(id)).activePayout, claimed)
      await assert.rejects(harness.payouts.markFailed(id, 'sent back'), REFUSED)
    }
    clock.advance(60)
    provider.results.push({ state: 'by_hand' })
    await harness.payouts.payDue(10)
    assert.equal((await read(id)).activePayout, null)
    assert.equal((await harness.payouts.markPaidOut(id, 'by hand')).withdrawal.status, 'completed')
  })

  check('coins that arrive while a provider pays do not end its claim', async setup => {
    const { harness, provider, deposited, read, statuses } = setup
    const { id, invoice } = await deposited()
    provider.results.push({ state: 'processing', pollAfterSecs: 300 })
    await harness.payouts.payDue(10)
    await harness.deposit(invoice, 1n)
    await harness.mine()
    assert.equal((await read(id)).status, 'needs_attention')
    await assert.rejects(harness.payouts.markPaidOut(id, 'by hand'), REFUSED)
    assert.equal((await harness.payouts.markPaidOut(id, 'by hand', { override: true })).withdrawal.status, 'completed')
    assert.deepEqual((await statuses()).slice(2), ['needs_attention', 'completed'])
  })

  check('after a crash between call and record, the provider is called again with the same order', async setup => {
    const { clock, harness, provider, deposited, read, restarted } = setup
    const { id } = await deposited()
    const called = Promise.withResolvers<void>()
    provider.results.push(() => {
      called.resolve()
      return new Promise<PayoutResult>(() => {})
    })
    void harness.payouts.payDue(10)
    await called.promise

    const next = await restarted()
    for (const [, close] of closings) await assert.rejects(close(next, id), REFUSED)
    clock.advance(LEASE_SECS - 1)
    assert.equal(await next.payouts.payDue(10), 0)
    clock.advance(1)
    await assert.rejects(next.payouts.markPaidOut(id, 'by hand'), REFUSED)
    provider.results.push({ state: 'paid', reference: 'wire 1' })
    assert.equal(await next.payouts.payDue(10), 1)
    assert.deepEqual(
      provider.calls.map(order => order.id),
      [id, id],
    )
    assert.equal((await read(id)).reference, 'wire 1')
  })

  check('two processes pass each order to the provider once', async setup => {
    const { harness, provider, deposited, restarted } = setup
    const other = await restarted()
    const ids: string[] = []
    for (let at = 0; at < 6; at++) ids.push((await deposited()).id)
    for (const _ of ids) provider.results.push({ state: 'paid', reference: 'wire' })
    await Promise.all([harness, other, harness, other].map(({ payouts }) => payouts.payDue(10)))
    assert.deepEqual(provider.calls.map(order => order.id).sort(), ids.sort())
  })

  for (const [name, close] of closings) {
    check(`a payout that the provider reports after an override of ${name} needs attention`, async setup => {
      const { harness, provider, deposited, read, statuses, warnings } = setup
      const { id } = await deposited()
      provider.results.push(async () => {
        await close(harness, id, true)
        return { state: 'paid', reference: 'wire 1' }
      })
      await harness.payouts.payDue(10)
      const closed = name === 'settle' ? 'completed' : 'failed'
      assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing', closed, 'needs_attention'])
      const { reference, reason, activePayout } = await read(id)
      assert.equal(reference, name === 'settle' ? 'by hand; wire 1' : 'wire 1')
      assert.equal(
        reason,
        `${name === 'settle' ? '' : 'sent back; '}paid by the provider scripted after the order was closed`,
      )
      assert.equal(activePayout, null)
      assert.deepEqual(warnings(), [
        'the payout provider paid an order that was already closed: the merchant may have been paid twice',
      ])
    })

    check(`no other late result changes the status after an override of ${name}`, async setup => {
      const { clock, harness, provider, deposited, read, warnings } = setup
      const results: PayoutResult[] = [
        { state: 'by_hand' },
        { state: 'processing', pollAfterSecs: 1 },
        { state: 'failed', reason: 'unknown account' },
      ]
      for (const result of results) {
        const { id } = await deposited()
        provider.results.push(async () => {
          await close(harness, id, true)
          return result
        })
        assert.equal(await harness.payouts.payDue(10), 1)
        const { status, activePayout } = await read(id)
        assert.deepEqual([status, activePayout], [name === 'settle' ? 'completed' : 'failed', null])
        clock.advance(86_400)
        assert.equal(await harness.payouts.payDue(10), 0)
      }
      assert.equal(warnings().length, 3)
    })
  }

  check('a payout reported after an override and a late deposit keeps both references', async setup => {
    const { harness, provider, deposited, read, statuses } = setup
    const { id, invoice } = await deposited()
    provider.results.push(async () => {
      await harness.payouts.markPaidOut(id, 'by hand', { override: true })
      await harness.deposit(invoice, 1n)
      return { state: 'paid', reference: 'wire 1' }
    })
    await harness.payouts.payDue(10)
    const { reference, reason } = await read(id)
    assert.deepEqual(
      [reference, reason],
      [
        'by hand; wire 1',
        '1.00000001 ZEC arrived in all, more than when the order was closed; paid by the provider scripted after the order was closed',
      ],
    )
    assert.deepEqual((await statuses()).slice(2), ['completed', 'needs_attention'])
  })

  check('a slow repeated result of a provider that has already paid changes nothing', async setup => {
    const { clock, harness, provider, deposited, read, statuses, restarted } = setup
    const { id } = await deposited()
    const slow = Promise.withResolvers<PayoutResult>()
    provider.results.push(() => slow.promise)
    const first = harness.payouts.payDue(10)
    const other = await restarted()
    clock.advance(LEASE_SECS)
    while (provider.calls.length === 0) await new Promise(setImmediate)
    provider.results.push({ state: 'paid', reference: 'wire 1' })
    await other.payouts.payDue(10)
    slow.resolve({ state: 'paid', reference: 'wire 1' })
    await first
    assert.deepEqual([(await read(id)).status, (await read(id)).reference], ['completed', 'wire 1'])
    assert.deepEqual(await statuses(), ['deposit_detected', 'payout_processing', 'completed'])
  })
})
