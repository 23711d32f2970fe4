import { consensusParams } from '@zatgate/server/domain/chain/network-upgrade'
import { Scheduler } from '../../src/runtime/scheduler.ts'
import { ChainServer } from '../../src/world/chain/chain-server.ts'
import { Network } from '../../src/world/chain/network.ts'
import { ServedTransactions } from '../../src/world/chain/served.ts'
import type { WorldTransaction } from '../../src/world/chain/transaction.ts'

export const START_SECS = 1_800_000_000

/** A network of ten blocks, on which Ironwood is active from `nu63Height` on. */
export function createNetwork(nu63Height = 0): Network {
  return new Network({ time: START_SECS, height: 9, spacingSecs: 75 }, nu63Height)
}

/** A transaction that pays 100 zat to the address 1 of the viewing key `uview-1`. */
export function transaction(name: string, changes: Partial<WorldTransaction> = {}): WorldTransaction {
  const txid = Buffer.from(name).toString('hex').padEnd(64, '0')
  const note = {
    viewingKey: 'uview-1',
    diversifierIndex: 1n,
    valueZat: 100n,
    pool: 'ironwood',
    outputIndex: 0,
  } as const
  return { txid, notes: [note], expiryHeight: 0, spends: txid, ...changes }
}

/** A network with one server, without switches between tasks. */
export function createServer() {
  const network = createNetwork()
  const scheduler = new Scheduler(1, START_SECS * 1000)
  scheduler.switchRate = 0
  const served = new ServedTransactions(() => scheduler.nowMs)
  const params = consensusParams('regtest', { nu63Height: 0, nu7Height: null })
  const server = new ChainServer('server 1', { network, scheduler, params, served })
  const client = server.connect()
  const { signal } = new AbortController()
  const readMempool = async () => (await client.mempool(signal)).map(({ txid }) => txid)
  return { network, scheduler, served, server, client, signal, readMempool }
}
