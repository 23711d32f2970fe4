import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { consensusParams } from '../../../../src/domain/chain/network-upgrade.ts'
import { scanKeyReference } from '../../../../src/domain/set-aside.ts'
import type { Store, Tx } from '../../../../src/ports/store.ts'
import { createChainRecorder } from '../../../../src/services/chain/chain-sync.ts'
import { createWitnesses } from '../../../../src/services/chain/witness.ts'
import { createInvoiceExpiry } from '../../../../src/services/sale/invoice-expiry.ts'
import { createChangeReporter, createInvoiceUpdater } from '../../../../src/services/sale/invoice-state.ts'
import { openEmptyStore, sqliteEngine } from '../../../harness/databases.ts'
import { NOW, openShop } from '../../../harness/fixtures.ts'
import { silentLog } from '../../../harness/log.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { testOutbox } from '../../../harness/outbox.ts'
import { TestNetwork } from '../../../harness/simulation/network.ts'
import { withRepositories } from '../../../harness/tx.ts'

/** The services over a store that counts the calls of a transaction which lock or read chain and invoices. */
async function harnessOf(t: TestContext) {
  const store = await openEmptyStore(sqliteEngine, t)
  const shop = await openShop(store)
  const clock = new ManualClock(NOW)
  const calls: string[] = []
  const counted = <T extends object>(repository: T, names: readonly (keyof T & string)[]): T => ({
    ...repository,
    ...Object.fromEntries(
      names.map(name => [
        name,
        (...args: unknown[]) => {
          calls.push(Array.isArray(args[0]) ? `${name}(${args[0].length})` : name)
          return (repository[name] as (...args: unknown[]) => unknown)(...args)
        },
      ]),
    ),
  })
  const counting = (tx: Tx): Tx =>
    withRepositories(tx, {
      invoices: counted(tx.invoices, ['lock', 'byIds']),
      payments: counted(tx.payments, [
        'summaries',
        'markPresent',
        'markMissing',
        'markDropped',
        'upsert',
        'awaitWitness',
        'markWitnessed',
      ]),
      chain: counted(tx.chain, ['lock', 'tip', 'newestHeaders', 'syncedThrough']),
    })
  const countingStore: Store = { ...store, write: work => store.write(tx => work(counting(tx))) }
  const deps = {
    store: countingStore,
    updateInvoices: createInvoiceUpdater({ outbox: testOutbox }),
    reportChanges: createChangeReporter({ log: silentLog }),
    clock,
    params: consensusParams('regtest'),
  }
  const chain = new TestNetwork()
  const recorder = createChainRecorder(deps)
  const witnesses = createWitnesses({ ...deps, log: silentLog })
  await recorder.recordBlocks({ blocks: chain.blocksFrom(), notes: [] })
  return {
    store,
    shop,
    clock,
    chain,
    recorder,
    witnesses,
    expiry: createInvoiceExpiry(deps),
    unmined: () => chain.mempoolNotes(shop.viewingKey.id),
    /** The counted calls of `work`, without the arguments that are not lists. */
    async callsOf(work: () => Promise<unknown>): Promise<string[]> {
      calls.length = 0
      await work()
      return [...calls]
    },
  }
}

test('each use case of chain sync locks its invoices by one call, reads the position once and passes no empty list', async t => {
  const { store, shop, clock, chain, recorder, expiry, unmined, callsOf } = await harnessOf(t)
  const sell = () => shop.sell({ amountZat: 10n, confirmations: 2 })
  const [waiting, expiring, mined, overdue] = [await sell(), await sell(), await sell(), await sell()]
  const first = chain.pay(waiting, 10n)
  const second = chain.pay(expiring, 5n)

  const seen = { notes: unmined(), expiryHeights: new Map([[second, 2]]) }
  const mempool = await callsOf(() => recorder.recordMempool(seen))
  assert.deepEqual(mempool, ['lock(2)', 'tip', 'upsert(2)', 'syncedThrough', 'summaries(2)'])

  const snapshot = {
    ...seen,
    txids: new Set(chain.mempool.keys()),
    readAt: clock.secs,
    lastSeq: await recorder.lastSeq(),
    serverEpoch: 1,
    syncedThrough: clock.secs,
    provesMissing: true,
    uncompared: new Set<string>(),
  }
  const changed = await callsOf(() => recorder.recordSnapshot(snapshot))
  assert.deepEqual(changed, [
    'lock',
    'newestHeaders',
    'lock(2)',
    'upsert(2)',
    'markPresent(2)',
    'syncedThrough',
    'summaries(2)',
  ])
  const unchanged = await callsOf(() => recorder.recordSnapshot(snapshot))
  assert.deepEqual(unchanged, ['lock', 'newestHeaders', 'lock(2)', 'upsert(2)'])

  const below = [chain.mineOnly([first], clock.secs)]
  await recorder.recordBlocks({ blocks: below, notes: chain.notesIn(below, shop.viewingKey.id) })
  const block = chain.mineOnly([chain.pay(mined, 10n)], clock.secs)
  const notes = chain.notesIn([block], shop.viewingKey.id)
  const blocks = await callsOf(() => recorder.recordBlocks({ blocks: [block], notes }))
  // One invoice is paid in the block, one is confirmed by it, and the transaction of one expires with it.
  assert.deepEqual(blocks, ['lock', 'tip', 'lock(3)', 'upsert(1)', 'markDropped(1)', 'syncedThrough', 'summaries(3)'])

  clock.advance(900)
  await recorder.recordSnapshot({ ...snapshot, notes: [], txids: new Set(), syncedThrough: clock.secs })
  const expired = await callsOf(() => expiry.expireDue(10))
  assert.deepEqual(expired, ['lock', 'newestHeaders', 'syncedThrough', 'lock(2)', 'summaries(2)'])
  const ids = [waiting, expiring, mined, overdue].map(({ id }) => id)
  assert.deepEqual(
    (await store.read(tx => tx.invoices.byIds(ids))).map(({ status }) => status),
    ['paid', 'expired', 'detected', 'expired'],
  )
})

test('invoices are locked before their payments wait for, or are confirmed by, a second server', async t => {
  const { store, shop, chain, recorder, witnesses, callsOf, clock } = await harnessOf(t)
  await witnesses.configure(2)
  const invoice = await shop.sell({ amountZat: 10n })
  const block = chain.mineOnly([chain.pay(invoice, 10n)], clock.secs)
  const notes = chain.notesIn([block], shop.viewingKey.id)
  const view = { height: 1, blocks: [block], notes, mempoolNotes: [] }
  await recorder.recordBlocks({ blocks: [block], notes })
  const key = scanKeyReference(shop.viewingKey)
  const times = { firstAt: clock.secs, nextAttemptAt: clock.secs }
  await store.write(tx => tx.setAside.put({ ...key, ...times, error: 'sealed', failures: 1, fromHeight: 2 }))
  assert.deepEqual(await callsOf(() => witnesses.record([view, view])), ['lock', 'tip', 'lock(1)', 'awaitWitness(1)'])
  await store.write(tx => tx.setAside.remove(key))
  const range = { from: 1, to: 1, txids: new Set(notes.map(({ txid }) => txid)) }
  const confirmed = await callsOf(() => witnesses.recordRescanned(range, [view, view]))
  assert.deepEqual(confirmed.slice(0, 4), ['lock', 'tip', 'lock(1)', 'markWitnessed(1)'])
})
