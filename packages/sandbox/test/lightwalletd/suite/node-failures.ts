import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { Code } from '@connectrpc/connect'
import type { CompactBlock } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { collect, display, eventually, failsWith, internal, timedTests, tolerance } from './assertions.ts'
import { type StartServer, serverAt } from './server-under-test.ts'

/** The duration of ten attempts, with delays of 0.5 s, 1 s and so on between them. */
const ATTEMPTS_MS = 22_500
const POLL_MS = 2_000
const SLACK_MS = 1_500

/** The effects of a failing node on each call and on the process. */
export function nodeFailureSuite(start: StartServer): void {
  describe('a failing node', { concurrency: 1 }, () => {
    const server = serverAt(start, 30)
    const prepare = async () => {
      await server().setNodeDown(false)
      await server().failNode(null)
      await server().restart()
    }
    const timed = timedTests(server, prepare)

    timed('each call that needs it fails with its own code, and cached blocks are served', async () => {
      const { client } = server()
      const failed = '-1: injected fault'
      await server().failNode('getblockchaininfo')
      const latest = new RegExp(`^GetLatestBlock: GetBlockChainInfo failed: ${failed}$`)
      await failsWith(client.getLatestBlock({}), Code.Unavailable, latest)
      const info = new RegExp(`^GetLightdInfo failed: ${failed}$`)
      await failsWith(client.getLightdInfo({}), Code.Internal, info)
      await server().failNode('getinfo')
      await failsWith(client.getLightdInfo({}), Code.Internal, info)
      await server().failNode('getrawtransaction')
      const txid = server().block(5).txids[0]!
      const notFound = new RegExp(`^GetTransaction: getrawtransaction ${txid} failed: ${failed}$`)
      await failsWith(client.getTransaction({ hash: internal(txid) }), Code.NotFound, notFound)
      const last = server().height
      await server().failNode('getblock')
      assert.equal((await client.getBlock({ height: BigInt(last) })).height, BigInt(last))
      await server().mine()
      const fetchFailed = new RegExp(`^GetBlock: getblock failed, error: error requesting verbose block: ${failed}$`)
      await failsWith(client.getBlock({ height: BigInt(last + 1) }), Code.InvalidArgument, fetchFailed)
      const received: CompactBlock[] = []
      const range = { start: { height: BigInt(last) }, end: { height: BigInt(last + 1) } }
      await failsWith(collect(client.getBlockRange(range), received), Code.InvalidArgument, fetchFailed)
      assert.equal(received.length, 1)
    })

    timed('an error of getbestblockhash ends the process within 2 s and cuts its connections', async () => {
      await collect(server().client.getMempoolStream({}))
      const broken = collect(server().client.getMempoolStream({})).then(
        () => 'ended',
        () => 'broken',
      )
      await server().client.getLatestBlock({})
      await server().failNode('getbestblockhash')
      await server().client.getLatestBlock({})
      const ms = await eventually(server(), 'the end of the process', () => !server().running)
      assert.ok(ms <= POLL_MS + tolerance(server(), SLACK_MS), `${ms} ms`)
      assert.equal(await broken, 'broken')
      await failsWith(server().connect().getLatestBlock({}), Code.Unavailable, /./)
      await server().failNode(null)
      await server().restart()
      assert.equal((await server().client.getLatestBlock({})).height, BigInt(server().height))
    })

    timed('a restarted process has the same address and an empty mempool cache', async () => {
      const { txid } = server().unmined[0]!
      await server().setMempool([txid])
      const listed = async () => (await collect(server().client.getMempoolTx({}))).map(tx => display(tx.txid))
      assert.deepEqual(await listed(), [txid])
      await server().setMempool([])
      const { url } = server()
      await server().restart()
      assert.equal(server().url, url)
      assert.deepEqual(await listed(), [], 'immediate request')
      assert.deepEqual(await collect(server().client.getMempoolStream({})), [], 'ended immediately')
    })

    timed(
      'a node that is down: cached blocks are served, other calls fail after 22.5 s, then the process exits and cuts its connections',
      async () => {
        const { client } = server()
        await collect(client.getMempoolStream({}))
        const cut = assert.rejects(collect(client.getMempoolStream({})))
        await client.getLatestBlock({})
        await server().setNodeDown(true)
        await server().mine()
        assert.equal((await client.getBlock({ height: 3n })).height, 3n)
        const failing = Promise.all([
          failsWith(
            client.getLatestBlock({}),
            Code.Unavailable,
            /^GetLatestBlock: GetBlockChainInfo failed: Post "http/,
          ),
          failsWith(client.getLightdInfo({}), Code.Internal, /^GetLightdInfo failed: Post "http/),
          failsWith(collect(client.getMempoolTx({})), Code.Internal, /^GetMempoolTx: getrawmempool error: Post "http/),
          failsWith(
            client.getBlock({ height: BigInt(server().height) }),
            Code.InvalidArgument,
            /^GetBlock: getblock failed, error: error requesting verbose block: Post "http/,
          ),
        ])
        const slackMs = tolerance(server(), SLACK_MS)
        await server().pass(ATTEMPTS_MS - slackMs)
        assert.equal(server().running, true)
        assert.equal((await client.getBlock({ height: 3n })).height, 3n)
        const ms = await eventually(server(), 'the end of the process', () => !server().running)
        assert.ok(ms <= POLL_MS + 2 * slackMs, `${ms} ms`)
        await Promise.all([failing, cut])
        await failsWith(server().connect().getLatestBlock({}), Code.Unavailable, /./)
      },
    )
  })
}
