import assert from 'node:assert/strict'
import { after } from 'node:test'
import { AppError } from '../../../src/domain/error.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { scanKeyReference } from '../../../src/domain/set-aside.ts'
import { DAY_SECS } from '../../../src/domain/time.ts'
import type { Store } from '../../../src/ports/store.ts'
import { rescan } from '../../../src/workers/chain/rescan.ts'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

after(closeNoteScanner)

const TWO = { servers: 2 }
const AMOUNT = 1_000n

chainSyncTest(
  'a payment mined after the watch of its key is compared too, so that the servers do not seem to disagree',
  async harness => {
    const late = await harness.invoice({ amount: AMOUNT })
    harness.pay(late, AMOUNT)
    await harness.sync()
    harness.clock.advance(12 * DAY_SECS)
    harness.sandbox.mine(3)
    for (let syncs = 0; syncs < 3; syncs++) {
      await harness.sync()
      harness.clock.advance(60)
    }
    assert.equal(await harness.status(late), 'paid')
    assert.deepEqual(harness.metrics.problems, [])
  },
  TWO,
)

chainSyncTest(
  'a payment of a viewing key that is deleted meanwhile holds no other one',
  async harness => {
    const { services, store, account } = harness
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(3)
    await harness.chainSync.sync(harness.signal)
    await services.viewingKeys.set(account, testViewingKey(5))
    const before = harness.clock.secs + 90 * DAY_SECS
    assert.equal(await store.write(tx => tx.viewingKeys.prune(before, 10)), 1)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  },
  TWO,
)

// A promoted standby or a restored copy has the state of the settings that were in force then.
chainSyncTest(
  'a database that was replaced without an agreed height requires two servers again',
  async harness => {
    await harness.sync()
    await harness.store.write(tx => tx.chain.setWitnessedHeight(null))
    await harness.sync()
    assert.notEqual(await harness.store.query(tx => tx.chain.witnessedHeight()), null)
  },
  TWO,
)

chainSyncTest(
  'a database that was replaced with an agreed height holds no payment of a single server',
  async harness => {
    await harness.sync()
    await harness.store.write(tx => tx.chain.setWitnessedHeight(1))
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(3)
    for (let syncs = 0; syncs < 2; syncs++) await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  },
)

chainSyncTest(
  'when the second server is removed, payments of a viewing key that was set aside meanwhile count too',
  async harness => {
    const invoice = await harness.invoice({ amount: AMOUNT })
    harness.pay(invoice, AMOUNT)
    harness.sandbox.mine(3)
    await harness.chainSync.sync(harness.signal)
    const key = scanKeyReference((await harness.store.read(tx => tx.viewingKeys.list()))[0]!)
    const times = { firstAt: harness.clock.secs, nextAttemptAt: harness.clock.secs + 60 }
    const fromHeight = harness.sandbox.height + 1
    await harness.store.write(tx => tx.setAside.put({ ...key, ...times, error: 'sealed', failures: 1, fromHeight }))
    await harness.chainSync.compareServers(harness.signal)
    harness.servers.length = 1
    await harness.restart()
    await harness.sync()
    await harness.store.write(tx => tx.setAside.remove(key))
    harness.sandbox.mine(1)
    await harness.sync()
    assert.equal(await harness.status(invoice), 'paid')
  },
  TWO,
)

/** Starts the services anew. `interrupt` runs `work` before a write: 1 is the next one. */
function interruptible(harness: ChainSyncHarness) {
  const { store } = harness
  let left = 0
  let act: () => Promise<unknown> = async () => {}
  const write: Store['write'] = async work => {
    left -= 1
    if (left === 0) await act()
    return store.write(work)
  }
  harness.startServices({ store: { ...store, write } })
  return {
    interrupt(place: number, work: () => Promise<unknown>) {
      left = place
      act = work
    },
    isInterrupted: () => left <= 0,
  }
}

/** A payment that waits for a second server in a database that was written under other settings. */
async function makeWait(harness: ChainSyncHarness): Promise<Invoice> {
  await harness.store.write(tx => tx.chain.setWitnessedHeight(1))
  const invoice = await harness.invoice({ amount: AMOUNT })
  harness.pay(invoice, AMOUNT)
  harness.sandbox.mine(3)
  await harness.chainSync.sync(harness.signal)
  const waiting = await harness.store.read(tx => tx.payments.comparableBetween(1, harness.sandbox.height))
  await harness.store.write(tx => tx.payments.awaitWitness(waiting.map(({ seq }) => seq)))
  assert.equal(await harness.status(invoice), 'detected')
  return invoice
}

// Chain sync and the comparison of servers may both find at once that what is stored does not fit the settings.
chainSyncTest(
  'of two that configure at once, the second fails after the first is done, and its payments do not wait',
  async harness => {
    const { interrupt } = interruptible(harness)
    const { witnesses } = harness.services
    await harness.sync()
    const invoices: Invoice[] = []
    const first = witnesses.configure(1)
    interrupt(1, async () => {
      await first
      invoices.push(await makeWait(harness))
      interrupt(1, async () => {
        throw new AppError('database_unavailable')
      })
    })
    await assert.rejects(witnesses.configure(1), { code: 'database_unavailable' })
    harness.sandbox.mine(1)
    await harness.sync()
    assert.deepEqual(await Promise.all(invoices.map(invoice => harness.status(invoice))), ['paid'])
  },
)

for (const place of [1, 2, 3, 4]) {
  chainSyncTest(
    `a rescan before write ${place} after the second server was removed leaves no payment waiting for one`,
    async harness => {
      const invoice = await harness.missPayment(AMOUNT)
      harness.servers.length = 1
      await harness.restart()
      const { deps } = harness
      const { interrupt, isInterrupted } = interruptible(harness)
      interrupt(place, () => rescan(deps, 1, harness.signal))
      while (!isInterrupted()) {
        harness.sandbox.mine(1)
        await harness.sync()
      }
      assert.equal(await harness.status(invoice), 'paid')
    },
    TWO,
  )

  chainSyncTest(
    `a database that was replaced, and fails at write ${place} from then on, holds no payment of a single server`,
    async harness => {
      const { interrupt, isInterrupted } = interruptible(harness)
      await harness.sync()
      const invoice = await makeWait(harness)
      interrupt(place, async () => {
        throw new AppError('database_unavailable')
      })
      while (!isInterrupted()) {
        harness.sandbox.mine(1)
        await harness.sync().catch(() => {})
      }
      await harness.sync()
      assert.equal(await harness.status(invoice), 'paid')
    },
  )
}
