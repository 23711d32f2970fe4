import { randomUUID } from 'node:crypto'
import type { Account, Network } from '../../src/domain/account/account.ts'
import { DEFAULT_PLANS, type Plan } from '../../src/domain/account/plan.ts'
import { consensusParams } from '../../src/domain/chain/network-upgrade.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type Clock, nowSecs } from '../../src/ports/clock.ts'
import type { Log } from '../../src/ports/log.ts'
import type { ReportedRates } from '../../src/ports/rate.ts'
import type { Store } from '../../src/ports/store.ts'
import { openTestContainer, type TestScope } from './container.ts'
import { silentLog } from './log.ts'
import { recordList } from './mempool-list.ts'
import { TestNetwork } from './simulation/network.ts'
import { testViewingKey } from './viewing-key.ts'

export interface BillingHarnessOptions {
  readonly store: Store
  readonly clock: Clock
  readonly plans?: readonly Plan[]
  readonly rates?: ReportedRates
  readonly log?: Log
  /** The network whose clock and block time rules apply. Default: regtest, without rules. */
  readonly chainNetwork?: Network
  /** Newest first. */
  readonly encryptionKeys?: readonly Uint8Array[]
  /** Required confirmations of deposits and plan payments. Default: 3. */
  readonly confirmations?: number
}

export type BillingHarness = Awaited<ReturnType<typeof createBillingHarness>>

const CONFIRMATIONS = 3

/** Billing and withdrawals on a real store, with payments on the network of the simulation. */
export async function createBillingHarness(test: TestScope, { store, clock, ...options }: BillingHarnessOptions) {
  const { plans = DEFAULT_PLANS, log = silentLog, confirmations = CONFIRMATIONS, rates } = options
  const { infrastructure, services, operator } = await openTestContainer(test, {
    store,
    clock,
    log,
    ...(rates && { rates }),
    // The simulated chain is short, so every network uses the upgrade heights of regtest.
    params: { ...consensusParams('regtest'), network: options.chainNetwork ?? 'regtest' },
    config: {
      plans,
      confirmations,
      billingViewingKey: testViewingKey(9),
      ...(options.encryptionKeys && { encryptionKeys: options.encryptionKeys }),
    },
  })
  const { accounts, invoices, billing, withdrawals, payouts, setAsides } = services
  const { chainRecorder, recordedChain, invoiceExpiry, retryInvoices, updateInvoices } = services
  const keyId = operator?.viewingKeyId
  if (!operator || !keyId) throw new Error('the operator has no viewing key')
  const network = new TestNetwork({ time: nowSecs(clock) })
  const now = () => nowSecs(clock)

  /** Records the mempool. @param syncedThrough the time up to which chain and mempool are known; null: no later one */
  const recordMempool = async (syncedThrough: number | null): Promise<void> => {
    await recordList(chainRecorder, {
      notes: network.mempoolNotes(keyId),
      txids: new Set(network.mempool.keys()),
      readAt: now(),
      lastSeq: await chainRecorder.lastSeq(),
      syncedThrough,
    })
  }

  /** Records the blocks above the recorded ones. */
  const recordBlocks = async (): Promise<void> => {
    const recorded = (await recordedChain.position())?.tip.height ?? -1
    const blocks = network.blocksFrom(recorded + 1)
    const mismatch = await chainRecorder.recordBlocks({ blocks, notes: network.notesIn(blocks, keyId) })
    if (mismatch) throw new Error(`block ${mismatch.height}: ${mismatch.problem.problem}`)
  }

  return {
    infrastructure,
    store,
    accounts,
    invoices,
    billing,
    withdrawals,
    payouts,
    setAsides,
    retryInvoices,
    operator,

    async merchant(plan = 'Free'): Promise<Account> {
      const email = `${randomUUID()}@example.org`
      await accounts.findOrCreate(email)
      return accounts.setPlan(email, plan, null)
    },

    account: (id: number): Promise<Account> =>
      store.read(async tx => {
        const account = await tx.accounts.byId(id)
        if (!account) throw new Error(`no account ${id}`)
        return account
      }),

    /** Pays an invoice: the payment is in the mempool. Returns the txid. */
    async deposit(invoice: Invoice, valueZat: bigint): Promise<string> {
      const txid = network.pay(invoice, valueZat)
      await recordMempool(null)
      return txid
    },

    /** Drops an unmined payment, without the wait for it. */
    async vanish(txid: string): Promise<void> {
      network.evict(txid)
      await store.write(async tx => updateInvoices(tx, await tx.payments.markDropped([txid]), now()))
    },

    /** Mines the mempool with the given number of confirmations. */
    async mine(count = CONFIRMATIONS, time = now()): Promise<void> {
      network.mine(time)
      for (let confirmations = 1; confirmations < count; confirmations++) network.mine(time, [])
      await recordBlocks()
    },

    /** Removes the last blocks. Their payments are unmined. */
    async reorg(depth: number): Promise<void> {
      network.removeBlocks(depth, () => true)
      await recordedChain.rewindTo(network.height, null)
    },

    /** Syncs up to now and expires due invoices. */
    async seeThrough(): Promise<void> {
      await recordMempool(now())
      await invoiceExpiry.expireDue(1_000)
    },
  }
}
