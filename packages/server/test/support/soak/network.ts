import { Chain, ChainError } from '@zatgate/sandbox/chain/chain'
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
const DEEPEST = 12

/** What a server does during a storm; each entry is drawn as often as the others. */
const TROUBLES: readonly ((random: SeededRandom, mempool: readonly string[]) => Partial<LightwalletdFaults>)[] = [
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

/** One simulated testnet with two light-wallet servers, a wallet, and the truth of it told to a ledger. */
export class SoakNetwork {
  readonly chain: Chain
  readonly wallet: Wallet
  readonly ledger: Ledger
  readonly #servers: readonly Lightwalletd[]
  readonly #healthy: readonly SpanLog[]
  readonly #time: SoakTime
  #dropped = 0
  #broadcastAgain = 0

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

  /** What was done to transactions, for the report. */
  get counts(): { readonly dropped: number; readonly broadcastAgain: number } {
    return { dropped: this.#dropped, broadcastAgain: this.#broadcastAgain }
  }

  /** When every server was up and honest. */
  healthySpans(): Span[] {
    return this.#healthy.map(log => log.spans).reduce(intersection)
  }

  pay(id: string, uri: string, amount: bigint): void {
    this.ledger.paid(id, this.wallet.pay({ uri, amount }).id, amount)
  }

  /** Mines a block every few seconds, with or without the mempool. */
  async mineRegularly(random: SeededRandom, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#time.sleep((3 + random.below(8)) * SECOND, signal)
      this.chain.mine(1, { empty: random.below(3) === 0 })
    }
  }

  /** Mines blocks that leave the mempool where it is, as settling needs new blocks. */
  async mineEmpty(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.chain.mine(1, { empty: true })
      await this.#time.sleep(10 * SECOND, signal)
    }
  }

  /** Storms, in which each server gets into a trouble of its own, and calm times between them. All is well at the end. */
  async storms(random: SeededRandom, lengths: StormLengths, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#time.sleep(lengths.calmMs, signal)
      if (signal.aborted) return
      await Promise.all(this.#servers.map((_, index) => this.#trouble(index, random)))
      await this.#time.sleep(lengths.stormMs, signal)
      await this.calm()
    }
  }

  async calm(): Promise<void> {
    await Promise.all(this.#servers.map(server => server.setFaults(NO_FAULTS)))
    for (const log of this.#healthy) log.begin(this.#time.nowMs())
  }

  /** Replaces up to twelve blocks. Some of their transactions vanish, and the wallet broadcasts some of those again. */
  async reorganise(random: SeededRandom, signal: AbortSignal): Promise<void> {
    const depth = 1 + random.below(DEEPEST)
    const candidates = [...this.#replaced(depth), ...this.chain.mempool()]
    const dropped = candidates.filter(() => random.below(4) === 0)
    const drop = dropped.map(({ id }) => id)
    this.chain.reorg({ depth, drop, blocks: depth + random.below(3), remine: random.below(2) === 0 })
    this.#dropped += dropped.length
    const again = dropped.filter(() => random.below(2) === 0)
    await this.#time.sleep((1 + random.below(30)) * SECOND, signal)
    for (const transaction of again) this.#broadcast(transaction)
  }

  /** Mines until nothing waits, and on until every transaction that vanished is past its expiry height. */
  settle(): void {
    this.chain.mine(45)
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(server => server.close()))
    this.chain.close()
  }

  async #trouble(index: number, random: SeededRandom): Promise<void> {
    if (random.below(4) === 0) return
    this.#healthy[index]!.end(this.#time.nowMs())
    const mempool = this.chain.mempool().map(({ id }) => id)
    await this.#servers[index]!.setFaults(TROUBLES[random.below(TROUBLES.length)]!(random, mempool))
  }

  #replaced(depth: number): ChainTransaction[] {
    const { height } = this.chain
    const heights = Array.from({ length: depth }, (_, back) => height - back)
    return heights.flatMap(at => this.chain.block(at)!.transactions.filter(({ coinbase }) => !coinbase))
  }

  #broadcast(transaction: ChainTransaction): void {
    try {
      this.wallet.broadcastAgain(transaction)
      this.#broadcastAgain++
    } catch (error) {
      // It may have expired meanwhile, and then it is gone for good.
      if (!(error instanceof ChainError)) throw error
    }
  }
}

export interface StormLengths {
  readonly calmMs: number
  readonly stormMs: number
}
