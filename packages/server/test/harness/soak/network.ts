import { Chain } from '@zatgate/sandbox/chain/chain'
import { ChainError } from '@zatgate/sandbox/chain/error'
import { demoViewingKey } from '@zatgate/sandbox/chain/keys'
import type { ChainTransaction } from '@zatgate/sandbox/chain/transaction'
import { Wallet } from '@zatgate/sandbox/chain/wallet'
import { type LightwalletdFaults, NO_FAULTS } from '@zatgate/sandbox/lightwalletd/faults'
import { Lightwalletd } from '@zatgate/sandbox/lightwalletd/server'
import type { SeededRandom } from '@zatgate/sandbox/random'
import type { Ledger } from './ledger.ts'
import { intersection, type Span, SpanLog } from './spans.ts'
import type { SoakTime } from './time.ts'

const SECOND = 1_000
const FIRST_BLOCKS = 40
const MAX_DEPTH = 12

/** The possible faults of a server during a storm, chosen with equal probability. */
const STORM_FAULTS: readonly ((random: SeededRandom, mempool: readonly string[]) => Partial<LightwalletdFaults>)[] = [
  () => ({ frozen: true }),
  () => ({ frozen: true, hideMempool: true }),
  () => ({ hideMempool: true }),
  (random, mempool) => ({ hideMempool: mempool.filter(() => random.below(2) === 0) }),
  () => ({ down: true }),
  random => ({ unavailable: 1 + random.below(20) }),
  random => ({ internal: 1 + random.below(20) }),
  random => ({ lagBlocks: 1 + random.below(6) }),
  () => ({ cutStreamAfter: 1 }),
  () => ({ endMempoolAtOnce: true }),
]

/** A simulated testnet with two light-wallet servers and a wallet. Reports all chain events to a ledger. */
export class SoakNetwork {
  readonly chain: Chain
  readonly wallet: Wallet
  readonly ledger: Ledger
  readonly #servers: readonly Lightwalletd[]
  readonly #healthy: readonly SpanLog[]
  readonly #time: SoakTime
  #dropped = 0
  #rebroadcast = 0

  private constructor(chain: Chain, servers: readonly Lightwalletd[], ledger: Ledger, time: SoakTime) {
    this.chain = chain
    this.wallet = new Wallet(chain)
    this.ledger = ledger
    this.#time = time
    this.#servers = servers
    this.#healthy = servers.map(() => new SpanLog())
    for (const log of this.#healthy) log.begin(time.nowMs())
    chain.subscribe(event => ledger.observe(event, time.nowMs()))
  }

  static async start(seed: Uint8Array, ledger: Ledger, time: SoakTime): Promise<SoakNetwork> {
    const clock = { nowMs: () => time.nowMs(), sleep: (ms: number, signal?: AbortSignal) => time.sleep(ms, signal) }
    const chain = new Chain({ seed, network: 'test', clock })
    chain.mine(FIRST_BLOCKS)
    return new SoakNetwork(chain, [await Lightwalletd.start(chain), await Lightwalletd.start(chain)], ledger, time)
  }

  get urls(): string[] {
    return this.#servers.map(({ url }) => url)
  }

  get viewingKey(): string {
    return demoViewingKey(this.chain.seed, this.chain.network)
  }

  /** Counts of dropped and rebroadcast transactions, for the report. */
  get counts(): { readonly dropped: number; readonly rebroadcast: number } {
    return { dropped: this.#dropped, rebroadcast: this.#rebroadcast }
  }

  /** The times at which all servers were free of faults. */
  healthySpans(): Span[] {
    return this.#healthy.map(log => log.spans).reduce(intersection)
  }

  pay(id: string, uri: string, amount: bigint): void {
    this.ledger.paid(id, this.wallet.pay({ uri, amount }).id, amount)
  }

  /** Mines a block every few seconds, with or without the mempool transactions. */
  async mineRegularly(random: SeededRandom, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#time.sleep((3 + random.below(8)) * SECOND, signal)
      this.chain.mine(1, { empty: random.below(3) === 0 })
    }
  }

  /** Mines empty blocks: settling needs new blocks, but the mempool must stay. */
  async mineEmpty(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.chain.mine(1, { empty: true })
      await this.#time.sleep(10 * SECOND, signal)
    }
  }

  /** Alternates calm periods and storms, in which each server gets its own fault. Ends without faults. */
  async storms(random: SeededRandom, lengths: StormLengths, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#time.sleep(lengths.calmMs, signal)
      if (signal.aborted) return
      await Promise.all(this.#servers.map((_, index) => this.#injectFault(index, random)))
      await this.#time.sleep(lengths.stormMs, signal)
      await this.calm()
    }
  }

  /** Removes the faults of all servers. */
  async calm(): Promise<void> {
    await Promise.all(this.#servers.map(server => server.setFaults(NO_FAULTS)))
    for (const log of this.#healthy) log.begin(this.#time.nowMs())
  }

  /** Replaces up to twelve blocks. Drops some of their transactions, and rebroadcasts some of the dropped ones. */
  async reorganise(random: SeededRandom, signal: AbortSignal): Promise<void> {
    const depth = 1 + random.below(MAX_DEPTH)
    const candidates = [...this.#replaced(depth), ...this.chain.mempool()]
    const dropped = candidates.filter(() => random.below(4) === 0)
    const drop = dropped.map(({ id }) => id)
    this.chain.reorg({ depth, drop, blocks: depth + random.below(3), remine: random.below(2) === 0 })
    this.#dropped += dropped.length
    const rebroadcast = dropped.filter(() => random.below(2) === 0)
    await this.#time.sleep((1 + random.below(30)) * SECOND, signal)
    for (const transaction of rebroadcast) this.#rebroadcastOne(transaction)
  }

  /** Mines the whole mempool and enough blocks for all dropped transactions to pass their expiry height. */
  settle(): void {
    this.chain.mine(45)
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(server => server.close()))
    this.chain.close()
  }

  async #injectFault(index: number, random: SeededRandom): Promise<void> {
    if (random.below(4) === 0) return
    this.#healthy[index]!.end(this.#time.nowMs())
    const mempool = this.chain.mempool().map(({ id }) => id)
    await this.#servers[index]!.setFaults(STORM_FAULTS[random.below(STORM_FAULTS.length)]!(random, mempool))
  }

  #replaced(depth: number): ChainTransaction[] {
    const { height } = this.chain
    const heights = Array.from({ length: depth }, (_, back) => height - back)
    return heights.flatMap(height => this.chain.block(height)!.transactions.filter(({ coinbase }) => !coinbase))
  }

  #rebroadcastOne(transaction: ChainTransaction): void {
    try {
      this.wallet.rebroadcast(transaction)
      this.#rebroadcast++
    } catch (error) {
      // The transaction may have expired meanwhile and cannot be mined any more.
      if (!(error instanceof ChainError)) throw error
    }
  }
}

/** Durations in milliseconds of the run's time. */
export interface StormLengths {
  readonly calmMs: number
  readonly stormMs: number
}
