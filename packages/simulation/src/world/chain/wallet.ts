import type { ShieldedPool } from '@zatgate/server/domain/chain/shielded-pool'
import type { Draw } from '../../runtime/draw.ts'
import { parseAddress } from './note-scanner.ts'
import type { WorldTransaction } from './transaction.ts'

/** One output of a transaction to build. */
export interface WalletOutput {
  readonly address: string
  readonly valueZat: bigint
}

/** Builds a transaction that pays these addresses. @param spends the transaction whose notes it spends again */
export function createTransaction(
  draw: Draw,
  outputs: readonly WalletOutput[],
  options: { readonly expiryHeight: number; readonly pool: ShieldedPool; readonly spends?: string },
): WorldTransaction {
  const txid = draw.hex(32)
  const notes = outputs.map(({ address, valueZat }, outputIndex) => {
    const payee = parseAddress(address)
    if (!payee) throw new Error(`not a simulated address: ${address}`)
    return { ...payee, valueZat, pool: options.pool, outputIndex }
  })
  return { txid, notes, expiryHeight: options.expiryHeight, spends: options.spends ?? txid }
}
