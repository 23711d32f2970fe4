import { blockSpacingSecs, type ConsensusParams, consensusParams } from '@zatgate/server/domain/chain/network-upgrade'
import type { Shop } from '../parts/sale/shop.ts'
import type { Rule } from '../rules.ts'
import type { Part } from '../run/part.ts'
import type { Setup } from '../run/setup.ts'
import { describeError, Finding, Story } from '../run/story.ts'
import { Draw } from '../runtime/draw.ts'
import { type Owner, Scheduler } from '../runtime/scheduler.ts'
import { ENCRYPTION_KEY, ServiceProcess } from '../service/process.ts'
import type { StoreHooks } from '../store/hooks.ts'
import type { SimulatedDatabase } from '../store/sqlite.ts'
import { ChainServer } from './chain/chain-server.ts'
import { Network } from './chain/network.ts'
import { ServedTransactions } from './chain/served.ts'
import type { WorldTransaction } from './chain/transaction.ts'
import { Visibility } from './chain/visibility.ts'
import { CommitJudge } from './commit-judge.ts'
import { isPoisonError, Poison } from './poison.ts'
import { RateServer } from './rates.ts'
import { readsTooManyPayments } from './read-limit.ts'
import type { Receivers } from './receivers.ts'
import { createStoreHooks, NO_FAILURES, type StoreFailures } from './store-failures.ts'

/** 2026-01-31 12:00 UTC, so that runs of a day cross the end of a month. */
const START_MS = Date.UTC(2026, 0, 31, 12)

/** Everything around the service, and the record of what is true. */
export class World {
  readonly setup: Setup
  readonly scheduler: Scheduler
  readonly params: ConsensusParams
  readonly network: Network
  readonly servers: readonly ChainServer[]
  readonly served = new ServedTransactions(() => this.scheduler.nowMs)
  readonly visibility: Visibility
  readonly database: SimulatedDatabase
  /** The source of exchange rates. */
  readonly rates: RateServer
  /** The servers that receive webhooks, by the part that has opened them. */
  readonly receivers: Receivers[] = []
  readonly story: Story
  readonly storeFailures: StoreFailures = { ...NO_FAILURES }
  /** How often the database has been replaced by a copy or a standby. */
  databaseReplacements = 0
  /** Rows that the service cannot process. */
  readonly poison = new Poison()
  readonly processes: ServiceProcess[] = []
  parts: readonly Part[] = []
  /** The merchants. Set by the part `sale`, which is created first. */
  shop!: Shop
  /** The encryption keys of the processes, the newest first. */
  encryptionKeys: () => readonly Uint8Array[] = () => [ENCRYPTION_KEY]
  /** The first ones of the chain servers are in the settings of the processes. */
  usedServers: number
  /** Differs in a restored copy of the database. */
  databaseIdentity = 'database-1'
  /** True after the faults have ended. */
  healed = false
  /** When the error of any clock changed last; Unix milliseconds. */
  clocksChangedMs = Number.NEGATIVE_INFINITY
  /** How far any clock has been ahead without a way to notice it. */
  maxClockAheadMs = 0
  /** The least and the greatest error of any clock so far, in milliseconds. */
  readonly clockErrors = { minMs: 0, maxMs: 0, seenMs: new Set([0]) }
  /** Whether the database has failed or was late so far, or a process has stood still alone. */
  storeHasFailed = false
  finding: Finding | null = null
  /** Use cases in the commit that is being judged. SQLite commits several at once. */
  useCases = 1
  /** The process whose commit is being judged. */
  committer: Owner | null = null
  /** State transitions that the run has taken, such as `invoice pending → paid`. */
  readonly transitions = new Set<string>()
  readonly #seeds: Draw
  readonly #judge: CommitJudge
  readonly #restoreListeners: (() => void)[] = []

  constructor(seed: number, setup: Setup, database: SimulatedDatabase) {
    this.setup = setup
    this.#judge = new CommitJudge(database)
    this.database = this.#judge.database
    this.scheduler = new Scheduler(seed, START_MS)
    this.rates = new RateServer(this.scheduler, new Draw(seed, 'rates'))
    this.scheduler.switchRate = setup.switchRate
    this.scheduler.punctuality = setup.punctuality
    this.story = new Story(() => this.scheduler.nowMs)
    this.#seeds = new Draw(seed, 'streams')
    const { nu63Height, nu7Height, network, height } = setup
    this.params = { ...consensusParams('regtest', { nu63Height, nu7Height }), network }
    const spacing = blockSpacingSecs(this.params, height)
    const time = this.nowSecs - height * spacing
    this.network = new Network({ time, height, spacingSecs: spacing }, nu63Height)
    this.servers = Array.from({ length: setup.chainServers }, (_, i) => new ChainServer(`server ${i + 1}`, this))
    // Every second one is of the kind whose tip proves nothing.
    for (const [i, server] of this.servers.entries()) server.reportsHash = i % 2 === 0
    this.usedServers = setup.chainServers
    this.visibility = new Visibility(this.network, this.servers)
  }

  get nowSecs(): number {
    return Math.floor(this.scheduler.nowMs / 1000)
  }

  /** The running processes. */
  get running(): ServiceProcess[] {
    return this.processes.filter(process => process.services !== null)
  }

  /** Those that do not stand still. */
  get responsive(): ServiceProcess[] {
    return this.running.filter(process => !this.scheduler.standsStill(process))
  }

  /** Whether the service has had no faults so far, has run for this long, and has nothing left to do now. */
  isCalm(forMs: number): boolean {
    const { clockErrors, scheduler, storeHasFailed, running, processes } = this
    if (storeHasFailed || clockErrors.minMs !== clockErrors.maxMs || !scheduler.isIdle || running.length === 0)
      return false
    const sinceMs = Math.max(scheduler.suspendedAtMs, ...processes.map(({ startedMs }) => startedMs))
    return !scheduler.isLate && scheduler.nowMs - sinceMs >= forMs
  }

  /** Lets the service run for a while, at each of its timers. */
  async runFor(ms: number): Promise<void> {
    await this.scheduler.advanceByTimers(ms, MAX_STOPS)
    await this.scheduler.run()
  }

  /** Calls `listener` whenever the database goes back to a backup, before the parts check it, in any order. */
  onRestore(listener: () => void): void {
    this.#restoreListeners.push(listener)
  }

  /**
   * Replaces the database by a backup of it. No process may be running.
   * @param identity of the restored database
   * @param idsAhead how far the sequence of each table is ahead of the copy
   */
  restore(copy: unknown, identity: string, idsAhead?: () => number): void {
    this.databaseReplacements += 1
    this.database.restoreContent(copy, idsAhead)
    this.#replaced(identity)
  }

  /** Puts an older copy in the place of the database while the processes run, as when a standby is promoted. */
  failOver(copy: unknown, identity: string, idsAhead?: () => number): void {
    this.databaseReplacements += 1
    this.database.failOver?.(this.processes, copy, identity, idsAhead)
    this.#replaced(identity)
  }

  /** The judges begin again with the content as it is now. */
  #replaced(identity: string): void {
    this.databaseIdentity = identity
    this.#judge.restored()
    for (const listener of this.#restoreListeners) listener()
    for (const part of this.parts) this.#judge.check(part, NO_TABLES)
  }

  nextSeed(): number {
    return this.#seeds.seed()
  }

  /** Reports a broken rule. The first report ends the run. */
  fail(rule: Rule, detail: string): void {
    if (this.finding) return
    this.finding = new Finding(rule, detail)
    this.story.tell('JUDGE', this.finding.message)
  }

  /** Notes a change of state for the coverage. */
  transition(noun: string, before: string | null, after: string): void {
    this.transitions.add(`${noun} ${before ?? '·'} → ${after}`)
  }

  /** Runs a client of the service in the background. An unexpected error of it is a finding. */
  client(name: string, work: () => Promise<unknown>): void {
    work().catch(error => {
      if (isPoisonError(error)) return
      this.fail('no client receives an unexpected error', `${name}: ${describeError(error)}`)
    })
  }

  /** Starts the process at this place, in the background. */
  startProcess(index: number, clockErrorMs = this.processes[index]?.clock.errorMs ?? 0, attempt = 1): Promise<void> {
    const process = new ServiceProcess(this, `process ${index + 1}`, clockErrorMs)
    this.processes[index] = process
    return process.start().catch(error => {
      // Only an injected failure may prevent a start. The operator then starts it again.
      if (!process.alive) return
      this.story.tell(process.name, `cannot start: ${error instanceof Error ? error.message : error}`)
      process.crash()
      // A failure from before the end of the faults may still arrive after it.
      if (this.healed && attempt < MAX_STARTS) return this.startProcess(index, clockErrorMs, attempt + 1)
      if (this.healed) this.fail('every process can start when nothing fails', describeError(error))
    })
  }

  /** The process at this place dies, and is started again in the background. */
  restart(index: number): void {
    this.processes[index]!.crash()
    void this.startProcess(index)
  }

  /** All processes die, and are then started again in the background. */
  restartAll(): void {
    for (const process of this.processes) process.crash()
    for (const index of this.processes.keys()) void this.startProcess(index)
  }

  /** Mines a block at the present time with these transactions, by default the whole mempool. */
  mine(txids?: readonly string[], timeErrorSecs = 0): void {
    const transactions = txids?.flatMap(txid => this.network.mempool.get(txid) ?? [])
    this.network.mine(this.nowSecs + timeErrorSecs, transactions)
    for (const server of this.servers) if (!server.isFrozen) server.blockFound()
    this.observe()
  }

  /** A wallet broadcasts a transaction. False when it can not be mined, or conflicts with another one. */
  broadcast(transaction: WorldTransaction): boolean {
    if (!this.network.broadcast(transaction)) return false
    for (const server of this.servers) server.transactionSeen(transaction)
    return true
  }

  /** Sets how far the clock of a process is ahead, in milliseconds. */
  setClockError({ clock }: ServiceProcess, errorMs: number): void {
    clock.errorMs = errorMs
    this.clocksChangedMs = this.scheduler.nowMs
    this.observe()
  }

  /** Lets a process stand still, as on a machine that is suspended, while the others go on. */
  suspend(process: ServiceProcess, ms: number): void {
    this.scheduler.stall(process, ms)
    // It may hold locks of the database.
    this.storeHasFailed = true
    this.story.tell('world', `${process.name} stands still for ${ms / 1000} s`)
  }

  /** Records what can be seen, after each change of the network, of a server or of a clock. */
  observe(): void {
    this.visibility.update(this.scheduler.nowMs)
    const { clockErrors } = this
    for (const { clock } of this.processes) {
      this.maxClockAheadMs = Math.max(this.maxClockAheadMs, this.isRefuted(clock.errorMs) ? 0 : clock.errorMs)
      clockErrors.minMs = Math.min(clockErrors.minMs, clock.errorMs)
      clockErrors.maxMs = Math.max(clockErrors.maxMs, clock.errorMs)
      clockErrors.seenMs.add(clock.errorMs)
    }
  }

  /** Whether block times refute a clock with this error: by more than two hours, on a regtest never. */
  isRefuted(errorMs: number): boolean {
    return this.setup.network === 'test' && Math.abs(errorMs) > DETECTABLE_MS
  }

  /** Ends all faults: the servers are honest, the clocks right, the database works. */
  heal(): void {
    this.healed = true
    if (this.processes.some(({ clock }) => clock.errorMs !== 0)) this.clocksChangedMs = this.scheduler.nowMs
    this.scheduler.punctuality = 1
    this.scheduler.resumeStalled()
    Object.assign(this.storeFailures, NO_FAILURES)
    for (const server of this.servers) server.heal()
    for (const process of this.processes) process.clock.errorMs = 0
    for (const part of this.parts) part.heal?.()
  }

  /** The functions that the database calls before and after each step. */
  storeHooks(): StoreHooks {
    const onCommit: StoreHooks['onCommit'] = (process, useCases, tables) => {
      if (this.finding) return
      this.committer = process
      this.useCases = useCases
      for (const part of this.parts) this.#judge.check(part, tables)
    }
    const hooks = createStoreHooks(this.scheduler, this.storeFailures, onCommit, () => {
      this.storeHasFailed = true
    })
    return {
      ...hooks,
      refuses: (table, reference) => this.poison.refuses(table, reference),
      after: step => {
        if (readsTooManyPayments(step))
          this.fail('an evaluation reads at most 1,000 payments of an invoice', `${step.rows} rows: ${step.sql}`)
        return hooks.after(step)
      },
    }
  }
}

const MAX_STARTS = 3
const MAX_STOPS = 40

const NO_TABLES: ReadonlySet<string> = new Set()

/** The median time of 11 blocks lags the true time; two hours are tolerated. */
const DETECTABLE_MS = 2.25 * 3_600_000
