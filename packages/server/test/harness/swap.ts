import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Services } from '../../src/container.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import type { Swap } from '../../src/ports/repository/sale/swap.ts'
import { ChainSyncHarness, type ChainSyncHarnessOptions, type InvoiceTerms } from './chain-sync.ts'
import type { TestScope } from './container.ts'
import type { DatabaseEngine } from './databases.ts'
import { startProvider, type TestProvider } from './swap-provider.ts'

export const BTC = 'nep141:btc.omft.near'
export const STELLAR = 'nep245:v2_1.omni.hot.tg:1100_111bzQBB5v7AhLyPMDwS8uJgQV24KaAPXtwyVWu2KXbbfQU6NXRCz'

export interface SentEvent {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: the test inspects the event bodies
  readonly body: any
}

/** Swaps on a synced model chain that the sandbox's provider pays on, with a manual clock. */
export class SwapHarness {
  readonly chainSync: ChainSyncHarness
  readonly test: TestProvider

  private constructor(chainSync: ChainSyncHarness, test: TestProvider) {
    this.chainSync = chainSync
    this.test = test
    chainSync.startServices({ swapProvider: test.provider })
  }

  /** On an empty database of an engine. */
  static async startOn(t: TestContext, engine: DatabaseEngine): Promise<SwapHarness> {
    const { url } = await engine.createDatabase(t)
    return SwapHarness.start(t, { container: { databaseUrl: url } })
  }

  static async start(t: TestScope, options?: ChainSyncHarnessOptions): Promise<SwapHarness> {
    const chainSync = await ChainSyncHarness.start(options)
    t.after(() => chainSync.close())
    const harness = new SwapHarness(chainSync, await startProvider(t, chainSync))
    await chainSync.sync()
    return harness
  }

  /** With an invoice and its swap. */
  static async startSwap(t: TestScope): Promise<{ harness: SwapHarness; invoice: Invoice; swap: Swap }> {
    const harness = await SwapHarness.start(t)
    const invoice = await harness.invoice()
    return { harness, invoice, swap: await harness.start(invoice) }
  }

  get swaps(): Services['swaps'] {
    return this.chainSync.services.swaps
  }

  get swapStatus(): Services['swapStatus'] {
    return this.chainSync.services.swapStatus
  }

  /** Creates new services, as after a restart. */
  restart(): void {
    this.chainSync.startServices()
  }

  invoice(terms: Partial<InvoiceTerms> = {}): Promise<Invoice> {
    return this.chainSync.invoice({ amount: 2_500_000n, confirmations: 1, ...terms })
  }

  start(invoice: Pick<Invoice, 'id' | 'publicId'>, assetId = BTC): Promise<Swap> {
    return this.swaps.start(invoice, { assetId, refundTo: 'the-buyers-own-address' })
  }

  /** Changes the status of a swap at the provider. */
  drive(swap: Swap, outcome: string, deliver = false): void {
    if (!this.test.oneclick.drive(swap.depositAddress, { outcome, deliver })) throw new Error('no such swap')
  }

  /** Advances the clock, with each poll at its time and all due work at the end. */
  async advance(secs: number): Promise<void> {
    const { clock, store, invoiceExpiry } = this.chainSync
    const end = clock.nowMs() + secs * 1000
    while (clock.nowMs() < end) {
      const nextMs = (await store.read(tx => tx.swaps.nextPollAtMs())) ?? end
      clock.advanceMs(Math.max(1, Math.min(nextMs, end) - clock.nowMs()))
      await this.pollNow()
    }
    await this.chainSync.sync()
    // A later sync would confirm the synced time; here it is set at once.
    await store.write(tx => tx.chain.setSyncedThrough(clock.secs, clock.secs))
    await invoiceExpiry.expireDue(100)
  }

  async pollNow(): Promise<void> {
    while ((await this.swapStatus.pollDue(100)) > 0);
  }

  async mine(blocks = 1): Promise<void> {
    this.chainSync.sandbox.mine(blocks)
    await this.chainSync.sync()
  }

  async read(swap: Swap): Promise<Swap> {
    const found = await this.chainSync.store.read(tx => tx.swaps.byId(swap.id))
    if (!found) throw new Error('the swap does not exist')
    return found
  }

  /** Event bodies for webhooks, oldest first. */
  async sentEvents(): Promise<SentEvent[]> {
    const events = await this.chainSync.events()
    return events.flatMap(({ type, body }) => (type === null ? [] : [{ type, body: JSON.parse(body ?? 'null') }]))
  }
}

/** The final state: both statuses, the types of all events, and whether the invoice is kept open. */
export interface FinalState {
  readonly swap: string
  readonly invoice: string
  readonly events: readonly string[]
  readonly keptOpen?: boolean
}

export async function assertFinalState(
  harness: SwapHarness,
  swap: Swap,
  invoice: Invoice,
  end: FinalState,
): Promise<void> {
  const found = await harness.chainSync.read(invoice)
  const events = await harness.sentEvents()
  assert.deepEqual(
    {
      swap: (await harness.read(swap)).status,
      invoice: found.status,
      events: events.map(({ type }) => type),
      keptOpen: found.keptOpenBySwap,
    },
    { keptOpen: false, ...end },
  )
}

/** The swap has succeeded, its coins have paid the invoice, and nothing else was sent. */
export function assertPaid(harness: SwapHarness, swap: Swap, invoice: Invoice): Promise<void> {
  return assertFinalState(harness, swap, invoice, {
    swap: 'SUCCESS',
    invoice: 'paid',
    events: ['invoice.paid'],
    keptOpen: true,
  })
}
