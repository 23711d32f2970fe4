import type { Draw } from '../../runtime/draw.ts'
import { createTransaction } from '../../world/chain/wallet.ts'
import type { World } from '../../world/world.ts'

/** Broadcasts a transaction that pays one address. Returns whether the network has accepted it. */
export function sendTo(world: World, draw: Draw, address: string, valueZat: bigint): boolean {
  const { network, setup, servers } = world
  if (valueZat <= 0n) return false
  const pool = network.height + 1 >= setup.nu63Height ? 'ironwood' : 'orchard'
  const transaction = createTransaction(draw, [{ address, valueZat }], { expiryHeight: network.height + 40, pool })
  if (!network.broadcast(transaction)) return false
  for (const server of servers) server.transactionSeen(transaction)
  return true
}
