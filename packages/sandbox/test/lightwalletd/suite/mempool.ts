import assert from 'node:assert/strict'
import { before, describe } from 'node:test'
import { Code } from '@connectrpc/connect'
import { PoolType, type RawTransaction } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { parseTransaction } from '@zatgate/zcash/transaction'
import { assertCompactActions, collect, display, eventually, failsWith, internal, timedTests } from './assertions.ts'
import { type StartServer, serverAt } from './server-under-test.ts'

/** The cache time of the server, and the tolerance of measurements. */
const CACHE_MS = 2_000
const SLACK_MS = 600

const UNKNOWN_POOL = 9 as PoolType

/** GetMempoolTx and GetMempoolStream. */
export function mempoolSuite(start: StartServer): void {
  describe('GetMempoolTx', { concurrency: 1 }, () => {
    const server = serverAt(start, 30)
    let txids: string[]
    before(() => {
      txids = server().unmined.map(({ txid }) => txid)
    })
    const prepare = async () => {
      await server().failNode(null)
      await server().setMempool([])
      await server().pass(CACHE_MS + 50)
      assert.deepEqual(await list(), [])
    }
    const timed = timedTests(server, prepare)

    const listed = (request: { poolTypes?: PoolType[]; excludeTxidSuffixes?: Uint8Array[] } = {}) =>
      collect(server().client.getMempoolTx(request))
    const list = async () => (await listed()).map(({ txid }) => display(txid))

    timed('returns the cached list to all clients for 2 s and then refreshes it', async () => {
      await server().setMempool(txids)
      await server().pass(CACHE_MS - SLACK_MS)
      assert.deepEqual(await list(), [])
      const other = await collect(server().connect().getMempoolTx({}))
      assert.deepEqual(other, [])
      await server().pass(SLACK_MS)
      assert.deepEqual(await list(), txids.toSorted())
      await server().setMempool([])
      assert.equal((await list()).length, txids.length)
      await server().pass(CACHE_MS)
      assert.deepEqual(await list(), [])
    })

    timed('is sorted by txid in display order and is not refreshed by a block', async () => {
      await server().setMempool(txids.toSorted().reverse())
      await server().pass(CACHE_MS)
      assert.deepEqual(await list(), txids.toSorted())
      await server().mine()
      await server().setMempool([])
      assert.deepEqual(await list(), txids.toSorted())
    })

    timed('contains compact transactions without position, fee and transparent parts', async () => {
      await server().setMempool(txids)
      await server().pass(CACHE_MS)
      for (const transaction of await listed()) {
        const { raw } = server().unmined.find(({ txid }) => txid === display(transaction.txid))!
        const { orchard, ironwood, saplingOutputs } = parseTransaction(raw)
        const { index, fee, vin, vout, spends, outputs, actions, ironwoodActions } = transaction
        assert.deepEqual([index, fee, vin.length, vout.length, spends.length], [0n, 0, 0, 0, 0])
        assert.deepEqual(
          [outputs.length, actions.length, ironwoodActions.length],
          [saplingOutputs, orchard.length, ironwood.length],
        )
        assertCompactActions(ironwoodActions, ironwood)
      }
    })

    timed(
      'contains the parts of the requested pools; an invalid pool is INVALID_ARGUMENT, an unknown pool is empty',
      async () => {
        await server().setMempool(txids)
        await server().pass(CACHE_MS)
        const counts = async (...poolTypes: PoolType[]) => (await listed({ poolTypes })).length
        assert.equal(await counts(PoolType.IRONWOOD), txids.length)
        assert.equal(await counts(PoolType.ORCHARD, PoolType.IRONWOOD), txids.length)
        const orchard = server().unmined.filter(({ raw }) => parseTransaction(raw).orchard.length > 0)
        assert.equal(await counts(PoolType.ORCHARD), orchard.length)
        assert.deepEqual([await counts(PoolType.TRANSPARENT), await counts(UNKNOWN_POOL)], [0, 0])
        await failsWith(
          listed({ poolTypes: [PoolType.IRONWOOD, PoolType.POOL_TYPE_INVALID] }),
          Code.InvalidArgument,
          /^invalid pool type requested$/,
        )
      },
    )

    timed('excludes the single transaction that matches a txid suffix of any length', async () => {
      await server().setMempool(txids)
      await server().pass(CACHE_MS)
      assert.deepEqual(await list(), txids.toSorted())
      const [first, second] = txids.map(internal)
      const rest = async (...excludeTxidSuffixes: Uint8Array[]) =>
        (await listed({ excludeTxidSuffixes })).map(({ txid }) => display(txid))
      const without = (...gone: string[]) => txids.toSorted().filter(txid => !gone.includes(txid))
      for (const length of [1, 4, 31, 32])
        assert.deepEqual(await rest(first!.subarray(32 - length)), without(txids[0]!), `${length} bytes`)
      assert.deepEqual(await rest(first!, second!.subarray(28)), without(txids[0]!, txids[1]!))
      assert.deepEqual(await rest(first!, first!), without(txids[0]!), 'the same suffix twice')
      assert.deepEqual(await rest(first!.subarray(0, 4)), without(), 'a prefix is not a suffix')
      assert.deepEqual(await rest(new Uint8Array(0)), without(), 'an empty suffix matches all')
      assert.deepEqual(await rest(new Uint8Array(0), first!), without(), 'and hides the other suffixes')
      await server().setMempool([txids[0]!])
      await server().pass(CACHE_MS)
      await list()
      assert.deepEqual(await rest(new Uint8Array(0)), [], 'an empty suffix matches the only transaction')
    })

    timed('rejects suffixes longer than a txid and more than 20,000 suffixes', async () => {
      await failsWith(
        listed({ excludeTxidSuffixes: [new Uint8Array(4), new Uint8Array(33)] }),
        Code.InvalidArgument,
        /^exclude txid 1 is larger than 32 bytes$/,
      )
      await failsWith(
        listed({ excludeTxidSuffixes: Array.from({ length: 20_001 }, () => new Uint8Array(1)) }),
        Code.InvalidArgument,
        /^GetMempoolTx: too many exclude txid suffixes: 20001 \(limit 20000\)$/,
      )
      assert.deepEqual(await listed({ excludeTxidSuffixes: Array(20_000).fill(new Uint8Array(1)) }), [])
    })

    timed(
      'fails with INTERNAL when the node fails; that counts as a refresh, so the next call returns the cached list',
      async () => {
        await server().setMempool(txids)
        await server().failNode('getrawmempool')
        await server().pass(CACHE_MS)
        const message = /^GetMempoolTx: getrawmempool error: -1: injected fault$/
        await failsWith(list(), Code.Internal, message)
        assert.deepEqual(await list(), [])
        await server().failNode(null)
        assert.deepEqual(await list(), [])
        await server().pass(CACHE_MS)
        assert.deepEqual(await list(), txids.toSorted())
      },
    )

    timed('leaves out a transaction that cannot be fetched until it can', async () => {
      await server().setMempool(txids.slice(0, 1))
      await server().pass(CACHE_MS)
      assert.deepEqual(await list(), txids.slice(0, 1))
      await server().failNode('getrawtransaction')
      await server().setMempool(txids)
      await server().pass(CACHE_MS)
      assert.deepEqual(await list(), txids.slice(0, 1), 'known transactions are kept')
      await server().failNode(null)
      await server().pass(CACHE_MS)
      assert.deepEqual(await list(), txids.toSorted())
    })
  })

  describe('GetMempoolStream', { concurrency: 1 }, () => {
    const server = serverAt(start, 30)
    let first: string
    let second: string
    before(() => {
      ;[first, second] = server().unmined.map(({ txid }) => txid) as [string, string]
    })
    const prepare = async () => {
      await server().failNode(null)
      await server().setMempool([])
      await server().restart()
    }
    const timed = timedTests(server, prepare)

    const txidOf = ({ data, height }: RawTransaction) => {
      assert.equal(height, 0n)
      return display(parseTransaction(data).txid)
    }

    /** Opens a stream and records its messages. */
    function open(client = server().client) {
      const stream = { received: [] as string[], ended: false, error: undefined as unknown }
      const reading = (async () => {
        try {
          for await (const message of client.getMempoolStream({})) stream.received.push(txidOf(message))
        } catch (error) {
          stream.error = error
        }
        stream.ended = true
      })()
      return Object.assign(stream, { reading })
    }

    timed(
      'ends immediately when it makes the server notice a new block, as the first stream of a process does',
      async () => {
        await server().setMempool([first])
        assert.deepEqual(await collect(server().client.getMempoolStream({})), [])
        const next = open()
        await eventually(server(), 'the transaction', () => next.received.length > 0)
        assert.deepEqual([next.received, next.ended], [[first], false])
      },
    )

    timed('sends each transaction once to every client within 2 s and ends after the next block', async () => {
      await collect(server().client.getMempoolStream({}))
      await server().setMempool([first])
      const streams = [open(), open(server().connect())]
      await eventually(server(), 'the first transaction', () => streams.every(({ received }) => received.length === 1))
      await server().setMempool([first, second])
      const ms = await eventually(server(), 'the second', () => streams.every(({ received }) => received.length === 2))
      assert.ok(ms <= CACHE_MS + SLACK_MS, `${ms} ms`)
      for (const { received, ended } of streams) assert.deepEqual([received, ended], [[first, second], false])
      await server().mine()
      const late = await eventually(server(), 'the end', () => streams.every(({ ended }) => ended))
      assert.ok(late <= CACHE_MS + SLACK_MS, `${late} ms`)
      for (const { received, error } of streams) assert.deepEqual([received, error], [[first, second], undefined])
    })

    timed(
      'sends everything again on a new stream, including transactions that left the mempool since the last block',
      async () => {
        await collect(server().client.getMempoolStream({}))
        await server().setMempool([first])
        const before = open()
        await eventually(server(), 'the first', () => before.received.length === 1)
        await server().setMempool([second])
        await eventually(server(), 'the second', () => before.received.length === 2)
        const again = open()
        await eventually(server(), 'both', () => again.received.length === 2)
        assert.deepEqual(again.received, [first, second])
      },
    )

    timed(
      'ends within 2 s if opened after a block that the server has not noticed; later streams start anew',
      async () => {
        await collect(server().client.getMempoolStream({}))
        await server().setMempool([first])
        const before = open()
        await eventually(server(), 'the first', () => before.received.length === 1)
        await server().mine()
        await server().setMempool([second])
        const late = open()
        await eventually(server(), 'the end', () => late.ended && before.ended)
        assert.deepEqual(late.received, [first], 'the interval of the previous block')
        const next = open()
        await eventually(server(), 'the second', () => next.received.length > 0)
        assert.deepEqual(next.received, [second])
      },
    )

    timed('fails with UNKNOWN when the node fails, and a new stream continues the interval', async () => {
      await collect(server().client.getMempoolStream({}))
      for (const method of ['getblockchaininfo', 'getrawmempool'] as const) {
        await server().failNode(method)
        await failsWith(collect(server().client.getMempoolStream({})), Code.Unknown, /^-1: injected fault$/)
        await server().failNode(null)
        await server().setMempool([first])
        const next = open()
        await eventually(server(), 'the first', () => next.received.length > 0)
        assert.deepEqual(next.received, [first])
        await server().pass(CACHE_MS)
        await server().failNode(method)
        await eventually(server(), 'the failure', () => next.ended)
        await failsWith(Promise.reject(next.error), Code.Unknown, /^-1: injected fault$/)
        await server().pass(CACHE_MS)
      }
    })

    timed('does not send a transaction that left the mempool between two refreshes', async () => {
      await collect(server().client.getMempoolStream({}))
      const stream = open()
      await server().pass(500)
      await server().setMempool([first])
      await server().setMempool([second])
      await eventually(server(), 'the second', () => stream.received.length > 0)
      assert.deepEqual(stream.received, [second])
    })

    timed('does not send a transaction that could not be fetched until the next block', async () => {
      await collect(server().client.getMempoolStream({}))
      await server().failNode('getrawtransaction')
      await server().setMempool([first])
      const stream = open()
      await server().pass(500)
      await server().failNode(null)
      await server().setMempool([first, second])
      await eventually(server(), 'the second', () => stream.received.length > 0)
      assert.deepEqual(stream.received, [second])
      await server().mine()
      await eventually(server(), 'the end', () => stream.ended)
      const next = open()
      await eventually(server(), 'both', () => next.received.length === 2)
      assert.deepEqual(next.received.toSorted(), [first, second].toSorted())
    })
  })
}
