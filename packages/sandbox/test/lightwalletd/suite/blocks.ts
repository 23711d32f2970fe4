import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Code } from '@connectrpc/connect'
import { type CompactBlock, type CompactTx, PoolType } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { collect, display, eventually, failsWith, inTime } from './assertions.ts'
import { FORK_HEIGHT, type ServerUnderTest, type StartServer } from './server-under-test.ts'

const HEIGHT = 30
const ALL_POOLS = [PoolType.TRANSPARENT, PoolType.SAPLING, PoolType.ORCHARD, PoolType.IRONWOOD]
const SHIELDED = ALL_POOLS.slice(1)
const UNKNOWN_POOL = 9 as PoolType

/** GetBlock, GetBlockRange and GetLatestBlock. */
export function blockSuite(start: StartServer): void {
  describe('blocks', { concurrency: 1 }, () => {
    let server: ServerUnderTest

    before(async () => {
      server = await start(HEIGHT)
    })
    after(() => server?.close())

    const range = (from: number, to: number, poolTypes: PoolType[] = []) =>
      server.client.getBlockRange({ start: { height: BigInt(from) }, end: { height: BigInt(to) }, poolTypes })
    const heights = (blocks: readonly CompactBlock[]) => blocks.map(({ height }) => Number(height))

    test('GetLatestBlock returns the height and the hash of the tip, in internal byte order', async () => {
      const { height, hash } = await server.client.getLatestBlock({})
      assert.deepEqual([height, display(hash)], [BigInt(HEIGHT), server.block(HEIGHT).hash])
    })

    test('a range from 0 returns every block in order, with the hashes, time and tree sizes of the chain', async () => {
      const blocks = await collect(range(0, HEIGHT))
      assert.deepEqual(
        heights(blocks),
        Array.from({ length: HEIGHT + 1 }, (_, height) => height),
      )
      for (const block of blocks) {
        const expected = server.block(Number(block.height))
        const parent = block.height === 0n ? '00'.repeat(32) : server.block(Number(block.height) - 1).hash
        assert.deepEqual(
          [display(block.hash), display(block.prevHash), block.time],
          [expected.hash, parent, expected.time],
        )
        assert.deepEqual([block.protoVersion, block.header.length], [0, 0])
        const metadata = block.chainMetadata!
        assert.deepEqual(
          [metadata.saplingCommitmentTreeSize, metadata.orchardCommitmentTreeSize, metadata.ironwoodCommitmentTreeSize],
          [expected.trees.sapling, expected.trees.orchard, expected.trees.ironwood],
        )
      }
    })

    test('transactions are in block order, with position and txid and without fee', async () => {
      let several = 0
      for (const { height, vtx } of await collect(range(1, HEIGHT))) {
        const { txids } = server.block(Number(height))
        const positions = vtx.map(({ index }) => Number(index))
        assert.deepEqual(
          positions,
          positions.toSorted((a, b) => a - b),
        )
        for (const { index, txid, fee } of vtx) assert.deepEqual([display(txid), fee], [txids[Number(index)], 0])
        if (vtx.some(({ index }) => index > 0n)) several++
      }
      assert.ok(several >= 3, 'the chain has blocks with more than a coinbase transaction')
    })

    test('trees grow by the outputs and actions of each block, and all fields have their full length', async () => {
      let previous = { sapling: 0, orchard: 0, ironwood: 0 }
      for (const { height, vtx } of await collect(range(1, HEIGHT))) {
        const { trees } = server.block(Number(height))
        assert.deepEqual(
          {
            sapling: previous.sapling + vtx.flatMap(({ outputs }) => outputs).length,
            orchard: previous.orchard + vtx.flatMap(({ actions }) => actions).length,
            ironwood: previous.ironwood + vtx.flatMap(({ ironwoodActions }) => ironwoodActions).length,
          },
          trees,
        )
        previous = trees
        for (const action of vtx.flatMap(tx => [...tx.actions, ...tx.ironwoodActions])) {
          const { nullifier, cmx, ephemeralKey, ciphertext } = action
          assert.deepEqual([nullifier, cmx, ephemeralKey, ciphertext].map(lengthOf), [32, 32, 32, 52])
        }
      }
      assert.ok(previous.orchard > 0 && previous.ironwood > 0)
    })

    test('GetBlock returns the same block as a range with all pools', async () => {
      for (const height of [1, 5, 9, 13, 23, 24, 25, 26, HEIGHT]) {
        const [block] = await collect(range(height, height, ALL_POOLS))
        assert.deepEqual(await server.client.getBlock({ height: BigInt(height) }), block)
      }
    })

    test('only the requested pools are sent, empty transactions are left out, and all blocks are sent', async () => {
      const all = await collect(range(1, HEIGHT, ALL_POOLS))
      for (const poolTypes of [
        ...ALL_POOLS.map(pool => [pool]),
        [PoolType.TRANSPARENT, PoolType.IRONWOOD],
        [UNKNOWN_POOL],
        [],
      ]) {
        const wanted = poolTypes.length === 0 ? SHIELDED : poolTypes
        const expected = all.map(block => ({ ...block, vtx: block.vtx.flatMap(tx => onlyPools(tx, wanted)) }))
        assert.deepEqual(await collect(range(1, HEIGHT, poolTypes)), expected, `pools ${poolTypes}`)
      }
      await failsWith(
        collect(range(1, HEIGHT, [PoolType.ORCHARD, PoolType.POOL_TYPE_INVALID])),
        Code.Unknown,
        /^GetBlockRange: invalid pool type requested$/,
      )
    })

    test('the input of a coinbase transaction is never sent', async () => {
      for (const { vtx } of await collect(range(1, HEIGHT, ALL_POOLS)))
        for (const { index, vin } of vtx) if (index === 0n) assert.deepEqual(vin, [])
    })

    test('a descending range is sent in descending order', async () => {
      assert.deepEqual(heights(await collect(range(5, 2))), [5, 4, 3, 2])
      assert.deepEqual(heights(await collect(range(3, 3))), [3])
    })

    test('a range beyond the tip returns the existing blocks, then OUT_OF_RANGE; a descending one returns none', async () => {
      const received: CompactBlock[] = []
      const beyond = /^GetBlock: block (31|33) is newer than the latest block$/
      await failsWith(collect(range(HEIGHT - 1, HEIGHT + 3), received), Code.OutOfRange, beyond)
      assert.deepEqual(heights(received), [HEIGHT - 1, HEIGHT])
      received.length = 0
      await failsWith(collect(range(HEIGHT + 3, HEIGHT - 1), received), Code.OutOfRange, beyond)
      assert.deepEqual(received, [])
    })

    test('a range without start or end is INVALID_ARGUMENT; a hash in them is ignored', async () => {
      const message = /^GetBlockRange: must specify start and end heights$/
      await failsWith(collect(server.client.getBlockRange({ end: { height: 2n } })), Code.InvalidArgument, message)
      await failsWith(collect(server.client.getBlockRange({ start: { height: 2n } })), Code.InvalidArgument, message)
      const hash = new Uint8Array(32)
      const named = server.client.getBlockRange({ start: { height: 1n, hash }, end: { height: 2n, hash } })
      assert.deepEqual(heights(await collect(named)), [1, 2])
    })

    test('GetBlock accepts only a height above 0', async () => {
      const { client } = server
      const unspecified = /^GetBlock: request for unspecified identifier$/
      await failsWith(client.getBlock({}), Code.InvalidArgument, unspecified)
      const byHash = /^GetBlock: Block hash specifier is not yet implemented$/
      await failsWith(client.getBlock({ hash: new Uint8Array(32) }), Code.InvalidArgument, byHash)
      await failsWith(client.getBlock({ height: 3n, hash: new Uint8Array(32) }), Code.InvalidArgument, byHash)
      for (const height of [BigInt(HEIGHT + 1), 2n ** 40n]) {
        const newer = new RegExp(`^GetBlock: block ${height} is newer than the latest block$`)
        await failsWith(client.getBlock({ height }), Code.OutOfRange, newer)
      }
    })

    test('a new block is the tip and is served immediately', async () => {
      await server.polled()
      await server.mine()
      assert.equal((await server.client.getLatestBlock({})).height, BigInt(server.height))
      const block = await server.client.getBlock({ height: BigInt(server.height) })
      assert.equal(display(block.hash), server.block(server.height).hash)
    })
  })

  describe('a reorganisation', { concurrency: 1 }, () => {
    let server: ServerUnderTest
    const started: ServerUnderTest[] = []
    after(() => Promise.all(started.map(it => it.close())))

    /** Starts another server, because a chain can be reorganised only once. */
    async function startAnother(): Promise<void> {
      server = await start(FORK_HEIGHT)
      started.push(server)
    }

    const hashAt = async (height: number) => display((await server.client.getBlock({ height: BigInt(height) })).hash)

    test('replaced blocks are served for 2 s at most, and a range over old and new blocks is ABORTED where they meet', async () => {
      await startAnother()
      await inTime(() => server, replaceBlocks)
    })

    async function replaceBlocks(): Promise<void> {
      if (server.height !== FORK_HEIGHT) await startAnother()
      const { client } = server
      const replaced = server.block(FORK_HEIGHT).hash
      await server.polled()
      assert.equal(await hashAt(FORK_HEIGHT), replaced)
      await server.reorganise()
      assert.equal(server.height, FORK_HEIGHT + 1)
      const latest = await client.getLatestBlock({})
      assert.deepEqual([latest.height, display(latest.hash)], [35n, server.block(35).hash])

      assert.equal(await hashAt(FORK_HEIGHT), replaced)
      assert.equal(await hashAt(35), server.block(35).hash)
      const received: CompactBlock[] = []
      const [start, end] = [{ height: 32n }, { height: 35n }]
      const message = /^GetBlockRange: chain discontinuity during reorg repair$/
      await failsWith(collect(client.getBlockRange({ start, end }), received), Code.Aborted, message)
      assert.deepEqual(
        received.map(({ height }) => height),
        [32n, 33n, 34n],
      )
      received.length = 0
      await failsWith(collect(client.getBlockRange({ start: end, end: start }), received), Code.Aborted, message)
      assert.deepEqual(
        received.map(({ height }) => height),
        [35n],
      )

      const ms = await eventually(
        server,
        'the new block',
        async () => (await hashAt(FORK_HEIGHT)) === server.block(34).hash,
      )
      assert.ok(ms <= 2_500, `${ms} ms`)
      const blocks = await collect(client.getBlockRange({ start, end }))
      assert.deepEqual(
        blocks.map(({ hash }) => display(hash)),
        [32, 33, 34, 35].map(height => server.block(height).hash),
      )
    }
  })
}

function onlyPools(transaction: CompactTx, pools: readonly PoolType[]): CompactTx[] {
  const only = <T>(pool: PoolType, parts: T[]): T[] => (pools.includes(pool) ? parts : [])
  const left: CompactTx = {
    ...transaction,
    vin: only(PoolType.TRANSPARENT, transaction.vin),
    vout: only(PoolType.TRANSPARENT, transaction.vout),
    spends: only(PoolType.SAPLING, transaction.spends),
    outputs: only(PoolType.SAPLING, transaction.outputs),
    actions: only(PoolType.ORCHARD, transaction.actions),
    ironwoodActions: only(PoolType.IRONWOOD, transaction.ironwoodActions),
  }
  const { vin, vout, spends, outputs, actions, ironwoodActions } = left
  return [vin, vout, spends, outputs, actions, ironwoodActions].some(({ length }) => length > 0) ? [left] : []
}

function lengthOf({ length }: Uint8Array): number {
  return length
}
