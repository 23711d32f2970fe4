import type { TestContext } from 'node:test'
import pg from 'pg'
import type { Network } from '../../../src/domain/account.ts'
import type { CompactTransaction } from '../../../src/domain/chain.ts'
import type { ChainProblem } from '../../../src/domain/chain-problem.ts'
import type { NewEvent } from '../../../src/domain/event.ts'
import { consensusParams } from '../../../src/domain/network-upgrade.ts'
import type { Chain } from '../../../src/ports/chain.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Metrics } from '../../../src/ports/metrics.ts'
import type { DecryptedNote, NoteScanner, ScanKey } from '../../../src/ports/note-scanner.ts'
import type { Invoice, NewInvoice } from '../../../src/ports/repository/invoice.ts'
import type { PaymentRow } from '../../../src/ports/repository/payment.ts'
import type { Store, Tx } from '../../../src/ports/store.ts'
import { createChainProblems } from '../../../src/services/chain-problem.ts'
import { createHeaderChain, type HeaderChain } from '../../../src/services/chain-rewind.ts'
import { createChangeReporter, createInvoiceUpdater } from '../../../src/services/invoice-state.ts'
import { createPayments, type Payments } from '../../../src/services/payment.ts'
import type { ScanKeys } from '../../../src/services/scan-key.ts'
import { type RescanResult, rescan } from '../../../src/workers/chain/rescan.ts'
import { type ChainSync, createChainSync } from '../../../src/workers/chain/sync.ts'
import type { OpenOptions, TestDatabase } from '../databases.ts'
import { openShop, type Shop } from '../fixtures.ts'
import { recordingLog } from '../log.ts'
import { ManualClock } from '../manual-clock.ts'
import { ModelChain, type ModelTransaction, notesOf } from './model-chain.ts'
import { ModelServer } from './model-server.ts'

export interface SimulationOptions {
  /** The rules about clocks and block times do not apply on regtest. Default `test`. */
  readonly network?: Network
  readonly servers?: number
  /** Number of processes with a chain sync, each with its own store on the same database. Default 1. */
  readonly processes?: number
  readonly store?: OpenOptions
}

/** One process with a chain sync. */
export interface SimulatedProcess {
  readonly clock: SkewableClock
  readonly store: Store
  readonly payments: Payments
  readonly headers: HeaderChain
  readonly keys: ScanKeys
  readonly chain: SwitchableServers
  readonly chainSync: ChainSync
  /** Syncs until no more blocks can be read immediately. */
  sync(): Promise<void>
}

/** The true time plus the clock error of this process. */
export class SkewableClock implements Clock {
  skewSecs = 0
  readonly #truth: ManualClock

  constructor(truth: ManualClock) {
    this.#truth = truth
  }

  nowMs(): number {
    return this.#truth.nowMs() + this.skewSecs * 1000
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#truth.sleep(ms, signal)
  }
}

/** Called before and after every call of a port or service: tests change the external state there. */
export type Interruption = (point: string) => void | Promise<void>

/** The servers as one chain source that uses one of them at a time. */
export class SwitchableServers implements Chain {
  serverEpoch = 1
  distrusted: string[] = []
  problems: readonly ChainProblem[] = []
  #server: ModelServer
  readonly #at: Interruption

  constructor(server: ModelServer, at: Interruption) {
    this.#server = server
    this.#at = at
  }

  use(server: ModelServer): void {
    this.#server = server
    this.serverEpoch += 1
  }

  async tip(): Promise<number> {
    return this.#around('tip', () => this.#server.tipHeight())
  }

  async *blocks(from: number, to: number): AsyncGenerator<ReturnType<ModelServer['blocksBetween']>[number]> {
    await this.#at('before blocks')
    for (const block of this.#server.blocksBetween(from, to)) {
      yield block
      await this.#at('between blocks')
    }
    await this.#at('after blocks')
  }

  async *mempool(): AsyncGenerator<Uint8Array> {
    for (const { txid } of this.#server.stream()) yield Buffer.from(txid, 'hex')
  }

  async mempoolSnapshot(): Promise<CompactTransaction[]> {
    return this.#around('mempool snapshot', () => this.#server.mempool().map(compact))
  }

  abandonServer(reason: string): void {
    this.distrusted.push(reason)
  }

  async close(): Promise<void> {}

  async #around<T>(name: string, call: () => T): Promise<T> {
    await this.#at(`before ${name}`)
    const result = call()
    await this.#at(`after ${name}`)
    return result
  }
}

/** The real chain sync and its services on a real store, with simulated servers of a chain without cryptography. */
export class ChainSimulation {
  readonly clock: ManualClock
  readonly network: Network
  readonly chain: ModelChain
  readonly servers: ModelServer[]
  readonly processes: SimulatedProcess[] = []
  readonly log = recordingLog()
  /** Events of committed transactions, in order. */
  readonly events: NewEvent[] = []
  readonly metrics: Record<string, unknown> = {}
  shop!: Shop
  interruption: Interruption = () => {}
  readonly #transactions = new Map<string, ModelTransaction>()
  readonly #expiryHeights = new Map<string, number>()
  readonly #url: string | undefined
  #paid = 0

  private constructor(network: Network, servers: number, url: string | undefined) {
    this.#url = url
    this.clock = new ManualClock()
    this.network = network
    this.chain = new ModelChain(this.clock.secs - 11 * 75)
    for (let i = 0; i < 11; i++) this.chain.mine([], this.clock.secs - (10 - i) * 75)
    this.servers = Array.from({ length: servers }, () => new ModelServer(this.chain, this.clock))
  }

  static async open(database: TestDatabase, options: SimulationOptions = {}): Promise<ChainSimulation> {
    const simulation = new ChainSimulation(options.network ?? 'test', options.servers ?? 1, database.url)
    for (let i = 0; i < (options.processes ?? 1); i++) {
      simulation.processes.push(
        simulation.process(await database.open(options.store), simulation.servers[i % simulation.servers.length]!),
      )
    }
    simulation.shop = await openShop(simulation.firstProcess.store)
    return simulation
  }

  get firstProcess(): SimulatedProcess {
    return this.processes[0]!
  }

  get server(): ModelServer {
    return this.servers[0]!
  }

  /** Creates a newly started process with no state in memory. */
  process(store: Store, server: ModelServer): SimulatedProcess {
    const { log, network } = this
    const clock = new SkewableClock(this.clock)
    const recording = this.#recording(store)
    const at: Interruption = point => this.interruption(point)
    const chain = new SwitchableServers(server, at)
    const metrics = this.#meter()
    const updateInvoices = createInvoiceUpdater()
    const reportChanges = createChangeReporter({ log, metrics })
    // The simulated chain is short, so every network uses the upgrade heights of regtest.
    const params = { ...consensusParams('regtest'), network }
    const payments = createPayments({ store: recording, updateInvoices, reportChanges, clock, params })
    const headers = createHeaderChain({ store: recording, updateInvoices, reportChanges, clock, log })
    const keys = this.#keys(store)
    const noteScanner = this.#viewer()
    const interruptible = { payments: interrupted(payments, at), recordedChain: interrupted(headers, at) }
    const chainProblems = createChainProblems({ store, clock })
    const chainSync = createChainSync({
      chain,
      noteScanner,
      ...interruptible,
      keys,
      chainProblems,
      clock,
      log,
      metrics,
    })
    const sync = async () => {
      const signal = new AbortController().signal
      while ((await chainSync.sync(signal)) === 'again');
    }
    return { clock, store, payments, headers, keys, chain, chainSync, sync }
  }

  /** Replaces a process as after a crash: same database and server, no state in memory. */
  restart(index = 0, server = this.servers[index % this.servers.length]!): void {
    this.processes[index] = this.process(this.processes[index]!.store, server)
  }

  async createInvoice(terms: Partial<NewInvoice> = {}, process = this.firstProcess): Promise<Invoice> {
    const createdAt = Math.floor(process.clock.nowMs() / 1000)
    const expiresAt = terms.expiresAt ?? createdAt + 900
    const draft = this.shop.draft({ createdAt, watchUntil: expiresAt + 7 * 86_400, ...terms, expiresAt })
    return process.store.write(async tx => {
      await tx.viewingKeys.extendWatch(this.shop.viewingKey.id, draft.watchUntil)
      return tx.invoices.insert(draft)
    })
  }

  /** Broadcasts a payment. Returns its txid. */
  pay(invoice: Invoice, valueZat = invoice.amountZat, expiryHeight?: number): string {
    const txid = (++this.#paid).toString(16).padStart(64, '0')
    const transaction = { txid, diversifierIndex: invoice.diversifierIndex, valueZat }
    this.#transactions.set(txid, transaction)
    if (expiryHeight !== undefined) this.#expiryHeights.set(txid, expiryHeight)
    this.chain.broadcast(transaction)
    return txid
  }

  /** Puts a known transaction back into the mempool. */
  rebroadcast(txid: string): void {
    this.chain.broadcast(this.#transactions.get(txid)!)
  }

  /** Mines blocks at the true time. The first contains `txids`, by default the whole mempool. */
  mine(blocks = 1, txids: readonly string[] = [...this.chain.mempool.keys()]): void {
    for (let i = 0; i < blocks; i++) this.chain.mine(i === 0 ? txids : [], this.clock.secs)
  }

  /** Rescans like the command of the operator, with the services of the first process. */
  rescan(from: number): Promise<RescanResult> {
    const { chain, payments, headers, keys } = this.firstProcess
    const deps = { chain, noteScanner: this.#viewer(), payments, recordedChain: headers, keys }
    return rescan(deps, from, new AbortController().signal)
  }

  /** The notes of the merchant's key in these blocks. */
  notesOf(blocks: readonly Pick<ModelChain['blocks'][number], 'paying'>[]): DecryptedNote[] {
    return notesOf(
      blocks.flatMap(block => block.paying),
      this.shop.viewingKey.id,
    )
  }

  /** A separate connection to the PostgreSQL database of the simulation. */
  async adminClient(test: TestContext): Promise<pg.Client> {
    const admin = new pg.Client(this.#url)
    await admin.connect()
    test.after(() => admin.end())
    return admin
  }

  async read(invoice: Invoice): Promise<Invoice> {
    const [found] = await this.firstProcess.store.read(tx => tx.invoices.byIds([invoice.id]))
    return found!
  }

  async status(invoice: Invoice): Promise<string> {
    return (await this.read(invoice)).status
  }

  async payments(invoice: Invoice): Promise<PaymentRow[]> {
    return this.firstProcess.store.read(tx => tx.payments.byInvoices([invoice.id]))
  }

  syncedThrough(): Promise<number> {
    return this.firstProcess.store.read(tx => tx.chain.syncedThrough())
  }

  async tip(): Promise<number> {
    return (await this.firstProcess.headers.position())!.tip.height
  }

  eventTypes(invoice: Invoice): string[] {
    return this.events.flatMap(({ invoiceId, type }) => (invoiceId === invoice.id && type !== null ? [type] : []))
  }

  /** Advances time in block intervals, with a block (if `mine`) and a sync of every process at each. */
  async advanceTime(secs: number, { mine = true }: { readonly mine?: boolean } = {}): Promise<void> {
    for (let left = secs; left > 0; left -= 75) {
      this.clock.advance(Math.min(75, left))
      if (mine && left >= 75) this.mine(1, [])
      for (const process of this.processes) await process.sync()
    }
  }

  #keys(store: Store): ScanKeys {
    const watch = (find: (tx: Tx) => Promise<readonly { id: number }[]>) => async (): Promise<ScanKey[]> => {
      await this.interruption('before keys')
      const keys = await store.read(find)
      await this.interruption('after keys')
      return keys.map(({ id }) => ({ id, incoming: new Uint8Array(64) }))
    }
    return {
      watchedAt: time => watch(tx => tx.viewingKeys.watchedAt(time - 2 * 86_400))(),
      all: watch(tx => tx.viewingKeys.list()),
    }
  }

  #viewer(): NoteScanner {
    return {
      scan: async (keys: readonly ScanKey[], transactions: readonly CompactTransaction[]) => {
        await this.interruption('before opening')
        const known = transactions.flatMap(({ txid }) => this.#transactions.get(txid) ?? [])
        return keys.flatMap(({ id }) => (id === this.shop.viewingKey.id ? notesOf(known, id) : []))
      },
      toCompact: async (raw: Uint8Array) => {
        const txid = Buffer.from(raw).toString('hex')
        return { transaction: compact({ txid }), expiryHeight: this.#expiryHeights.get(txid) ?? 0 }
      },
    } as unknown as NoteScanner
  }

  #meter(): Metrics {
    return new Proxy({} as Metrics, {
      get: (_, name) => (value: unknown) => {
        this.metrics[String(name)] = value
      },
    })
  }

  /** Wraps the store so that the events of committed transactions are recorded in `events`. */
  #recording(store: Store): Store {
    return {
      ...store,
      write: async (work, options) => {
        let appended: NewEvent[] = []
        const result = await store.write(tx => {
          appended = []
          const append: Tx['events']['append'] = events => {
            appended.push(...events)
            return tx.events.append(events)
          }
          return work({ ...tx, events: { ...tx.events, append } })
        }, options)
        this.events.push(...appended)
        return result
      },
    }
  }
}

/** Wraps a service so that every method calls `at` before and after it. */
function interrupted<T extends object>(service: T, at: Interruption): T {
  return new Proxy(service, {
    get(target, name: keyof T & string) {
      const method = target[name] as (...args: unknown[]) => Promise<unknown>
      return async (...args: unknown[]) => {
        await at(`before ${name}`)
        const result = await method.apply(target, args)
        await at(`after ${name}`)
        return result
      }
    },
  })
}

function compact({ txid }: { readonly txid: string }): CompactTransaction {
  return { txid, orchard: [], ironwood: [] }
}
