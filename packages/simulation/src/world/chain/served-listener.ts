import type { Owner } from '../../runtime/scheduler.ts'
import type { WorldBlock } from './network.ts'
import type { WorldTransaction } from './transaction.ts'

type Transactions = readonly WorldTransaction[]

/** A chain server, as far as a listener needs it. */
export interface ServingServer {
  readonly name: string
  /** Whether it does not serve the newest state of the network. */
  readonly isBehind: boolean
}

/** Called with everything that a server has served: the truth about what a process could see. */
export interface ServedListener {
  tip(process: Owner, server: ServingServer): void
  /** @param outdated transactions that the node has by now, and that the list of a moment ago lacks */
  mempool(process: Owner, server: ServingServer, transactions: Transactions, outdated: Transactions): void
  /** A mempool that a process reads to compare the servers: no sync records it. */
  comparedMempool(transactions: Transactions): void
  streamed(process: Owner, server: ServingServer, transaction: WorldTransaction): void
  block(process: Owner, block: WorldBlock): void
}
