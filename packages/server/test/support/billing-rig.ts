import { createHash, randomUUID } from 'node:crypto'
import { createKeyedHash } from '../../src/adapters/crypto/keyed-hash.ts'
import { createVault } from '../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import type { Account, Network } from '../../src/domain/account.ts'
import { consensusParams } from '../../src/domain/network-upgrade.ts'
import { DEFAULT_PLANS, type Plan } from '../../src/domain/plan.ts'
import type { Payout, PayoutProvider } from '../../src/ports/payout-provider.ts'
import type { Invoice } from '../../src/ports/repository/invoice.ts'
import type { Clock, Log, Rates, Rows, Store } from '../../src/ports.ts'
import { createAccounts } from '../../src/services/account.ts'
import { createAddresses } from '../../src/services/address.ts'
import { createBilling } from '../../src/services/billing.ts'
import { createOrigin } from '../../src/services/database-identity.ts'
import { createInvoices } from '../../src/services/invoice.ts'
import { createReassess } from '../../src/services/invoice-state.ts'
import { openOperator } from '../../src/services/operator.ts'
import { createPayouts } from '../../src/services/payout.ts'
import { createViewingKeys } from '../../src/services/viewing-key.ts'
import { createWithdrawals } from '../../src/services/withdrawal.ts'
import { testViewingKey } from './api.ts'
import { silentLog } from './log.ts'
import { plainViewer } from './plain-viewer.ts'

export interface RigOptions {
  readonly store: Store
  readonly clock: Clock
  readonly plans?: readonly Plan[]
  readonly rates?: Rates
  readonly provider?: PayoutProvider
  readonly log?: Log
  /** Whose rules about clocks and block times are in force; default regtest: none. */
  readonly chainNetwork?: Network
  /** Of deposits and plan payments. Default: 3. */
  readonly confirmations?: number
}

export type BillingRig = Awaited<ReturnType<typeof billingRig>>

export const CONFIRMATIONS = 3
export const SPREAD_BPS = 100

/** Billing and withdrawals on a real store, and a chain that is told what to show: no blocks, no notes. */
export async function billingRig({ store, clock, ...options }: RigOptions) {
  const { plans = DEFAULT_PLANS, log = silentLog, confirmations = CONFIRMATIONS } = options
  const random = systemRandom
  const network = 'regtest'
  const viewer = plainViewer()
  const vault = createVault([Buffer.alloc(32, 1)], random)
  const keyedHash = createKeyedHash([Buffer.alloc(32, 1)])
  const rates = options.rates ?? { rate: async currency => ({ currency, price: '100', at: now() }) }
  const provider = options.provider ?? { name: 'test', pay: async (): Promise<Payout> => ({ state: 'by_hand' }) }
  const now = () => Math.floor(clock.nowMs() / 1000)

  const accounts = createAccounts({ store, clock, random, network, plans, confirmations: CONFIRMATIONS })
  const viewingKeys = createViewingKeys({ store, viewer, vault, clock, random, network })
  const origin = createOrigin({ store, clock, random, lateWatchDays: 7, log })
  await origin.check()
  const addresses = createAddresses({ store, viewer, vault, origin })
  const invoices = createInvoices({ store, addresses, clock, random, plans, lateWatchDays: 7 })
  const operator = await openOperator({
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
  const reassess = createReassess({
    settle: (rows, _before, after) =>
      after.purpose === 'plan' ? billing.settle(rows, after) : withdrawals.settle(rows, after),
  })

  async function mineHeaders(rows: Rows, count: number): Promise<void> {
    const height = (await rows.chain.tip())?.height ?? 0
    const trees = { sapling: 0, orchard: 0, ironwood: 0 }
    const hash = (at: number) => hashOf(`block ${at}`)
    const blocks = Array.from({ length: count }, (_, i) => height + 1 + i)
    await rows.chain.append(
      blocks.map(at => ({ height: at, hash: hash(at), prevHash: hash(at - 1), time: now(), trees })),
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
      await accounts.open(email)
      return accounts.setPlan(email, plan, null)
    },

    account: (id: number): Promise<Account> =>
      store.read(async rows => {
        const account = await rows.accounts.byId(id)
        if (!account) throw new Error(`no account ${id}`)
        return account
      }),

    /** A payment comes into the mempool, in a transaction of its own or this one; its transaction. */
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
      await store.write(async rows => {
        const place = { at: 'mempool' } as const
        const recorded = await rows.payments.record([{ ...payment, place, expiryHeight: null }])
        await rows.payments.markPresent([await rows.payments.newestOrder()], 0)
        await reassess(rows, recorded, now())
      })
      return txid
    },

    /** An unmined payment is gone for good. */
    async vanish(txid: string): Promise<void> {
      await store.write(async rows => reassess(rows, await rows.payments.drop([txid]), now()))
    },

    /** What is in the mempool is mined, and has so many confirmations. */
    async mine(count = CONFIRMATIONS): Promise<void> {
      await store.write(async rows => {
        const height = ((await rows.chain.tip())?.height ?? 0) + 1
        await mineHeaders(rows, count)
        const unmined = await rows.payments.inMempool()
        const place = { at: 'mined', height } as const
        const mined = await rows.payments.record(unmined.map(payment => ({ ...payment, place })))
        await reassess(rows, [...mined, ...(await rows.invoices.settling(1_000, 0))], now())
      })
    },

    /** The last blocks are undone: what was in them is unmined. */
    async reorg(depth: number): Promise<void> {
      await store.write(async rows => {
        const height = Math.max(((await rows.chain.tip())?.height ?? 0) - depth, 0)
        const touched = await rows.payments.unmineAbove(height)
        await rows.chain.removeAbove(height)
        await reassess(rows, touched, now())
      })
    },

    /** Chain and mempool were seen as they are now: what is expired is closed. */
    async seeThrough(): Promise<void> {
      await store.write(async rows => {
        await rows.chain.setSeenThrough(now(), now())
        await reassess(rows, await rows.invoices.due(now(), (await rows.chain.tip())?.height ?? 0, 1_000), now())
      })
    },
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
