import { randomBytes } from 'node:crypto'
import { BRANCH_IDS } from '@zatgate/zcash/network'
import type { Action, Pool } from '@zatgate/zcash/note'
import { type Clock, systemClock } from '../clock.ts'
import { SeededRandom, sha256 } from '../random.ts'
import { sealActions } from './actions.ts'
import { type ChainLog, type ChainTerms, NO_LOG, NU7_HEIGHTS, openChainLog } from './chain-log.ts'
import {
  type Block,
  type ChainEvent,
  ChainState,
  type ChainView,
  type EvictionReason,
  type Place,
} from './chain-state.ts'
import { foreignReceiver, type SandboxNetwork } from './keys.ts'
import { type ChainTransaction, finishTransaction } from './transaction.ts'

export interface ChainOptions {
  /** where the chain is kept; absent: in memory only */
  readonly file?: string
  /** 32 bytes; default random. A kept chain keeps the seed it was begun with */
  readonly seed?: Uint8Array
  /** which network's keys and addresses the chain takes; default regtest. A kept chain keeps its own */
  readonly network?: SandboxNetwork
  /**
   * the first block in which payments go to the Ironwood pool; default the network's own: 0 on regtest (they always do),
   * 4,134,000 on test. A kept chain keeps its own
   */
  readonly nu63Height?: number
  /**
   * the first block of NU7, null: it never comes; default the network's own: never on regtest, 4,465,026 on test. A kept
   * chain keeps its own
   */
  readonly nu7Height?: number | null
  readonly clock?: Clock
  /** transactions between strangers in each mined block; default 0 */
  readonly foreignPerBlock?: number
}

export interface MineOptions {
  /** leave the mempool where it is */
  readonly empty?: boolean
  /** an Orchard receiver (43 bytes) that the coinbase transaction of each block pays a note to */
  readonly payCoinbaseTo?: Uint8Array
}

export interface ReorgOptions {
  /** how many blocks are taken off, 1 to the height */
  readonly depth: number
  /** ids of transactions, in those blocks or in the mempool, that vanish */
  readonly drop?: readonly string[]
  /** how many blocks take their place; default `depth` */
  readonly blocks?: number
  /** mine the transactions again in the first new block, instead of leaving them in the mempool */
  readonly remine?: boolean
}

export type ChainListener = (event: ChainEvent) => void

/** An order the chain cannot carry out. `field` names what would have to change. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

const NU63_HEIGHTS: Readonly<Record<SandboxNetwork, number>> = { regtest: 0, test: 4_134_000 }

/** How many blocks a transaction lives unmined by default, as wallets set it (ZIP 203). */
const EXPIRY_BLOCKS = { beforeNu7: 40, fromNu7: 120 }

const COINBASE_NOTE_ZAT = 1_000_000n
const COINBASE_OUTPUT_ZAT = 125_000_000n
const FOREIGN_NOTE_ZAT = 50_000_000n

/**
 * A simulated chain of regtest or testnet with real shielded notes. Every change is a list of events that is logged, applied and told
 * to the listeners, in this order, before the call that caused it returns.
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
  readonly #stranger: Uint8Array

  constructor(options: ChainOptions = {}) {
    const terms = () => newTerms(options)
    const opened = options.file === undefined ? undefined : openChainLog(options.file, terms)
    const { seed, network, nu63Height, nu7Height } = opened?.terms ?? terms()
    if (options.network !== undefined && options.network !== network) {
      throw new ChainError('network', `this chain is of the network ${network}, not ${options.network}`)
    }
    if (options.nu63Height !== undefined && options.nu63Height !== nu63Height) {
      throw new ChainError('nu63Height', `this chain has NU6.3 at height ${nu63Height}, not ${options.nu63Height}`)
    }
    if (options.nu7Height !== undefined && options.nu7Height !== nu7Height) {
      const heights = [nu7Height, options.nu7Height].map(height => height ?? 'none')
      throw new ChainError('nu7Height', `this chain has NU7 at height ${heights.join(', not ')}`)
    }
    this.seed = seed
    this.network = network
    this.nu63Height = nu63Height
    this.nu7Height = nu7Height
    this.clock = options.clock ?? systemClock
    this.#foreignPerBlock = options.foreignPerBlock ?? 0
    this.#stranger = foreignReceiver(seed)
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

  /** The pool in which the next block takes payments. */
  get paymentPool(): Pool {
    return this.poolAt(this.height + 1)
  }

  poolAt(height: number): Pool {
    return height >= this.nu63Height ? 'ironwood' : 'orchard'
  }

  /** The consensus branch id of the block at this height, and of its transactions. */
  branchAt(height: number): number {
    if (this.#hasNu7(height)) return BRANCH_IDS.nu7
    return height >= this.nu63Height ? BRANCH_IDS.nu63 : BRANCH_IDS.nu62
  }

  /** The next of NU6.3 and NU7 that a chain of this height does not have yet. */
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

  find(id: string): { transaction: ChainTransaction; place: Place } | undefined {
    return this.#state.find(id)
  }

  /** A copy of blocks, mempool and known transactions that does not change when the chain does. */
  snapshot(): ChainView {
    return new ChainState(this.#state)
  }

  /** Calls back after every event, until the returned function is called. */
  subscribe(listener: ChainListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Random bytes for the next transaction: repeatable from the seed, and never the same for two transactions. */
  nextRandom(): SeededRandom {
    return new SeededRandom(this.seed, `transaction ${this.#state.made}`)
  }

  /**
   * Puts a transaction into the mempool. It expires unmined after `expiryHeight` (default: in 40 blocks, from NU7 on in
   * 120; 0: never). Its branch id is that of the next block, which `branchId` must not contradict. Throws {@link ChainError} where the network would refuse it.
   */
  add(draft: { pool: Pool; actions: readonly Action[]; expiryHeight?: number; branchId?: number }): ChainTransaction {
    const next = this.height + 1
    const branchId = this.branchAt(next)
    const { pool, actions, expiryHeight = this.height + this.#expiryBlocks(next) } = draft
    if (pool !== this.paymentPool) {
      throw new ChainError('pool', `the next block, ${this.height + 1}, takes payments in the ${this.paymentPool} pool`)
    }
    if (draft.branchId !== undefined && draft.branchId !== branchId) {
      const [wanted, given] = [branchHex(branchId), branchHex(draft.branchId)]
      throw new ChainError('branchId', `the next block, ${next}, takes transactions of branch ${wanted}, not ${given}`)
    }
    if (expiryHeight !== 0 && expiryHeight <= this.height) {
      throw new ChainError('expiryHeight', `must be above the height, ${this.height}, or 0 for never`)
    }
    const transaction = finishTransaction({
      pool,
      branchId,
      actions,
      expiryHeight,
      coinbase: false,
      minerOutputZat: 0n,
    })
    const place = this.find(transaction.id)?.place
    if (place !== undefined && place !== 'fork') {
      throw new ChainError('txid', `transaction ${transaction.id} is in the mempool or in a block already`)
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
    for (const id of drop) this.#expectDroppable(id, fork)
    this.#record([{ kind: 'disconnected', height: fork }])
    for (const id of drop) this.evict(id)
    this.#evictDead()
    if (remine && blocks > 0) this.mine(1)
    this.mine(blocks - (remine ? 1 : 0), { empty: true })
    return this.height
  }

  /** Takes a transaction out of the mempool, as when its maker replaced it. */
  evict(id: string, reason: EvictionReason = 'dropped'): void {
    if (!this.#state.inMempool(id)) throw new ChainError('txid', `transaction ${id} is not in the mempool`)
    this.#record([{ kind: 'evicted', id, reason }])
  }

  close(): void {
    this.#listeners.clear()
    this.#log.close()
  }

  #expectDroppable(id: string, fork: number): void {
    const place = this.find(id)?.place
    const mined = typeof place === 'number' && place > fork
    if (!mined && place !== 'mempool') {
      throw new ChainError('drop', `transaction ${id} is neither in the replaced blocks nor in the mempool`)
    }
    if (mined && this.block(place)!.transactions[0]!.id === id) {
      throw new ChainError('drop', `transaction ${id} is a coinbase transaction, which goes with its block`)
    }
  }

  #addForeign(): void {
    for (let i = 0; i < this.#foreignPerBlock; i++) {
      const output = { receiver: this.#stranger, value: FOREIGN_NOTE_ZAT }
      const pool = this.paymentPool
      this.add({ pool, actions: sealActions(this.nextRandom(), pool, [output], this.#stranger) })
    }
  }

  #connectBlock(ids: readonly string[], options: MineOptions): void {
    const height = this.height + 1
    const time = Math.max(Math.floor(this.clock.nowMs() / 1000), this.#state.tip?.time ?? 0)
    const coinbase = this.#coinbase(height, options)
    const hash = this.#blockHash(time, [coinbase.id, ...ids])
    this.#record([{ kind: 'block', block: { height, hash, time, coinbase, ids } }])
    this.#evictDead()
  }

  /** The block that opens the Ironwood pool pays its miner there: light clients distrust a tree that stays empty. */
  #coinbase(height: number, { payCoinbaseTo }: MineOptions): ChainTransaction {
    const pool = this.poolAt(height)
    const receiver = payCoinbaseTo ?? (height === this.nu63Height ? this.#stranger : undefined)
    const outputs = receiver === undefined ? [] : [{ receiver, value: COINBASE_NOTE_ZAT }]
    const actions = outputs.length === 0 ? [] : sealActions(this.nextRandom(), pool, outputs, this.#stranger)
    const branchId = this.branchAt(height)
    const minerOutputZat = actions.length === 0 ? COINBASE_OUTPUT_ZAT : 0n
    return finishTransaction({ pool, branchId, actions, expiryHeight: height, coinbase: true, minerOutputZat })
  }

  /** The count of transactions made stands in for a nonce: a block that replaces one is never the same block. */
  #blockHash(time: number, ids: readonly string[]): Uint8Array {
    const header = new TextEncoder().encode(`${this.#state.made} ${time} ${ids.join(' ')}`)
    return sha256(sha256(this.#state.tip?.hash ?? new Uint8Array(32), header))
  }

  #hasNu7(height: number): boolean {
    return this.nu7Height !== null && height >= this.nu7Height
  }

  #expiryBlocks(height: number): number {
    return this.#hasNu7(height) ? EXPIRY_BLOCKS.fromNu7 : EXPIRY_BLOCKS.beforeNu7
  }

  /** What the next block could not take leaves the mempool: expired (ZIP 203), or of the other side of an upgrade. */
  #evictDead(): void {
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

function newTerms(options: ChainOptions): ChainTerms {
  const { seed, network = 'regtest', nu63Height = NU63_HEIGHTS[network], nu7Height = NU7_HEIGHTS[network] } = options
  if (nu7Height !== null && nu7Height < nu63Height) {
    throw new ChainError('nu7Height', `NU7 cannot come before NU6.3, which is at height ${nu63Height}`)
  }
  return { seed: seed ?? new Uint8Array(randomBytes(32)), network, nu63Height, nu7Height }
}

/** As nodes write it: 8 hexadecimal digits. */
export function branchHex(branchId: number): string {
  return branchId.toString(16).padStart(8, '0')
}
