import type { Clock } from '../clock.ts'
import type { SandboxNetwork } from './keys.ts'

/** How a chain is opened or created. */
export interface ChainOptions {
  /** path of the chain log; absent: in memory only */
  readonly file?: string
  /** 32 bytes; default: random. An existing chain keeps its seed */
  readonly seed?: Uint8Array
  /** the network of the keys and addresses; default: regtest. An existing chain keeps its network */
  readonly network?: SandboxNetwork
  /**
   * the first block in which payments go to the Ironwood pool; default: 0 on regtest (always), 4,134,000 on test. An
   * existing chain keeps its height
   */
  readonly nu63Height?: number
  /**
   * the first block of NU7; null: never; default: never on regtest, 4,465,026 on test. An existing chain keeps its
   * height
   */
  readonly nu7Height?: number | null
  readonly clock?: Clock
  /** number of unrelated transactions in each mined block; default: 0 */
  readonly foreignPerBlock?: number
}

/** How blocks are mined. */
export interface MineOptions {
  /** mine empty blocks and leave the mempool unchanged */
  readonly empty?: boolean
  /** an Orchard receiver (43 bytes) that the coinbase transaction of each block pays a note to */
  readonly payCoinbaseTo?: Uint8Array
}

/** The blocks that a reorganisation replaces, and their replacements. */
export interface ReorgOptions {
  /** the number of blocks to remove, 1 to the height */
  readonly depth: number
  /** ids of transactions to delete from those blocks or from the mempool */
  readonly drop?: readonly string[]
  /** the number of blocks to add; default: `depth` */
  readonly blocks?: number
  /** mine the removed transactions again in the first new block, instead of leaving them in the mempool */
  readonly remine?: boolean
}
