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
  type LightdInfo,
  LightdInfoSchema,
  PoolType,
  type RawTransaction,
  RawTransactionSchema,
  type TxFilter,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { txidToHex } from '@zatgate/zcash/transaction'
import { type Chain, formatBranchId } from '../chain/chain.ts'
import type { Block } from '../chain/chain-state.ts'
import { ALL_POOLS, compactBlock, compactTransaction, requestedPools } from '../chain/compact-block.ts'
import { type ChainTransaction, rawTransaction } from '../chain/transaction.ts'
import { ServedBlocks } from './blocks.ts'
import { distortBlock, distortTransaction, type LightwalletdFaults } from './faults.ts'
import { ServedMempool } from './mempool.ts'
import { toExcludedPrefixes, withoutExcluded } from './mempool-filter.ts'
import { NodeError, ServedNode } from './node.ts'
import type { NodeMethod } from './node-methods.ts'

/** RawTransaction.height of transactions that are not on the best chain (lightwallet-protocol 0.5.0). */
const IN_MEMPOOL = 0n
const ON_FORK = 2n ** 64n - 1n

/** The name that Zebra reports for testnet and regtest. */
const ZEBRA_CHAIN_NAME = 'test'
const SAPLING_HEIGHTS = { regtest: 1n, test: 280_000n } as const

/**
 * Service `CompactTxStreamer` of lightwallet-protocol 0.5.0 for a simulated chain, with the status codes and the messages
 * of lightwalletd (frontend/service.go, common/common.go).
 */
export function compactTxStreamer(
  chain: Chain,
  faults: LightwalletdFaults,
  node = new ServedNode(chain, faults),
  blocks = new ServedBlocks(chain, faults, node),
  mempool = new ServedMempool(node, chain.clock, faults),
): ServiceImpl<typeof CompactTxStreamer> {
  const height = () => Math.max(node.height - faults.lagBlocks, 0)

  async function callNode(method: NodeMethod, { signal }: HandlerContext, code: Code, prefix: string): Promise<void> {
    try {
      await node.call(method, signal)
    } catch (error) {
      throw error instanceof NodeError ? new ConnectError(`${prefix}${error.message}`, code) : error
    }
  }

  async function blockAt(requestedHeight: bigint, context: HandlerContext): Promise<Block> {
    const outOfRange = () =>
      new ConnectError(`GetBlock: block ${requestedHeight} is newer than the latest block`, Code.OutOfRange)
    if (faults.lagBlocks > 0 && requestedHeight > BigInt(height())) throw outOfRange()
    const cached = blocks.cached(Number(requestedHeight))
    if (cached !== undefined) return cached
    const prefix = 'GetBlock: getblock failed, error: error requesting verbose block: '
    await callNode('getblock', context, Code.InvalidArgument, prefix)
    const block = node.block(Number(requestedHeight))
    if (block === undefined) throw outOfRange()
    return block
  }

  async function info(context: HandlerContext): Promise<LightdInfo> {
    for (const method of ['getinfo', 'getblockchaininfo'] as const)
      await callNode(method, context, Code.Internal, 'GetLightdInfo failed: ')
    const upgrade = chain.upgradeAfter(height())
    return create(LightdInfoSchema, {
      version: 'v0.5.4',
      vendor: 'ECC LightWalletD',
      buildUser: 'zatgate sandbox',
      taddrSupport: true,
      chainName: faults.chainName ?? ZEBRA_CHAIN_NAME,
      saplingActivationHeight: SAPLING_HEIGHTS[chain.network],
      consensusBranchId: faults.branchId ?? formatBranchId(chain.branchAt(height())),
      blockHeight: BigInt(height()),
      estimatedHeight: BigInt(faults.estimatedHeight ?? node.estimatedHeight),
      zcashdBuild: 'v7.0.0',
      zcashdSubversion: '/Zebra:7.0.0/',
      upgradeName: upgrade?.name ?? '',
      upgradeHeight: BigInt(upgrade?.height ?? 0),
      lightwalletProtocolVersion: faults.protocolVersion,
    })
  }

  return {
    async getLatestBlock(_spec: unknown, context: HandlerContext) {
      await callNode('getblockchaininfo', context, Code.Unavailable, 'GetLatestBlock: GetBlockChainInfo failed: ')
      const { hash } = node.block(height())!
      return create(BlockIDSchema, {
        height: BigInt(height()),
        hash: faults.reverseLatestHash ? hash.toReversed() : hash,
      })
    },

    async getBlock({ height: requestedHeight, hash }: BlockID, context: HandlerContext) {
      if (hash.length > 0)
        throw new ConnectError('GetBlock: Block hash specifier is not yet implemented', Code.InvalidArgument)
      if (requestedHeight === 0n)
        throw new ConnectError('GetBlock: request for unspecified identifier', Code.InvalidArgument)
      return distortBlock(compactBlock(await blockAt(requestedHeight, context), ALL_POOLS), faults)
    },

    async *getBlockRange(range: BlockRange, context: HandlerContext): AsyncGenerator<CompactBlock> {
      const { start, end, poolTypes } = range
      if (start === undefined || end === undefined) {
        throw new ConnectError('GetBlockRange: must specify start and end heights', Code.InvalidArgument)
      }
      if (poolTypes.includes(PoolType.POOL_TYPE_INVALID)) {
        throw new ConnectError('GetBlockRange: invalid pool type requested', Code.Unknown)
      }
      const pools = requestedPools(poolTypes)
      const forward = start.height <= end.height
      const step = forward ? 1n : -1n
      let expectedHash: Uint8Array | undefined
      for (let height = start.height; height !== end.height + step; height += step) {
        const block = await blockAt(height, context)
        if (expectedHash !== undefined && Buffer.compare(expectedHash, forward ? block.prevHash : block.hash) !== 0) {
          throw new ConnectError('GetBlockRange: chain discontinuity during reorg repair', Code.Aborted)
        }
        expectedHash = forward ? block.hash : block.prevHash
        yield distortBlock(compactBlock(block, pools), faults)
      }
    },

    async getTransaction({ hash, block }: TxFilter, context: HandlerContext) {
      if (hash.length === 0) {
        const instead = block !== undefined && block.hash.length > 0 ? ', not a blockhash+num' : ''
        throw new ConnectError(`GetTransaction: specify a txid${instead}`, Code.InvalidArgument)
      }
      if (hash.length !== 32) {
        const message = `GetTransaction: transaction ID has invalid length: ${hash.length}`
        throw new ConnectError(message, Code.InvalidArgument)
      }
      const prefix = `GetTransaction: getrawtransaction ${txidToHex(hash)} failed: `
      await callNode('getrawtransaction', context, Code.NotFound, prefix)
      const found = faults.forgetTransactions ? undefined : node.find(txidToHex(hash))
      if (found === undefined) {
        throw new ConnectError(`${prefix}-5: No such mempool or main chain transaction`, Code.NotFound)
      }
      const { transaction, location } = found
      const minedAt = location === 'mempool' ? IN_MEMPOOL : location === 'fork' ? ON_FORK : BigInt(location)
      return rawMessage(transaction, minedAt)
    },

    async *getMempoolTx(request: GetMempoolTxRequest, { signal }: HandlerContext): AsyncGenerator<CompactTx> {
      const exclude = toExcludedPrefixes(request.excludeTxidSuffixes)
      if (request.poolTypes.includes(PoolType.POOL_TYPE_INVALID)) {
        throw new ConnectError('invalid pool type requested', Code.InvalidArgument)
      }
      const pools = requestedPools(request.poolTypes)
      for (const transaction of withoutExcluded(await mempool.list(signal), exclude)) {
        for (const compact of compactTransaction(transaction, 0, pools)) yield* distortTransaction(compact, faults)
      }
    },

    async *getMempoolStream(_empty: unknown, { signal }: HandlerContext): AsyncGenerator<RawTransaction> {
      if (faults.endMempoolAtOnce) return
      for await (const transaction of mempool.stream(signal)) yield rawMessage(transaction, IN_MEMPOOL)
    },

    getLightdInfo: (_empty: unknown, context: HandlerContext) => info(context),
  }
}

function rawMessage(transaction: ChainTransaction, height: bigint): RawTransaction {
  return create(RawTransactionSchema, { data: rawTransaction(transaction), height })
}
