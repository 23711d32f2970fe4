import { blockSpacingSecs, type ConsensusParams, consensusParams } from '@zatgate/server/domain/network-upgrade'
import type { Shop } from '../parts/sale/shop.ts'
import type { Part } from '../run/part.ts'
import type { Setup } from '../run/setup.ts'
import { Finding, Story } from '../run/story.ts'
import { Draw } from '../runtime/draw.ts'
import { type Owner, Scheduler } from '../runtime/scheduler.ts'
import { ENCRYPTION_KEY, ServiceProcess } from '../service/process.ts'
import type { StoreHooks, StoreStep } from '../store/hooks.ts'
import type { SimulatedDatabase } from '../store/sqlite.ts'
import { diskError } from '../store/sqlite.ts'
import { ChainServer } from './chain/chain-server.ts'
import { Network } from './chain/network.ts'
import { ServedTransactions } from './chain/served.ts'
import { Visibility } from './chain/visibility.ts'

/** 2026-01-31 12:00 UTC, so that runs of a day cross the end of a month. */
const START_MS = Date.UTC(2026, 0, 31, 12)

/** Probabilities of the failures of the database, set by the actions. */
interface StoreFailures {
  /** A statement fails. */
  statement: number
  /** A commit fails, and nothing is written. */
  commit: number
  /** A commit succeeds, and its response is lost. */
  unknown: number
  /** How a single commit fails, after `nextIn` others. */
  next: 'commit' | 'unknown' | null
  nextIn: number
}

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
  readonly story: Story
  readonly storeFailures: StoreFailures = { statement: 0, commit: 0, unknown: 0, next: null, nextIn: 0 }
  readonly processes: ServiceProcess[] = []
  parts: readonly Part[] = []
  /** The merchants. Set by the part `sale`, which is created first. */
  shop!: Shop
  /** The encryption keys of the processes, the newest first. */
  encryptionKeys: () => readonly Uint8Array[] = () => [ENCRYPTION_KEY]
  /** Differs in a restored copy of the database. */
  databaseIdentity = 'database-1'
  /** True after the faults have ended. */
  healed = false
  /** When the error of any clock changed last; Unix milliseconds. */
  clocksChangedMs = Number.NEGATIVE_INFINITY
  /** How far any clock has been ahead without a way to notice it. */
  maxClockAheadMs = 0
  /** The least and the greatest error of any clock so far, in milliseconds. */
  readonly clockErrors = { minMs: 0, maxMs: 0 }
  /** Whether the database may have failed so far. */
  storeHasFailed = false
  finding: Finding | null = null
  /** Use cases in the commit that is being judged. SQLite commits several at once. */
  useCases = 1
  /** The process whose commit is being judged. */
  committer: Owner | null = null
  /** State transitions that the run has taken, such as `invoice pending → paid`. */
  readonly transitions = new Set<string>()
  readonly #seeds: Draw
  /** The tables that each part has read in its checks. */
  readonly #reads = new Map<Part, Set<string>>()
  #reading: Set<string> | null = null
  readonly #restoreListeners: (() => void)[] = []

  constructor(seed: number, setup: Setup, database: SimulatedDatabase) {
    this.setup = setup
    this.database = { ...database, committed: (sql, ...values) => this.#committed(database, sql, values) }
    this.scheduler = new Scheduler(seed, START_MS)
    this.scheduler.switchRate = setup.switchRate
    this.scheduler.punctuality = setup.punctuality
    this.story = new Story(() => this.scheduler.nowMs)
    this.#seeds = new Draw(seed, 'streams')
    const { nu63Height, nu7Height, network, height } = setup
    this.params = { ...consensusParams('regtest', { nu63Height, nu7Height }), network }
    const spacing = blockSpacingSecs(this.params, height)
    const time = this.nowSecs - height * spacing
    this.network = new Network({ time, height, spacingSecs: spacing }, nu63Height)
    this.servers = Array.from(
      { length: setup.chainServers },
      (_, i) =>
        new ChainServer(`server ${i + 1}`, {
          network: this.network,
          scheduler: this.scheduler,
          params: this.params,
          served: this.served,
        }),
    )
    this.visibility = new Visibility(this.network, this.servers)
  }

  get nowSecs(): number {
    return Math.floor(this.scheduler.nowMs / 1000)
  }

  /** The running processes. */
  get running(): ServiceProcess[] {
    return this.processes.filter(process => process.services !== null)
  }

  /** Calls `listener` whenever the database goes back to a backup. */
  onRestore(listener: () => void): void {
    this.#restoreListeners.push(listener)
  }

  /** Replaces the database by a backup of it. No process may be running. @param identity of the restored database */
  restore(copy: unknown, identity: string): void {
    this.database.restoreContent(copy)
    this.databaseIdentity = identity
    for (const listener of this.#restoreListeners) listener()
  }

  /** Puts an older copy in the place of the database while the processes run, as when a standby is promoted. */
  failOver(copy: unknown, identity: string): void {
    this.database.failOver?.(this.processes, copy, identity)
    this.databaseIdentity = identity
    for (const listener of this.#restoreListeners) listener()
  }

  nextSeed(): number {
    return this.#seeds.seed()
  }

  /** Reports a broken rule. The first report ends the run. */
  fail(rule: string, detail: string): void {
    if (this.finding) return
    this.finding = new Finding(rule, detail)
    this.story.tell('JUDGE', this.finding.message)
  }

  /** Notes a change of state for the coverage. */
  transition(noun: string, before: string | null, after: string): void {
    this.transitions.add(`${noun} ${before ?? '·'} → ${after}`)
  }

  /** Runs a client of the service in the background. An unexpected error of it is a finding. */
  client(name: string, work: () => Promise<void>): void {
    work().catch(error => {
      this.fail(
        'a client receives an unexpected error',
        `${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
      )
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
      if (this.healed)
        this.fail('a process starts when nothing fails', String(error instanceof Error ? error.stack : error))
    })
  }

  /** Mines a block at the present time with these transactions, by default the whole mempool. */
  mine(txids?: readonly string[], timeErrorSecs = 0): void {
    const transactions = txids?.flatMap(txid => this.network.mempool.get(txid) ?? [])
    this.network.mine(this.nowSecs + timeErrorSecs, transactions)
    for (const server of this.servers) if (!server.isFrozen) server.blockFound()
    this.observe()
  }

  /** Records what can be seen, after each change of the network, of a server or of a clock. */
  observe(): void {
    this.visibility.update(this.scheduler.nowMs)
    const { clockErrors, storeFailures } = this
    for (const { clock } of this.processes) {
      this.maxClockAheadMs = Math.max(this.maxClockAheadMs, this.#undetectable(clock.errorMs))
      clockErrors.minMs = Math.min(clockErrors.minMs, clock.errorMs)
      clockErrors.maxMs = Math.max(clockErrors.maxMs, clock.errorMs)
    }
    this.storeHasFailed ||= storeFailures.statement + storeFailures.commit + storeFailures.unknown > 0
  }

  /** The part of a clock's error that block times do not reveal: up to two hours, on a regtest all of it. */
  #undetectable(errorMs: number): number {
    return this.setup.network === 'test' && errorMs > DETECTABLE_AHEAD_MS ? 0 : errorMs
  }

  /** Lets time pass. Blocks are found at random intervals around the target spacing. */
  async passTime(
    secs: number,
    draw: Draw,
    options: { readonly stops?: number; readonly mines?: boolean } = {},
  ): Promise<void> {
    const { stops = 0, mines = true } = options
    const endMs = this.scheduler.nowMs + secs * 1000
    for (let blocks = 0; mines && blocks < MAX_BLOCKS && !this.finding; blocks++) {
      const spacing = blockSpacingSecs(this.params, this.network.height)
      const waitMs = Math.round(-Math.log(1 - draw.float()) * spacing * 1000)
      if (this.scheduler.nowMs + waitMs >= endMs) break
      // The service does not run at each block of a long passage: it finds several at once, as after a pause.
      if (draw.chance(RUNS_PER_PASSAGE / (secs / spacing))) await this.#advance(waitMs, stops)
      else this.scheduler.nowMs += waitMs
      this.mine([...this.network.mempool.keys()].filter(() => draw.chance(0.9)))
    }
    await this.#advance(endMs - this.scheduler.nowMs, stops)
  }

  async #advance(ms: number, stops: number): Promise<void> {
    if (stops > 0) await this.scheduler.advanceByTimers(ms, stops)
    else this.scheduler.advance(ms)
    await this.scheduler.run()
  }

  /** Ends all faults: the servers are honest, the clocks right, the database works. */
  heal(): void {
    this.healed = true
    if (this.processes.some(({ clock }) => clock.errorMs !== 0)) this.clocksChangedMs = this.scheduler.nowMs
    this.scheduler.punctuality = 1
    Object.assign(this.storeFailures, { statement: 0, commit: 0, unknown: 0, next: null })
    for (const server of this.servers) server.heal()
    for (const process of this.processes) process.clock.errorMs = 0
    for (const part of this.parts) part.heal?.()
  }

  #committed<T>(database: SimulatedDatabase, sql: string, values: (string | number | bigint)[]): T[] {
    if (this.#reading) for (const table of tablesOf(sql)) this.#reading.add(table)
    return database.committed<T>(sql, ...values)
  }

  /** Lets a part check a commit, unless it reads none of the changed tables. */
  #judge(part: Part, tables: ReadonlySet<string>): void {
    if (!part.onCommit) return
    const read = this.#reads.get(part)
    if (read && read.size > 0 && [...read].every(table => !tables.has(table))) return
    this.#reading = read ?? new Set()
    this.#reads.set(part, this.#reading)
    part.onCommit()
    this.#reading = null
  }

  /** What the database asks before and after each step. */
  storeHooks(): StoreHooks {
    const { scheduler, storeFailures } = this
    const fails = (probability: number) => probability > 0 && scheduler.draw.chance(probability)
    const fail = ({ kind }: StoreStep) => {
      if (kind === 'statement' && fails(storeFailures.statement)) throw diskError()
      if (kind === 'commit' && (fails(storeFailures.commit) || isNext('commit'))) throw diskError()
    }
    /** Whether this commit is the single one that fails in this way. */
    const isNext = (failure: 'commit' | 'unknown') => {
      if (storeFailures.next !== failure || storeFailures.nextIn-- > 0) return false
      storeFailures.next = null
      return true
    }
    return {
      fail,
      async before(step) {
        await scheduler.pause()
        fail(step)
      },
      async after({ kind }) {
        await scheduler.pause()
        if (kind === 'commit' && (fails(storeFailures.unknown) || isNext('unknown'))) throw diskError()
      },
      onCommit: (process, useCases, tables) => {
        if (this.finding) return
        this.committer = process
        this.useCases = useCases
        for (const part of this.parts) this.#judge(part, tables)
      },
    }
  }
}

const tables = new Map<string, readonly string[]>()

/** The tables that a query reads. */
function tablesOf(sql: string): readonly string[] {
  let names = tables.get(sql)
  if (!names) {
    names = [...sql.matchAll(/\b(?:FROM|JOIN)\s+"?([a-z_]+)/gi)].map(([, name]) => name!)
    tables.set(sql, names)
  }
  return names
}

const MAX_STARTS = 3

/** The median time of 11 blocks lags the true time; two hours are tolerated. */
const DETECTABLE_AHEAD_MS = 2.25 * 3_600_000

/** Blocks during one passage of time. Longer passages end quietly: real networks have such gaps too. */
const MAX_BLOCKS = 16

/** How often, on average, the service runs during one passage of time. */
const RUNS_PER_PASSAGE = 2
