import { BRANCH_IDS } from '@zatgate/zcash/network'
import type { Action } from '@zatgate/zcash/note'
import type { ShieldedPool } from '@zatgate/zcash/shielded-pool'
import { type Clock, systemClock } from '../clock.ts'
import { SeededRandom, sha256 } from '../random.ts'
import { createActions } from './actions.ts'
import { type ChainLog, NO_LOG, openChainLog } from './chain-log.ts'
import {
  type Block,
  type ChainEvent,
  ChainState,
  type ChainView,
  type EvictionReason,
  type LocatedTransaction,
} from './chain-state.ts'
import { ChainError } from './error.ts'
import { foreignReceiver, type SandboxNetwork } from './keys.ts'
import type { ChainOptions, MineOptions, ReorgOptions } from './options.ts'
import { expectSameParameters, newParameters } from './parameters.ts'
import { type ChainTransaction, finishTransaction } from './transaction.ts'
export type ChainListener = (event: ChainEvent) => void
/** Default lifetime of an unmined transaction in blocks, as wallets set it (ZIP 203). */
const EXPIRY_BLOCKS = { beforeNu7: 40, fromNu7: 120 }

const COINBASE_NOTE_ZAT = 1_000_000n
const COINBASE_OUTPUT_ZAT = 125_000_000n
const FOREIGN_NOTE_ZAT = 50_000_000n

/**
 * A simulated regtest or testnet chain with real shielded notes. Every change is a list of events. Before the call
 * returns, the events are logged, applied, and passed to the listeners, in this order.
 */
export class Chain implements ChainView {
  readonly seed: Uint8Array
  readonly network: SandboxNetwork
  readonly nu63Height: number
  readonly nu7Height: number | null
  readonly clock: Clock
  readonly #state = new ChainState()
  readonly #listeners = new Set<ChainListener>()
  readonly #log: ChainLog
  readonly #foreignPerBlock: number
  readonly #foreignReceiver: Uint8Array

  constructor(options: ChainOptions = {}) {
    const parameters = () => newParameters(options)
    const opened = options.file === undefined ? undefined : openChainLog(options.file, parameters)
    const chosen = opened?.parameters ?? parameters()
    expectSameParameters(options, chosen)
    this.seed = chosen.seed
    this.network = chosen.network
    this.nu63Height = chosen.nu63Height
    this.nu7Height = chosen.nu7Height
    this.clock = options.clock ?? systemClock
    this.#foreignPerBlock = options.foreignPerBlock ?? 0
    this.#foreignReceiver = foreignReceiver(this.seed)
    for (const event of opened?.events ?? []) this.#state.apply(event)
    this.#log = opened?.log ?? NO_LOG
    while (this.height < 1) this.#connectBlock([], {})
  }

  get height(): number {
    return this.#state.height
  }

  get tip(): Block {
    return this.#state.tip!
  }

  /** The pool of payments in the next block. */
  get paymentPool(): ShieldedPool {
    return this.poolAt(this.height + 1)
  }

  poolAt(height: number): ShieldedPool {
    return height >= this.nu63Height ? 'ironwood' : 'orchard'
  }

  /** The consensus branch id of the block at this height, and of its transactions. */
  branchAt(height: number): number {
    if (this.#hasNu7(height)) return BRANCH_IDS.nu7
    return height >= this.nu63Height ? BRANCH_IDS.nu63 : BRANCH_IDS.nu62
  }

  /** The next upgrade (NU6.3 or NU7) that is not active at this height. */
  upgradeAfter(height: number): { readonly name: string; readonly height: number } | undefined {
    if (height < this.nu63Height) return { name: 'NU6.3', height: this.nu63Height }
    if (this.nu7Height !== null && height < this.nu7Height) return { name: 'NU7', height: this.nu7Height }
    return undefined
  }

  block(height: number): Block | undefined {
    return this.#state.block(height)
  }

  mempool(): ChainTransaction[] {
    return this.#state.mempool()
  }

  find(id: string): LocatedTransaction | undefined {
    return this.#state.find(id)
  }

  /** An immutable copy of the blocks, the mempool and all known transactions. */
  snapshot(): ChainView {
    return new ChainState(this.#state)
  }

  /** Calls back after every event, until the returned function is called. */
  subscribe(listener: ChainListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The random generator of the next transaction: derived from the seed, different for each transaction. */
  nextRandom(): SeededRandom {
    return new SeededRandom(this.seed, `transaction ${this.#state.createdCount}`)
  }

  /**
   * Adds a transaction to the mempool. It expires after `expiryHeight` if it is not mined (default: 40 blocks from now,
   * 120 from NU7 on; 0: never). Its branch id is that of the next block; `branchId`, if given, must be equal to it.
   * @throws ChainError when the network would reject the transaction
   */
  add(draft: {
    pool: ShieldedPool
    actions: readonly Action[]
    expiryHeight?: number
    branchId?: number
  }): ChainTransaction {
    const next = this.height + 1
    const branchId = this.branchAt(next)
    const { pool, actions, expiryHeight = this.height + this.#expiryBlocks(next) } = draft
    if (pool !== this.paymentPool) {
      throw new ChainError(
        'pool',
        `the next block, ${this.height + 1}, accepts payments in the ${this.paymentPool} pool only`,
      )
    }
    if (draft.branchId !== undefined && draft.branchId !== branchId) {
      const [expected, actual] = [formatBranchId(branchId), formatBranchId(draft.branchId)]
      throw new ChainError(
        'branchId',
        `the next block, ${next}, accepts transactions of branch ${expected}, not ${actual}`,
      )
    }
    if (expiryHeight !== 0 && expiryHeight <= this.height) {
      throw new ChainError('expiryHeight', `must be above the height, ${this.height}, or 0 for no expiry`)
    }
    const transaction = finishTransaction({
      pool,
      branchId,
      actions,
      expiryHeight,
      coinbase: false,
      minerOutputZat: 0n,
    })
    const location = this.find(transaction.id)?.location
    if (location !== undefined && location !== 'fork') {
      throw new ChainError('txid', `transaction ${transaction.id} is already in the mempool or in a block`)
    }
    this.#record([{ kind: 'transaction', transaction }])
    return transaction
  }

  /** Mines the mempool into one block, then empty blocks. Returns the new height. */
  mine(blocks = 1, options: MineOptions = {}): number {
    for (let i = 0; i < blocks; i++) {
      if (!options.empty) this.#addForeign()
      this.#connectBlock(options.empty ? [] : this.mempool().map(({ id }) => id), options)
    }
    return this.height
  }

  /** Replaces the last blocks. Returns the new height. */
  reorg({ depth, drop: ids = [], blocks = depth, remine = false }: ReorgOptions): number {
    if (depth < 1 || depth > this.height) throw new ChainError('depth', `must be 1 to the height, ${this.height}`)
    const fork = this.height - depth
    const drop = new Set(ids)
    for (const id of drop) this.#assertDroppable(id, fork)
    this.#record([{ kind: 'disconnected', height: fork }])
    for (const id of drop) this.evict(id)
    this.#evictUnmineable()
    if (remine && blocks > 0) this.mine(1)
    this.mine(blocks - (remine ? 1 : 0), { empty: true })
    return this.height
  }

  /** Removes a transaction from the mempool. */
  evict(id: string, reason: EvictionReason = 'dropped'): void {
    if (!this.#state.inMempool(id)) throw new ChainError('txid', `transaction ${id} is not in the mempool`)
    this.#record([{ kind: 'evicted', id, reason }])
  }

  close(): void {
    this.#listeners.clear()
    this.#log.close()
  }

  #assertDroppable(id: string, fork: number): void {
    const location = this.find(id)?.location
    const mined = typeof location === 'number' && location > fork
    if (!mined && location !== 'mempool') {
      throw new ChainError('drop', `transaction ${id} is neither in the replaced blocks nor in the mempool`)
    }
    if (mined && this.block(location)!.transactions[0]!.id === id) {
      throw new ChainError('drop', `transaction ${id} is a coinbase transaction, which cannot be dropped separately`)
    }
  }

  #addForeign(): void {
    for (let i = 0; i < this.#foreignPerBlock; i++) {
      const output = { receiver: this.#foreignReceiver, value: FOREIGN_NOTE_ZAT }
      const pool = this.paymentPool
      this.add({ pool, actions: createActions(this.nextRandom(), pool, [output], this.#foreignReceiver) })
    }
  }

  #connectBlock(ids: readonly string[], options: MineOptions): void {
    const height = this.height + 1
    const time = Math.max(Math.floor(this.clock.nowMs() / 1000), this.#state.tip?.time ?? 0)
    const coinbase = this.#coinbase(height, options)
    const hash = this.#blockHash(time, [coinbase.id, ...ids])
    this.#record([{ kind: 'block', block: { height, hash, time, coinbase, ids } }])
    this.#evictUnmineable()
  }

  /** The first block of the Ironwood pool pays its miner there, because light clients reject a tree that stays empty. */
  #coinbase(height: number, { payCoinbaseTo }: MineOptions): ChainTransaction {
    const pool = this.poolAt(height)
    const receiver = payCoinbaseTo ?? (height === this.nu63Height ? this.#foreignReceiver : undefined)
    const outputs = receiver === undefined ? [] : [{ receiver, value: COINBASE_NOTE_ZAT }]
    const actions = outputs.length === 0 ? [] : createActions(this.nextRandom(), pool, outputs, this.#foreignReceiver)
    const branchId = this.branchAt(height)
    const minerOutputZat = actions.length === 0 ? COINBASE_OUTPUT_ZAT : 0n
    return finishTransaction({ pool, branchId, actions, expiryHeight: height, coinbase: true, minerOutputZat })
  }

  /** The number of created transactions serves as a nonce, so that a replacement block has another hash. */
  #blockHash(time: number, ids: readonly string[]): Uint8Array {
    const header = new TextEncoder().encode(`${this.#state.createdCount} ${time} ${ids.join(' ')}`)
    return sha256(sha256(this.#state.tip?.hash ?? new Uint8Array(32), header))
  }

  #hasNu7(height: number): boolean {
    return this.nu7Height !== null && height >= this.nu7Height
  }

  #expiryBlocks(height: number): number {
    return this.#hasNu7(height) ? EXPIRY_BLOCKS.fromNu7 : EXPIRY_BLOCKS.beforeNu7
  }

  /** Evicts the transactions that the next block cannot include: expired (ZIP 203), or from before or after an upgrade. */
  #evictUnmineable(): void {
    const branch = this.branchAt(this.height + 1)
    for (const { id, pool, branchId, expiryHeight } of this.mempool()) {
      if (expiryHeight !== 0 && expiryHeight <= this.height) this.evict(id, 'expired')
      else if (pool !== this.paymentPool) this.evict(id, 'wrong_pool')
      else if (branchId !== branch) this.evict(id, 'wrong_branch')
    }
  }

  #record(events: readonly ChainEvent[]): void {
    this.#log.append(events)
    for (const event of events) {
      this.#state.apply(event)
      for (const listener of [...this.#listeners]) listener(event)
    }
  }
}

/** The branch id as nodes write it: 8 hexadecimal digits. */
export function formatBranchId(branchId: number): string {
  return branchId.toString(16).padStart(8, '0')
}
