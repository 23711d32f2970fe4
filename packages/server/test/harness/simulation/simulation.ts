import { type TestContext, test } from 'node:test'
import { Draw } from '@zatgate/simulation/runtime/draw'
import { WORLD } from '@zatgate/simulation/runtime/scheduler'
import { ChainServer, type ServerScheduler } from '@zatgate/simulation/world/chain/chain-server'
import { createNoteScanner } from '@zatgate/simulation/world/chain/note-scanner'
import { ServedTransactions } from '@zatgate/simulation/world/chain/served'
import pg from 'pg'
import { createServices, type Services } from '../../../src/container.ts'
import type { Network } from '../../../src/domain/account/account.ts'
import type { Block } from '../../../src/domain/chain/chain.ts'
import { consensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import { isWebhookEvent, type NewEvent } from '../../../src/domain/notify/event.ts'
import type { Invoice, NewInvoice } from '../../../src/domain/sale/invoice.ts'
import type { Infrastructure } from '../../../src/infrastructure.ts'
import type { Metrics } from '../../../src/ports/metrics.ts'
import type { DecryptedNote, NoteScanner } from '../../../src/ports/note-scanner.ts'
import type { PaymentRow } from '../../../src/ports/repository/sale/payment.ts'
import type { Store, Tx } from '../../../src/ports/store.ts'
import { type RescanResult, rescan } from '../../../src/workers/chain/rescan.ts'
import { type ChainSync, createChainSync } from '../../../src/workers/chain/sync.ts'
import { openTestContainer } from '../container.ts'
import type { DatabaseEngine, OpenOptions, TestDatabase } from '../databases.ts'
import { openShop, type Shop } from '../fixtures.ts'
import { recordingLog } from '../log.ts'
import { ManualClock } from '../manual-clock.ts'
import { paymentsOf } from '../payments.ts'
import { SkewedClock } from '../skewed-clock.ts'
import { withRepositories } from '../tx.ts'
import { type Interruption, interrupted } from './interruption.ts'
import { TestNetwork, VIEWING_KEY } from './network.ts'
import { SwitchableServers } from './switchable-servers.ts'

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
  /** The true time plus the clock error of this process. */
  readonly clock: SkewedClock
  readonly store: Store
  readonly chainRecorder: Services['chainRecorder']
  readonly invoiceExpiry: Services['invoiceExpiry']
  readonly recordedChain: Services['recordedChain']
  readonly chain: SwitchableServers
  readonly chainSync: ChainSync
  /** Syncs until no more blocks can be read immediately. */
  sync(): Promise<void>
  rescan(from: number): Promise<RescanResult>
}

/** The real chain sync and its services on a real store, on the network and the servers of the simulation. */
export class ChainSimulation {
  readonly clock: ManualClock
  readonly network: Network
  readonly chain: TestNetwork
  readonly servers: ChainServer[]
  readonly processes: SimulatedProcess[] = []
  readonly log = recordingLog()
  /** Events of committed transactions, in order. */
  readonly events: NewEvent[] = []
  readonly metrics: Record<string, unknown> = {}
  /** The scanned transactions, in order. */
  readonly scans: { readonly txid: string; readonly isUrgent: boolean }[] = []
  shop!: Shop
  interruption: Interruption = () => {}
  readonly #scheduler: ServerScheduler
  readonly #url: string
  #infrastructure!: Infrastructure

  private constructor(network: Network, servers: number, url: string) {
    this.#url = url
    this.clock = new ManualClock()
    this.network = network
    this.chain = new TestNetwork({ time: this.clock.secs - 11 * 75, height: 11 })
    this.#scheduler = schedulerOf(this.clock)
    this.servers = Array.from({ length: servers }, (_, i) => this.#startServer(`server ${i + 1}`))
  }

  /** A server that asks its node at each read: tests pay and sync immediately. */
  #startServer(name: string): ChainServer {
    const served = new ServedTransactions(() => this.clock.nowMs())
    const params = consensusParams('regtest')
    const server = new ChainServer(name, { network: this.chain, scheduler: this.#scheduler, params, served })
    server.mempoolCacheMs = 0
    server.endMempoolAtOnce = true
    return server
  }

  static async open(
    test: TestContext,
    engine: DatabaseEngine,
    options: SimulationOptions = {},
  ): Promise<ChainSimulation> {
    const database = await engine.createDatabase(test)
    const simulation = new ChainSimulation(options.network ?? 'test', options.servers ?? 1, database.url)
    await simulation.#openProcesses(test, database, options)
    return simulation
  }

  async #openProcesses(test: TestContext, database: TestDatabase, options: SimulationOptions): Promise<void> {
    const store = await database.open(options.store)
    const { clock, log, network } = this
    this.#infrastructure = (
      await openTestContainer(test, {
        store,
        clock,
        log,
        // The simulated chain is short, so every network uses the upgrade heights of regtest.
        params: { ...consensusParams('regtest'), network },
        ...this.#cryptography(),
        metrics: this.#metrics(),
      })
    ).infrastructure
    this.processes.push(this.process(store, this.server))
    for (let i = 1; i < (options.processes ?? 1); i++) {
      this.processes.push(this.process(await database.open(options.store), this.servers[i % this.servers.length]!))
    }
    this.shop = await openShop(store)
  }

  get infrastructure(): Infrastructure {
    return this.#infrastructure
  }

  get firstProcess(): SimulatedProcess {
    return this.processes[0]!
  }

  get server(): ChainServer {
    return this.servers[0]!
  }

  /** Creates a newly started process with no state in memory. */
  process(store: Store, server: ChainServer): SimulatedProcess {
    const at: Interruption = point => this.interruption(point)
    const clock = new SkewedClock({ base: this.clock })
    const chain = new SwitchableServers(server.connect(), at)
    const infrastructure = { ...this.infrastructure, store: this.#recording(store), clock, chain }
    const services = createServices(infrastructure, null)
    const { chainRecorder, invoiceExpiry, recordedChain } = services
    const { see, conclude } = chainRecorder
    const scanKeys = interrupted(services.scanKeys, at, 'keys')
    const interruptible = {
      chainRecorder: { ...interrupted(chainRecorder, at), see, conclude },
      recordedChain: interrupted(recordedChain, at),
      scanKeys,
    }
    const chainSync = createChainSync({ ...infrastructure, ...services, ...interruptible })
    const sync = async () => {
      const signal = new AbortController().signal
      while ((await chainSync.sync(signal)) === 'again');
    }
    const rescanFrom = (from: number) =>
      rescan({ ...infrastructure, ...services, scanKeys }, from, new AbortController().signal)
    return {
      clock,
      store,
      chainRecorder,
      invoiceExpiry,
      recordedChain,
      chain,
      chainSync,
      sync,
      rescan: rescanFrom,
    }
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
    return this.chain.pay(invoice, valueZat, expiryHeight)
  }

  /** Puts a known transaction back into the mempool. */
  rebroadcast(txid: string): void {
    this.chain.broadcast(this.chain.transactions.get(txid)!)
  }

  /** Mines blocks at the true time. The first contains `txids`, by default the whole mempool. */
  mine(blocks = 1, txids: readonly string[] = [...this.chain.mempool.keys()]): void {
    for (let i = 0; i < blocks; i++) this.chain.mineOnly(i === 0 ? txids : [], this.clock.secs)
  }

  /** Another client of the server reads the mempool. @returns the txids */
  async readByAnotherClient(): Promise<string[]> {
    const transactions = await this.server.connect().mempool(new AbortController().signal)
    return transactions.map(({ txid }) => txid)
  }

  /** Rescans like the command of the operator, with the services of the first process. */
  rescan(from: number): Promise<RescanResult> {
    return this.firstProcess.rescan(from)
  }

  /** The notes of these blocks. */
  notesIn(blocks: readonly Block[]): DecryptedNote[] {
    return this.chain.notesIn(blocks, this.shop.viewingKey.id)
  }

  mempoolNotes(): DecryptedNote[] {
    return this.chain.mempoolNotes(this.shop.viewingKey.id)
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
    return this.firstProcess.store.read(tx => paymentsOf(tx, [invoice.id]))
  }

  syncedThrough(): Promise<number> {
    return this.firstProcess.store.read(tx => tx.chain.syncedThrough())
  }

  async tip(): Promise<number> {
    return (await this.firstProcess.recordedChain.position())!.tip.height
  }

  /** The types of the events of an invoice that the account's webhook gets. */
  eventTypes(invoice: Invoice): string[] {
    const events = this.events.filter(({ invoiceId, type }) => invoiceId === invoice.id && isWebhookEvent(type))
    return events.map(({ type }) => type)
  }

  /** Advances time with a sync of every process each 25 s, and (if `mine`) a block each 75 s. */
  async advanceTime(secs: number, { mine = true }: { readonly mine?: boolean } = {}): Promise<void> {
    for (let passed = 0; passed < secs; ) {
      const step = Math.min(25, secs - passed)
      this.clock.advance(step)
      passed += step
      if (mine && passed % 75 === 0) this.mine(1, [])
      for (const process of this.processes) await process.sync()
    }
  }

  /** The simulation's, where each sealed secret is the shop's viewing key. */
  #cryptography(): Pick<Infrastructure, 'noteScanner' | 'vault'> {
    const scanner = createNoteScanner(this.chain, this.#scheduler)
    const { incoming } = scanner.parseViewingKey(VIEWING_KEY)
    const scan: NoteScanner['scan'] = async (keys, transactions, options) => {
      this.scans.push(...transactions.map(({ txid }) => ({ txid, isUrgent: options?.isUrgent ?? false })))
      await this.interruption('before opening')
      return scanner.scan(keys, transactions, options)
    }
    return { noteScanner: { ...scanner, scan }, vault: { seal: secret => secret, open: () => incoming } }
  }

  #metrics(): Metrics {
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
      write: async work => {
        let appended: NewEvent[] = []
        const result = await store.write(tx => {
          appended = []
          const append: Tx['events']['append'] = events => {
            appended.push(...events)
            return tx.events.append(events)
          }
          return work(withRepositories(tx, { events: { ...tx.events, append } }))
        })
        this.events.push(...appended)
        return result
      },
    }
  }
}

/** Servers on a clock that tests move. Their calls do not wait for one another, and no timer runs out. */
function schedulerOf(clock: ManualClock): ServerScheduler {
  return {
    get nowMs() {
      return clock.nowMs()
    },
    draw: new Draw(1, 'servers'),
    pause: () => undefined,
    startTimer: (ms, fire) => ({ owner: WORLD, atMs: clock.nowMs() + ms, fire, index: -1 }),
    cancelTimer: () => {},
  }
}

/** A test with its own simulation. */
export function simulationTest(
  engine: DatabaseEngine,
  name: string,
  work: (simulation: ChainSimulation, t: TestContext) => Promise<void>,
  options: SimulationOptions = {},
): void {
  test(name, async t => {
    await work(await ChainSimulation.open(t, engine, options), t)
  })
}
