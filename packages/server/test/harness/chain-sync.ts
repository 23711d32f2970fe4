import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Chain as SandboxChain } from '@zatgate/sandbox/chain/chain'
import { demoViewingKey } from '@zatgate/sandbox/chain/keys'
import { type SendOptions, Wallet } from '@zatgate/sandbox/chain/wallet'
import { Lightwalletd } from '@zatgate/sandbox/lightwalletd/server'
import { orchardReceiver } from '@zatgate/zcash/address'
import { incomingViewingKeyFromBytes } from '@zatgate/zcash/viewing-key'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import { createLightwalletd } from '../../src/adapters/lightwalletd/chain.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { createNoteScanner } from '../../src/adapters/zcash/note-scanner.ts'
import { type Container, createServices, type Services } from '../../src/container.ts'
import type { Account } from '../../src/domain/account/account.ts'
import type { ChainProblem } from '../../src/domain/chain/chain-problem.ts'
import { consensusParams } from '../../src/domain/chain/network-upgrade.ts'
import type { Invoice, InvoicePurpose } from '../../src/domain/sale/invoice.ts'
import type { Infrastructure, Overrides } from '../../src/infrastructure.ts'
import type { Chain } from '../../src/ports/chain.ts'
import { type Metrics, NO_METRICS } from '../../src/ports/metrics.ts'
import type { NoteScanner } from '../../src/ports/note-scanner.ts'
import type { Store, Tx } from '../../src/ports/store.ts'
import { type RescanResult, rescan } from '../../src/workers/chain/rescan.ts'
import { type ChainSync, type ChainSyncDeps, createChainSync } from '../../src/workers/chain/sync.ts'
import { openTestContainer, scopeOf, type TestContainerOptions } from './container.ts'
import { type LogLine, recordingLog, silentLog } from './log.ts'
import { ManualClock } from './manual-clock.ts'
import { IS_WEBHOOK_EVENT } from './webhook-event.ts'

export interface ChainSyncHarnessOptions {
  readonly nu63Height?: number
  /** Number of light-client servers on the chain. */
  readonly servers?: number
  /** Blocks mined before the first sync. */
  readonly startHeight?: number
  /** For its container. With a billing viewing key, plans and withdrawals are offered. */
  readonly container?: TestContainerOptions
}

export interface InvoiceTerms {
  readonly amount: bigint
  readonly confirmations?: number
  readonly expiresInSecs?: number
  readonly purpose?: InvoicePurpose
}

export interface StoredEvent {
  readonly invoiceId: number | null
  readonly type: string | null
  readonly body: string | null
}

export interface RecordedMetrics {
  tip: number
  lag: number
  seenThrough: number
  reorgs: number[]
  needsAttention: number
  problems: readonly ChainProblem[]
}

export const LATE_SECS = 7 * 86_400
const SEED = new Uint8Array(32).fill(9)
let shared: NoteScanner | null = null

/** Shared by all tests of a file, because its threads start slowly. `closeNoteScanner` closes it. */
function sharedNoteScanner(): NoteScanner {
  shared ??= createNoteScanner({ log: silentLog, threads: 1 })
  return shared
}

export async function closeNoteScanner(): Promise<void> {
  await shared?.close()
  shared = null
}

/** Chain sync on a real store, with real servers of a simulated chain, real notes and a manual clock. */
export class ChainSyncHarness {
  readonly clock = new ManualClock()
  readonly log = recordingLog()
  readonly metrics: RecordedMetrics = { tip: 0, lag: 0, seenThrough: 0, reorgs: [], needsAttention: 0, problems: [] }
  readonly noteScanner = sharedNoteScanner()
  readonly sandbox: SandboxChain
  readonly wallet: Wallet
  readonly signal: AbortSignal
  servers: Lightwalletd[] = []
  infrastructure!: Infrastructure
  services!: Services
  chain!: Chain
  chainSync!: ChainSync
  account!: Account
  #operator: Account | null = null
  readonly #resources = new AsyncDisposableStack()
  readonly #ending = new AbortController()
  #nextIndex = 1n

  private constructor(nu63Height: number) {
    this.signal = this.#ending.signal
    this.sandbox = new SandboxChain({ seed: SEED, nu63Height, clock: this.clock })
    this.wallet = new Wallet(this.sandbox)
  }

  static async start(options: ChainSyncHarnessOptions = {}): Promise<ChainSyncHarness> {
    const harness = new ChainSyncHarness(options.nu63Height ?? 0)
    try {
      await harness.#open(options)
      return harness
    } catch (error) {
      await harness.close()
      throw error
    }
  }

  async #open(options: ChainSyncHarnessOptions): Promise<void> {
    this.#resources.defer(() => this.sandbox.close())
    // No caches: tests pay and sync immediately.
    for (let i = 0; i < (options.servers ?? 1); i++) {
      const server = await Lightwalletd.start(this.sandbox, 0, { mempoolCacheMs: 0, blockCacheMs: 0 })
      this.servers.push(this.#resources.adopt(server, it => it.close()))
    }
    if (options.startHeight) this.sandbox.mine(options.startHeight - this.sandbox.height)
    const { clock, log, noteScanner, sandbox } = this
    const params = consensusParams('regtest', { nu63Height: sandbox.nu63Height, nu7Height: null })
    const adapters = { clock, log, noteScanner, params, metrics: this.#metrics() }
    const container = await openTestContainer(scopeOf(this.#resources), { ...options.container, ...adapters })
    this.#operator = container.operator
    this.#resources.defer(() => this.chain.close())
    this.infrastructure = container.infrastructure
    this.chain = this.#openChain()
    this.startServices()
    await this.#openAccount(container)
  }

  get store(): Store {
    return this.infrastructure.store
  }

  get chainRecorder(): Services['chainRecorder'] {
    return this.services.chainRecorder
  }

  get invoiceExpiry(): Services['invoiceExpiry'] {
    return this.services.invoiceExpiry
  }

  get scanKeys(): Services['scanKeys'] {
    return this.services.scanKeys
  }

  get recordedChain(): Services['recordedChain'] {
    return this.services.recordedChain
  }

  get server(): Lightwalletd {
    return this.servers[0]!
  }

  get logged(): readonly LogLine[] {
    return this.log.lines
  }

  /**
   * Creates new services on the same store and servers, as after a restart. Nothing in memory is kept.
   * @param overrides adapters from now on
   * @param services replace those of the container
   */
  startServices(overrides: Overrides = {}, services: Partial<Services> = {}): void {
    this.infrastructure = { ...this.infrastructure, ...overrides, chain: this.chain }
    this.services = { ...createServices(this.infrastructure, this.#operator), ...services }
    this.chainSync = createChainSync(this.deps)
  }

  /** Restarts the process: also the connections to the servers are new. */
  async restart(): Promise<void> {
    await this.chain.close()
    this.chain = this.#openChain()
    this.startServices()
  }

  #openChain(): Chain {
    const urls = this.servers.map(server => server.url)
    const { log, params } = this.infrastructure
    // Timeouts to real servers follow the real clock.
    return createLightwalletd({ urls, params, clock: systemClock, log })
  }

  /** The dependencies of chain sync in this process. */
  get deps(): ChainSyncDeps {
    return chainSyncDeps(this.infrastructure, this.services)
  }

  #metrics(): Metrics {
    return {
      ...NO_METRICS,
      tip: (height: number) => (this.metrics.tip = height),
      lag: (blocks: number) => (this.metrics.lag = blocks),
      syncedThrough: (secs: number) => (this.metrics.seenThrough = secs),
      reorg: (depth: number) => this.metrics.reorgs.push(depth),
      needsAttention: (change: number) => (this.metrics.needsAttention += change),
      problems: (problems: readonly ChainProblem[]) => (this.metrics.problems = problems),
    }
  }

  /** Syncs until no more blocks can be read immediately. */
  async sync(): Promise<void> {
    while ((await this.chainSync.sync(this.signal)) === 'again');
    await this.chainSync.compareServers(this.signal)
  }

  async invoice({ amount, confirmations = 3, expiresInSecs = 900, purpose = 'sale' }: InvoiceTerms): Promise<Invoice> {
    const diversifierIndex = this.#nextIndex++
    const { incoming } = this.noteScanner.parseViewingKey(demoViewingKey(SEED))
    const [address] = await this.noteScanner.deriveAddresses(incoming, 'regtest', diversifierIndex, 1)
    const createdAt = this.clock.secs
    const expiresAt = createdAt + expiresInSecs
    const watchUntil = expiresAt + LATE_SECS
    return this.store.write(async tx => {
      const viewingKeyId = this.account.viewingKeyId!
      await tx.viewingKeys.extendWatch(viewingKeyId, watchUntil)
      return tx.invoices.insert({
        publicId: this.infrastructure.random.uuid(),
        accountId: this.account.id,
        viewingKeyId,
        diversifierIndex,
        purpose,
        address: address!,
        amountZat: amount,
        confirmations,
        createdAt,
        expiresAt,
        watchUntil,
      })
    })
  }

  /** Broadcasts a payment to the mempool. Returns its txid. */
  pay(invoice: Invoice, amount: bigint, options?: SendOptions): string {
    return this.wallet.pay({ uri: formatPaymentUri({ address: invoice.address, amount }) }, options).id
  }

  payTogether(payments: readonly (readonly [Invoice, bigint])[]): string {
    const uris = payments.map(([{ address }, amount]) => ({ uri: formatPaymentUri({ address, amount }) }))
    return this.wallet.payMany(uris).id
  }

  /** Syncs until vanished payments are dropped, which takes 120 s and a new block. */
  async syncUntilVanishedAreDropped(): Promise<void> {
    await this.sync()
    for (let i = 0; i < 4; i++) {
      this.clock.advance(30)
      await this.sync()
    }
    this.sandbox.mine(1, { empty: true })
    await this.sync()
  }

  receiverAt(index: bigint): Uint8Array {
    return orchardReceiver(
      incomingViewingKeyFromBytes(this.noteScanner.parseViewingKey(demoViewingKey(SEED)).incoming),
      index,
    )
  }

  receiverOf(invoice: Invoice): Uint8Array {
    return this.receiverAt(invoice.diversifierIndex)
  }

  /** Syncs until chain and mempool are synced up to now: a later sync has to confirm the first. */
  async syncFully(): Promise<void> {
    await this.sync()
    for (const secs of [3, 3, 5]) {
      this.clock.advance(secs)
      await this.sync()
    }
  }

  /** Advances time so that every open invoice expires. */
  async expire(): Promise<void> {
    this.clock.advance(900)
    await this.syncFully()
    await this.invoiceExpiry.expireDue(1_000)
  }

  /** A chain sync of another process, on the same database and chain. */
  secondChainSync(): ChainSync {
    const infrastructure = { ...this.infrastructure, metrics: NO_METRICS }
    return createChainSync(chainSyncDeps(infrastructure, createServices(infrastructure, null)))
  }

  /** Reads the mempool stream until all present transactions have been read. */
  async streamMempool(): Promise<void> {
    const stop = new AbortController()
    const before = this.sandbox.mempool().length
    let read = 0
    const chain = { ...this.chain, mempool: (signal: AbortSignal) => count(this.chain.mempool(signal)) }
    async function* count(raws: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const raw of raws) {
        yield raw
        if (++read === before) return
      }
    }
    await createChainSync({ ...this.deps, chain, metrics: NO_METRICS }).streamMempool(stop.signal)
  }

  /** A payment that chain sync has missed, in blocks that it has read and compared. */
  async missPayment(amount: bigint): Promise<Invoice> {
    const invoice = await this.invoice({ amount })
    this.pay(invoice, amount)
    this.sandbox.mine(3)
    await this.sync()
    await this.forgetPayments(invoice)
    return invoice
  }

  rescan(from: number, onProgress: (height: number) => void = () => {}): Promise<RescanResult> {
    return rescan({ ...this.deps, onProgress }, from, this.signal)
  }

  /** Deletes the recorded payments of an invoice and resets its state. */
  async forgetPayments({ id }: Invoice): Promise<void> {
    const db = new DatabaseSync(this.#file)
    db.prepare('DELETE FROM payments WHERE invoice_id = ?').run(id)
    db.prepare('DELETE FROM payment_totals WHERE invoice_id = ?').run(id)
    db.prepare(
      `UPDATE invoices SET status = 'pending', received_zat = 0, txid = NULL, paid_at = NULL WHERE id = ?`,
    ).run(id)
    db.close()
  }

  /** The events of webhooks, in the order of their commits. */
  async events(): Promise<StoredEvent[]> {
    const db = new DatabaseSync(this.#file, { readOnly: true })
    const rows = db
      .prepare(`SELECT invoice_id AS invoiceId, type, body FROM events WHERE ${IS_WEBHOOK_EVENT} ORDER BY rowid`)
      .all()
    db.close()
    return rows as unknown as StoredEvent[]
  }

  async read(invoice: Invoice): Promise<Invoice> {
    const [found] = await this.store.read(tx => tx.invoices.byIds([invoice.id]))
    return found!
  }

  async status(invoice: Invoice): Promise<string> {
    return (await this.read(invoice)).status
  }

  async query<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.store.read(work)
  }

  async tip(): Promise<number> {
    return (await this.recordedChain.position())!.tip.height
  }

  /** Runs `work` when the harness is closed. */
  onClose(work: () => Promise<void>): void {
    this.#resources.defer(work)
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#resources.disposeAsync()
  }

  get #file(): string {
    return this.infrastructure.config.databaseUrl.slice('sqlite:'.length)
  }

  async #openAccount({ services: { accounts, viewingKeys } }: Container): Promise<void> {
    const account = await accounts.findOrCreate('merchant@example.com')
    this.account = await viewingKeys.setWithoutNotification(account, demoViewingKey(SEED))
  }
}

/** Defines a test with its own harness. */
export function chainSyncTest(
  name: string,
  work: (harness: ChainSyncHarness) => Promise<void>,
  options: ChainSyncHarnessOptions = {},
): void {
  test(name, async () => {
    const harness = await ChainSyncHarness.start(options)
    try {
      await work(harness)
    } finally {
      await harness.close()
    }
  })
}

function chainSyncDeps(infrastructure: Infrastructure, services: Services): ChainSyncDeps {
  return { ...infrastructure, ...services }
}
