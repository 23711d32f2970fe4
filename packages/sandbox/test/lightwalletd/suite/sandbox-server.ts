import { setImmediate as nextTurn } from 'node:timers/promises'
import { txidToHex } from '@zatgate/zcash/transaction'
import { Chain } from '../../../src/chain/chain.ts'
import { type ChainTransaction, rawTransaction } from '../../../src/chain/transaction.ts'
import { Wallet } from '../../../src/chain/wallet.ts'
import { Lightwalletd } from '../../../src/lightwalletd/server.ts'
import { createClock, paymentUri, SEED } from '../../fixtures.ts'
import { Connections, type ServerUnderTest, UPGRADES } from './server-under-test.ts'

const STEP_MS = 100
/** Turns of the event loop after each time step, so that calls over loopback proceed. */
const TURNS = 5
const UNMINED = 3
const PAID_EVERY_BLOCKS = 4

/** Starts the server of the sandbox with a simulated chain that has a payment in every fourth block. */
export async function startSandboxServer(height: number): Promise<ServerUnderTest> {
  const [, nu63, nu7] = UPGRADES
  const clock = createClock()
  const chain = new Chain({ seed: SEED, clock, nu63Height: nu63!.height, nu7Height: nu7!.height })
  const wallet = new Wallet(chain)
  while (chain.height < height) {
    if (chain.height % PAID_EVERY_BLOCKS === 0) wallet.pay({ uri: paymentUri(1n) })
    clock.advance(1)
    chain.mine()
  }
  const unmined = Array.from({ length: UNMINED }, () => wallet.pay({ uri: paymentUri(2n) }))
  for (const { id } of unmined) chain.evict(id)
  const connections = new Connections()
  const server = await Lightwalletd.start(chain)
  let client = connections.connect(server.url)

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn()
      clock.advance(Math.min(STEP_MS, ms - passed) / 1000)
    }
    for (let turn = 0; turn < TURNS; turn++) await nextTurn()
  }

  return {
    get url() {
      return server.url
    },
    get client() {
      return client
    },
    get height() {
      return chain.height
    },
    block(blockHeight) {
      const { hash, time, transactions, treeSizes } = chain.block(blockHeight)!
      return {
        hash: txidToHex(hash),
        time,
        txids: transactions.map(({ id }) => id),
        trees: { sapling: 0, ...treeSizes },
      }
    },
    unmined: unmined.map(transaction => ({ txid: transaction.id, raw: rawTransaction(transaction) })),
    async mine() {
      chain.mine(1, { empty: true })
    },
    async reorganise() {
      chain.reorg({ depth: 2, blocks: 3 })
    },
    async setMempool(txids) {
      for (const { id } of chain.mempool()) if (!txids.includes(id)) chain.evict(id)
      const present = new Set(chain.mempool().map(({ id }) => id))
      for (const txid of txids) if (!present.has(txid)) wallet.rebroadcast(findTransaction(unmined, txid))
    },
    failNode: method => server.setFaults({ nodeFails: method === null ? [] : [method] }),
    setNodeDown: nodeDown => server.setFaults({ nodeDown }),
    polled: () => pass(2_000),
    pass,
    overheadMs: 0,
    get running() {
      return server.running
    },
    async restart() {
      await server.setFaults({ nodeDown: false, nodeFails: ['getbestblockhash'], blockCacheMs: 0 })
      while (server.running) await nextTurn()
      await server.setFaults({ nodeFails: [], blockCacheMs: 2_000 })
      client = connections.connect(server.url)
    },
    connect: () => connections.connect(server.url),
    async close() {
      connections.close()
      await server.close()
      chain.close()
    },
  }
}

function findTransaction(transactions: readonly ChainTransaction[], txid: string): ChainTransaction {
  return transactions.find(({ id }) => id === txid)!
}
