import { create } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import {
  type BlockID,
  BlockIDSchema,
  type BlockRange,
  type CompactBlock,
  type CompactTx,
  type CompactTxStreamer,
  type GetMempoolTxRequest,
  LightdInfoSchema,
  type RawTransaction,
  RawTransactionSchema,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Pool } from '@zatgate/zcash/note'
import { txidToHex } from '@zatgate/zcash/transaction'
import { branchHex, type Chain } from './chain.ts'
import { compactBlock, compactTransaction, hasActionsIn, requestedPools } from './compact-block.ts'
import { distortBlock, distortTransaction, type LightwalletdFaults } from './lightwalletd-faults.ts'
import { ServedMempool } from './lightwalletd-mempool.ts'
import { ServedNode } from './lightwalletd-node.ts'
import { type ChainTransaction, rawTransaction } from './transaction.ts'

/** RawTransaction.height of what is not on the best chain (lightwallet-protocol 0.5.0). */
const IN_MEMPOOL = 0n
const ON_A_FORK = 2n ** 64n - 1n

/** Service `CompactTxStreamer` of lightwallet-protocol 0.5.0 over a simulated chain. */
export function compactTxStreamer(
  chain: Chain,
  faults: LightwalletdFaults,
  node = new ServedNode(chain, faults),
  mempool = new ServedMempool(node, chain.clock, faults),
): ServiceImpl<typeof CompactTxStreamer> {
  const height = () => Math.max(node.view.height - faults.lagBlocks, 0)

  function blockAt(wanted: bigint, pools: ReadonlySet<Pool>): CompactBlock {
    const block = wanted <= BigInt(height()) ? node.view.block(Number(wanted)) : undefined
    if (block === undefined) {
      throw new ConnectError(`block ${wanted} is above the latest block, ${height()}`, Code.OutOfRange)
    }
    return distortBlock(compactBlock(block, pools), faults)
  }

  return {
    getLatestBlock() {
      const { hash } = node.view.block(height())!
      return create(BlockIDSchema, {
        height: BigInt(height()),
        hash: faults.reverseLatestHash ? hash.toReversed() : hash,
      })
    },

    getBlock(id: BlockID) {
      if (id.hash.length > 0)
        throw new ConnectError('getting a block by its hash is not implemented', Code.Unimplemented)
      return blockAt(id.height, requestedPools([]))
    },

    async *getBlockRange({ start, end, poolTypes }: BlockRange): AsyncGenerator<CompactBlock> {
      if (start === undefined || end === undefined) {
        throw new ConnectError('a range needs its start and its end', Code.InvalidArgument)
      }
      const pools = requestedPools(poolTypes)
      const step = start.height <= end.height ? 1n : -1n
      for (let at = start.height; at !== end.height + step; at += step) yield blockAt(at, pools)
    },

    getTransaction({ hash }) {
      if (hash.length !== 32) throw new ConnectError('a transaction id is 32 bytes', Code.InvalidArgument)
      const found = faults.forgetTransactions ? undefined : node.find(txidToHex(hash))
      if (found === undefined) throw new ConnectError('no such transaction', Code.NotFound)
      const { transaction, place } = found
      const minedAt = place === 'mempool' ? IN_MEMPOOL : place === 'fork' ? ON_A_FORK : BigInt(place)
      return rawMessage(transaction, minedAt)
    },

    async *getMempoolTx({ excludeTxidSuffixes, poolTypes }: GetMempoolTxRequest): AsyncGenerator<CompactTx> {
      const pools = requestedPools(poolTypes)
      for (const transaction of withoutExcluded(mempool.list(), excludeTxidSuffixes)) {
        if (hasActionsIn(transaction, pools)) yield* distortTransaction(compactTransaction(transaction, 0), faults)
      }
    },

    async *getMempoolStream(_empty: unknown, context: HandlerContext): AsyncGenerator<RawTransaction> {
      if (faults.endMempoolAtOnce) return
      for await (const transaction of mempool.stream(context.signal)) yield rawMessage(transaction, IN_MEMPOOL)
    },

    getLightdInfo() {
      return create(LightdInfoSchema, {
        version: 'v0.5.4',
        vendor: 'zatgate sandbox',
        taddrSupport: true,
        chainName: faults.chainName ?? chain.network,
        saplingActivationHeight: 1n,
        consensusBranchId: branchHex(chain.branchAt(height())),
        blockHeight: BigInt(height()),
        estimatedHeight: BigInt(node.view.height),
        lightwalletProtocolVersion: faults.protocolVersion,
      })
    },
  }
}

function rawMessage(transaction: ChainTransaction, height: bigint): RawTransaction {
  return create(RawTransactionSchema, { data: rawTransaction(transaction), height })
}

/** A suffix that several transactions share excludes none of them, as the protocol has it. */
function withoutExcluded(mempool: readonly ChainTransaction[], suffixes: readonly Uint8Array[]): ChainTransaction[] {
  const excluded = new Set<ChainTransaction>()
  for (const suffix of suffixes) {
    const matches = mempool.filter(({ txid }) => endsWith(txid, suffix))
    if (matches.length === 1) excluded.add(matches[0]!)
  }
  return mempool.filter(transaction => !excluded.has(transaction))
}

function endsWith(txid: Uint8Array, suffix: Uint8Array): boolean {
  return Buffer.from(txid.subarray(Math.max(txid.length - suffix.length, 0))).equals(suffix)
}
