import type { Chain } from '../chain/chain.ts'
import type { Block, ChainEvent } from '../chain/chain-state.ts'
import type { LightwalletdFaults } from './faults.ts'
import type { ServedNode } from './node.ts'

interface Connected {
  readonly block: Block
  /** when the chain connected the block */
  readonly atMs: number
}

/**
 * The block cache of lightwalletd (`BlockIngestor` in common/common.go). The server polls the best block of its node every
 * `blockCacheMs`. Until the next poll it serves replaced blocks, and requests blocks that are not cached from the node.
 */
export class ServedBlocks {
  readonly #chain: Chain
  readonly #faults: LightwalletdFaults
  readonly #node: ServedNode
  readonly #startedAtMs: number
  /** the best chain by height */
  readonly #connected: Connected[]
  /** blocks that a reorganisation replaced since the last poll, by height */
  readonly #replaced = new Map<number, Block>()
  readonly #unsubscribe: () => void
  #repairDueAtMs = Number.NEGATIVE_INFINITY
  /** the first height that the server could not fetch, because the node failed first */
  #missingFrom = Number.POSITIVE_INFINITY

  constructor(chain: Chain, faults: LightwalletdFaults, node: ServedNode) {
    this.#chain = chain
    this.#faults = faults
    this.#node = node
    this.#startedAtMs = chain.clock.nowMs()
    const atMs = this.#startedAtMs
    this.#connected = Array.from({ length: chain.height + 1 }, (_, height) => ({ block: chain.block(height)!, atMs }))
    this.#unsubscribe = chain.subscribe(event => this.#apply(event))
    this.faultsChanged()
  }

  /** The cached block at this height. */
  cached(height: number): Block | undefined {
    if (this.#faults.frozen) return undefined
    const now = this.#chain.clock.nowMs()
    if (now >= this.#repairDueAtMs) this.#replaced.clear()
    const replaced = this.#replaced.get(height)
    if (replaced !== undefined) return replaced
    const connected = this.#connected[height]
    if (connected === undefined || height > this.#node.height || height >= this.#missingFrom) return undefined
    return connected.atMs <= this.#lastPollMs(now) ? connected.block : undefined
  }

  /** Milliseconds until the next poll of the best block. */
  get msToPoll(): number {
    const now = this.#chain.clock.nowMs()
    return this.#lastPollMs(now) + this.#faults.blockCacheMs - now
  }

  /** Must be called after each change of the faults. */
  faultsChanged(): void {
    if (!this.#nodeFails) {
      this.#missingFrom = Number.POSITIVE_INFINITY
      return
    }
    const polledAtMs = this.#lastPollMs(this.#chain.clock.nowMs())
    const missing = this.#connected.findIndex(({ atMs }) => atMs > polledAtMs)
    if (missing >= 0) this.#missingFrom = Math.min(this.#missingFrom, missing)
  }

  close(): void {
    this.#unsubscribe()
  }

  #apply(event: ChainEvent): void {
    if (event.kind === 'block') this.#connect(event.block.height)
    else if (event.kind === 'disconnected') this.#disconnectAbove(event.height)
  }

  get #nodeFails(): boolean {
    return this.#node.fails('getbestblockhash') || this.#node.fails('getblock')
  }

  #connect(height: number): void {
    if (this.#nodeFails) this.#missingFrom = Math.min(this.#missingFrom, height)
    this.#connected[height] = { block: this.#chain.block(height)!, atMs: this.#chain.clock.nowMs() }
  }

  #disconnectAbove(height: number): void {
    const now = this.#chain.clock.nowMs()
    if (now >= this.#repairDueAtMs) this.#replaced.clear()
    const polledAtMs = this.#lastPollMs(now)
    for (const { block, atMs } of this.#connected.splice(height + 1))
      if (atMs <= polledAtMs && !this.#replaced.has(block.height)) this.#replaced.set(block.height, block)
    this.#repairDueAtMs = polledAtMs + this.#faults.blockCacheMs
  }

  #lastPollMs(now: number): number {
    const { blockCacheMs } = this.#faults
    return blockCacheMs === 0 ? now : now - ((now - this.#startedAtMs) % blockCacheMs)
  }
}
