import { createHash, randomUUID } from 'node:crypto'
import { createKeyedHash } from '../../src/adapters/crypto/keyed-hash.ts'
import { createVault } from '../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import type { Account, Network } from '../../src/domain/account.ts'
import { consensusParams } from '../../src/domain/network-upgrade.ts'
import { DEFAULT_PLANS, type Plan } from '../../src/domain/plan.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/ports/log.ts'
import type { PayoutProvider, PayoutResult } from '../../src/ports/payout-provider.ts'
import type { Rates } from '../../src/ports/rates.ts'
import type { Invoice } from '../../src/ports/repository/invoice.ts'
import type { Store, Tx } from '../../src/ports/store.ts'
import { createAccounts } from '../../src/services/account.ts'
import { createAddresses } from '../../src/services/address.ts'
import { createBilling } from '../../src/services/billing.ts'
import { createDatabaseIdentity } from '../../src/services/database-identity.ts'
import { createInvoices } from '../../src/services/invoice.ts'
import { createInvoiceUpdater } from '../../src/services/invoice-state.ts'
import { ensureOperatorAccount } from '../../src/services/operator.ts'
import { createPayouts } from '../../src/services/payout.ts'
import { createViewingKeys } from '../../src/services/viewing-key.ts'
import { createWithdrawals } from '../../src/services/withdrawal.ts'
import { testViewingKey } from './api.ts'
import { silentLog } from './log.ts'
import { createPlainNoteScanner } from './plain-note-scanner.ts'

export interface BillingHarnessOptions {
  readonly store: Store
  readonly clock: Clock
  readonly plans?: readonly Plan[]
  readonly rates?: Rates
  readonly provider?: PayoutProvider
  readonly log?: Log
  /** The network whose clock and block time rules apply. Default: regtest, without rules. */
  readonly chainNetwork?: Network
  /** Required confirmations of deposits and plan payments. Default: 3. */
  readonly confirmations?: number
}

export type BillingHarness = Awaited<ReturnType<typeof createBillingHarness>>

export const CONFIRMATIONS = 3
export const SPREAD_BPS = 100

/** Billing and withdrawals on a real store, with payments written directly instead of blocks and notes. */
export async function createBillingHarness({ store, clock, ...options }: BillingHarnessOptions) {
  const { plans = DEFAULT_PLANS, log = silentLog, confirmations = CONFIRMATIONS } = options
  const random = systemRandom
  const network = 'regtest'
  const noteScanner = createPlainNoteScanner()
  const vault = createVault([Buffer.alloc(32, 1)], random)
  const keyedHash = createKeyedHash([Buffer.alloc(32, 1)])
  const rates = options.rates ?? { rate: async currency => ({ currency, price: '100', fetchedAt: now() }) }
  const provider = options.provider ?? { name: 'test', pay: async (): Promise<PayoutResult> => ({ state: 'by_hand' }) }
  const now = () => Math.floor(clock.nowMs() / 1000)

  const accounts = createAccounts({ store, clock, random, network, plans, confirmations: CONFIRMATIONS })
  const viewingKeys = createViewingKeys({ store, noteScanner, vault, clock, random, network })
  const databaseIdentity = createDatabaseIdentity({ store, clock, random, lateWatchDays: 7, log })
  await databaseIdentity.advanceCountersIfCopy()
  const addresses = createAddresses({ store, noteScanner, vault, databaseIdentity })
  const invoices = createInvoices({ store, addresses, clock, random, plans, lateWatchDays: 7 })
  const operator = await ensureOperatorAccount({
    store,
    viewingKeys,
    clock,
    random,
    network,
    confirmations,
    billingViewingKey: testViewingKey(9),
  })
  const terms = { currencies: ['USD', 'EUR', 'JPY'], spreadBps: SPREAD_BPS, expiresInSecs: 900 }
  const billing = createBilling({
    store,
    clock,
    params: consensusParams(options.chainNetwork ?? network),
    plans,
    invoices,
    operator,
    log,
  })
  const withdrawals = createWithdrawals({
    store,
    clock,
    random,
    vault,
    keyedHash,
    rates,
    invoices,
    operator,
    params: consensusParams(network),
    terms,
  })
  const payouts = createPayouts({ store, clock, vault, provider, log })
  const updateInvoices = createInvoiceUpdater({
    applyPayment: (tx, _before, after) =>
      after.purpose === 'plan' ? billing.applyPayment(tx, after) : withdrawals.applyPayment(tx, after),
  })

  async function mineHeaders(tx: Tx, count: number): Promise<void> {
    const height = (await tx.chain.tip())?.height ?? 0
    const treeSizes = { sapling: 0, orchard: 0, ironwood: 0 }
    const hash = (at: number) => hashOf(`block ${at}`)
    const blocks = Array.from({ length: count }, (_, i) => height + 1 + i)
    await tx.chain.appendHeaders(
      blocks.map(at => ({ height: at, hash: hash(at), prevHash: hash(at - 1), time: now(), treeSizes })),
    )
  }

  return {
    store,
    accounts,
    invoices,
    billing,
    withdrawals,
    payouts,
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
        await updateInvoices(tx, recorded, now())
      })
      return txid
    },

    /** Drops an unmined payment. */
    async vanish(txid: string): Promise<void> {
      await store.write(async tx => updateInvoices(tx, await tx.payments.markDropped([txid]), now()))
    },

    /** Mines the mempool with the given number of confirmations. */
    async mine(count = CONFIRMATIONS): Promise<void> {
      await store.write(async tx => {
        const height = ((await tx.chain.tip())?.height ?? 0) + 1
        await mineHeaders(tx, count)
        const unmined = await tx.payments.listMempool()
        const location = { at: 'mined', height } as const
        const mined = await tx.payments.upsert(unmined.map(payment => ({ ...payment, location })))
        await updateInvoices(tx, [...mined, ...(await tx.invoices.awaitingConfirmation(1_000, 0))], now())
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
