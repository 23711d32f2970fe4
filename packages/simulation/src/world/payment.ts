import type { Draw } from '../runtime/draw.ts'
import type { WorldTransaction } from './chain/transaction.ts'
import { createTransaction, type WalletOutput } from './chain/wallet.ts'
import type { World } from './world.ts'

export interface PaymentOptions {
  /** Default: 40 blocks from now. 0: the transaction never expires. */
  readonly expiryHeight?: number
  /** The transaction whose notes it spends again. */
  readonly spends?: string
  /** Whether the mempool streams show it. Default: true. */
  readonly streamed?: boolean
}

/** A wallet broadcasts a transaction with these outputs. Null when the network does not accept it. */
export function pay(
  world: World,
  draw: Draw,
  outputs: readonly WalletOutput[],
  { expiryHeight = world.network.height + 40, streamed = true, ...options }: PaymentOptions = {},
): WorldTransaction | null {
  const { network } = world
  const paid = outputs.filter(({ valueZat }) => valueZat > 0n)
  if (paid.length === 0) return null
  const pool = network.poolAt(network.height + 1)
  const transaction = createTransaction(draw, paid, { expiryHeight, pool, ...options })
  if (!streamed) for (const server of world.servers) server.unstreamed.add(transaction.txid)
  return world.broadcast(transaction) ? transaction : null
}
