import { createHash, randomUUID } from 'node:crypto'
import type { Account, Network } from '../../src/domain/account.ts'
import { consensusParams } from '../../src/domain/network-upgrade.ts'
import { DEFAULT_PLANS, type Plan } from '../../src/domain/plan.ts'
import { type Clock, nowSecs } from '../../src/ports/clock.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Rates } from '../../src/ports/rate.ts'
import type { Invoice } from '../../src/ports/repository/invoice.ts'
import type { Store, Tx } from '../../src/ports/store.ts'
import { openTestContainer, type TestScope } from './container.ts'
import { silentLog } from './log.ts'
import { testViewingKey } from './viewing-key.ts'

export interface BillingHarnessOptions {
  readonly store: Store
  readonly clock: Clock
  readonly plans?: readonly Plan[]
  readonly rates?: Rates
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

/** Billing and withdrawals on a real store, with payments written directly instead of blocks and notes. */
export async function createBillingHarness(test: TestScope, { store, clock, ...options }: BillingHarnessOptions) {
  const { plans = DEFAULT_PLANS, log = silentLog, confirmations = CONFIRMATIONS, rates } = options
  const { infrastructure, services, operator } = await openTestContainer(test, {
    store,
    clock,
    log,
    ...(rates && { rates }),
    params: consensusParams(options.chainNetwork ?? 'regtest'),
    config: {
      plans,
      confirmations,
      billingViewingKey: testViewingKey(9),
      ...(options.encryptionKeys && { encryptionKeys: options.encryptionKeys }),
    },
  })
  const { accounts, invoices, billing, withdrawals, payouts, setAsides, updateInvoices } = services
  if (!operator) throw new Error('the operator has no account')
  const now = () => nowSecs(clock)

  async function mineHeaders(tx: Tx, count: number, time = now()): Promise<void> {
    const height = (await tx.chain.tip())?.height ?? 0
    const treeSizes = { sapling: 0, orchard: 0, ironwood: 0 }
    const hash = (at: number) => hashOf(`block ${at}`)
    const blocks = Array.from({ length: count }, (_, i) => height + 1 + i)
    await tx.chain.appendHeaders(
      blocks.map(at => ({ height: at, hash: hash(at), prevHash: hash(at - 1), time, treeSizes })),
    )
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

    /** Adds a payment to the mempool, in a new transaction or the given one. Returns the txid. */
    async deposit(invoice: Invoice, valueZat: bigint, txid = hashOf(randomUUID())): Promise<string> {
      const payment = {
        invoiceId: invoice.id,
        txid,
        valueZat,
        outputIndex: 0,
        pool: 'ironwood',
        seenAt: now(),
        lastSeenHeight: 0,
      } as const
      await store.write(async tx => {
        const location = { at: 'mempool' } as const
        const recorded = await tx.payments.upsert([{ ...payment, location, expiryHeight: null }])
        await tx.payments.markPresent([await tx.payments.lastSeq()], 0)
        await updateInvoices(tx, recorded, now(), { mempoolIsKnown: true })
      })
      return txid
    },

    /** Drops an unmined payment. */
    async vanish(txid: string): Promise<void> {
      await store.write(async tx => updateInvoices(tx, await tx.payments.markDropped([txid]), now()))
    },

    /** Mines the mempool with the given number of confirmations. */
    async mine(count = CONFIRMATIONS, time = now()): Promise<void> {
      await store.write(async tx => {
        const height = ((await tx.chain.tip())?.height ?? 0) + 1
        await mineHeaders(tx, count, time)
        const unmined = await tx.payments.listMempool(1_000, null)
        const location = { at: 'mined', height } as const
        const mined = await tx.payments.upsert(unmined.map(payment => ({ ...payment, location })))
        await updateInvoices(
          tx,
          [...mined, ...(await tx.invoices.confirmable((await tx.chain.tip())?.height ?? 0, 1_000))],
          now(),
        )
      })
    },

    /** Removes the last blocks. Their payments are unmined. */
    async reorg(depth: number): Promise<void> {
      await store.write(async tx => {
        const height = Math.max(((await tx.chain.tip())?.height ?? 0) - depth, 0)
        const touched = await tx.payments.unmineAbove(height)
        await tx.chain.removeHeadersAbove(height)
        await updateInvoices(tx, touched, now())
      })
    },

    /** Sets the synced time to now and expires due invoices. */
    async seeThrough(): Promise<void> {
      await store.write(async tx => {
        await tx.chain.setSyncedThrough(now(), now())
        await updateInvoices(tx, await tx.invoices.expirable(now(), (await tx.chain.tip())?.height ?? 0, 1_000), now())
      })
    },
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
