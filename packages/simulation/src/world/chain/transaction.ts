import type { CompactTransaction } from '@zatgate/server/domain/chain/chain'
import type { ShieldedPool } from '@zatgate/server/domain/chain/shielded-pool'

/** A note that pays an address. */
export interface WorldNote {
  /** The viewing key that decrypts it, as text. */
  readonly viewingKey: string
  readonly diversifierIndex: bigint
  readonly valueZat: bigint
  readonly pool: ShieldedPool
  readonly outputIndex: number
}

/** A transaction of a wallet, as the network knows it. */
export interface WorldTransaction {
  /** 64 hex digits. */
  readonly txid: string
  readonly notes: readonly WorldNote[]
  /** nExpiryHeight; 0: never. */
  readonly expiryHeight: number
  /** Transactions with the same value spend the same notes: only one of them can be mined. */
  readonly spends: string
}

/** A transaction without actions: the simulated note scanner knows it by its id. */
export function compact({ txid }: WorldTransaction): CompactTransaction {
  return { txid, orchard: [], ironwood: [] }
}
