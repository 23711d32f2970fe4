import assert from 'node:assert/strict'
import { createServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, test } from 'node:test'
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { Chain as SandboxChain } from '@zatgate/sandbox/chain/chain'
import { NO_FAULTS } from '@zatgate/sandbox/lightwalletd/faults'
import { compactTxStreamer } from '@zatgate/sandbox/lightwalletd/service'
import {
  type CompactTx,
  CompactTxStreamer,
  type Empty,
  type GetMempoolTxRequest,
  type LightdInfo,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { createLightwalletd } from '../../../src/adapters/lightwalletd/chain.ts'
import type { ConsensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import type { Chain } from '../../../src/ports/chain.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { recordingLog } from '../../harness/log.ts'

const SEED = new Uint8Array(32).fill(5)
const NU7_HEIGHT = 12
const never = new AbortController().signal
const NU63 = { name: 'NU6.3', branchId: '37a5165b', height: 0 }
const NU7 = { name: 'NU7', branchId: '77190ad9', height: NU7_HEIGHT }
const regtest: ConsensusParams = { network: 'regtest', upgrades: [NU63, NU7] }
/** A public network with upgrade heights within the short test chain. */
const testnet: ConsensusParams = { network: 'test', upgrades: [NU63, NU7] }

let nowMs = 0
const clock: Clock = { nowMs: () => nowMs, sleep: async () => {} }
const servers: Http2Server[] = []
const chains: Chain[] = []

afterEach(async () => {
  for (const chain of chains.splice(0)) await chain.close()
  for (const server of servers.splice(0)) server.close()
})

/** A server on its own chain with configurable server info and mempool failures. */
class Server {
  readonly chain = new SandboxChain({ seed: SEED })
  info: Partial<LightdInfo> = {}
  /** Overrides the height of the newest block. */
  height: bigint | null = null
  mempoolFails = false
  infoFails = false
  down = false
  mempoolCalls = 0
  url = ''

  static async start(height: number): Promise<Server> {
    const server = new Server()
    server.chain.mine(height - server.chain.height)
    const honest = compactTxStreamer(server.chain, { ...NO_FAULTS, mempoolCacheMs: 0 })
    const service: ServiceImpl<typeof CompactTxStreamer> = {
      ...honest,
      getLatestBlock: async (request, context) => {
        const latest = await server.#respond(() => honest.getLatestBlock(request, context))
        return server.height === null ? latest : { ...latest, height: server.height }
      },
      getBlockRange: (request, context) => {
        if (request.start?.height === 0n)
          throw new ConnectError('must specify a hash or a height', Code.InvalidArgument)
        return honest.getBlockRange(request, context)
      },
      getLightdInfo: async (request: Empty, context: HandlerContext) => {
        if (server.infoFails) throw new ConnectError('no information', Code.Internal)
        const info = await server.#respond(() => honest.getLightdInfo(request, context))
        const branchId = server.chain.height >= NU7_HEIGHT ? NU7.branchId : NU63.branchId
        return { ...info, chainName: 'test', consensusBranchId: branchId, ...server.info } as LightdInfo
      },
      async *getMempoolTx(request: GetMempoolTxRequest, context: HandlerContext): AsyncGenerator<CompactTx> {
        server.mempoolCalls += 1
        if (server.mempoolFails) throw new ConnectError('unknown transaction version', Code.Unknown)
        yield* honest.getMempoolTx(request, context) as AsyncIterable<CompactTx>
      },
    }
    const listening = createServer(connectNodeAdapter({ routes: router => router.service(CompactTxStreamer, service) }))
    servers.push(listening)
    await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve))
    server.url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
    return server
  }

  #respond<T>(call: () => T): T {
    if (this.down) throw new ConnectError('down', Code.Unavailable)
    return call()
  }
}

function connect(params: ConsensusParams, ...on: Server[]) {
  const log = recordingLog()
  const chain = createLightwalletd({ urls: on.map(({ url }) => url), params, clock, log })
  chains.push(chain)
  return { chain, log }
}

/** Requests the tip `count` times like chain sync, `everyMs` apart. Returns the heights or error messages. */
async function requestTips(chain: Chain, count: number, everyMs: number): Promise<(number | string)[]> {
  const heights: (number | string)[] = []
  for (let i = 0; i < count; i++) {
    nowMs += everyMs
    const tip = await chain.tip(never).catch((error: Error) => error.message)
    heights.push(typeof tip === 'string' ? tip : tip.height)
  }
  return heights
}

async function blocksOf(chain: Chain, from: number, to: number): Promise<number[]> {
  const heights: number[] = []
  for await (const { height } of chain.blocks(from, to, never)) heights.push(height)
  return heights
}

test('an only server with an estimated lag stays in use, and the lag is reported', async () => {
  const server = await Server.start(10)
  server.info = { estimatedHeight: 160n }
  const { chain } = connect(testnet, server)
  assert.equal((await chain.tip(never)).height, 10)
  assert.deepEqual(chain.problems, [{ problem: 'estimated_lag', blocks: 150 }])
  server.info = { estimatedHeight: 60n }
  await requestTips(chain, 1, 15_000)
  assert.deepEqual(chain.problems, [])
})

test('on regtest the estimated height is ignored', async () => {
  const server = await Server.start(10)
  server.info = { estimatedHeight: 6_648_436n }
  const { chain } = connect(regtest, server)
  assert.equal((await chain.tip(never)).height, 10)
  assert.deepEqual(chain.problems, [])
})

test('a server with an estimated lag is replaced at once by a server that is ahead, and by no other', async () => {
  const [syncing, complete] = [await Server.start(5), await Server.start(10)]
  syncing.info = { estimatedHeight: 200n }
  const { chain } = connect(testnet, syncing, complete)
  assert.deepEqual(await requestTips(chain, 2, 0), ['the chain server is 5 blocks behind another server', 10])

  const [quiet, equal] = [await Server.start(10), await Server.start(10)]
  quiet.info = { estimatedHeight: 200n }
  const second = connect(testnet, quiet, equal).chain
  const { serverEpoch } = second
  assert.deepEqual(await requestTips(second, 3, 15_000), [10, 10, 10])
  assert.equal(second.serverEpoch, serverEpoch)
})

test('blocks stay readable while the mempool fails, and the third failure is reported as a problem', async () => {
  const server = await Server.start(10)
  const { chain, log } = connect(regtest, server)
  server.mempoolFails = true
  const { serverEpoch } = chain
  for (let failures = 1; failures <= 5; failures++) {
    await assert.rejects(chain.mempoolSnapshot(never), /unknown transaction version/)
    assert.equal((await chain.tip(never)).height, 10)
    assert.deepEqual(await blocksOf(chain, 9, 10), [9, 10])
    assert.deepEqual(chain.problems, failures < 3 ? [] : [{ problem: 'mempool_unreadable' }])
  }
  assert.equal(chain.serverEpoch, serverEpoch)
  assert.deepEqual(
    log.lines.map(({ message }) => message),
    ['the mempool could not be read'],
  )
  server.mempoolFails = false
  assert.deepEqual(await chain.mempoolSnapshot(never), [])
  assert.deepEqual(chain.problems, [])
})

test('when the mempool fails, another server that serves it replaces the current one for blocks too', async () => {
  const [failing, good] = [await Server.start(10), await Server.start(10)]
  const { chain } = connect(regtest, failing, good)
  await chain.tip(never)
  const { serverEpoch } = chain
  failing.mempoolFails = true
  assert.deepEqual(await chain.mempoolSnapshot(never), [])
  assert.notEqual(chain.serverEpoch, serverEpoch)
  good.chain.mine(1)
  assert.equal((await chain.tip(never)).height, 11)
  assert.equal(good.mempoolCalls, 1)
})

test('a server whose mempool fails is kept while no other serves its mempool and equal blocks', async () => {
  const [failing, other] = [await Server.start(10), await Server.start(6)]
  const { chain } = connect(regtest, failing, other)
  await chain.tip(never)
  failing.mempoolFails = true
  const { serverEpoch } = chain
  for (const change of [() => {}, () => (other.down = true), () => other.chain.mine(4)]) {
    change()
    for (let i = 0; i < 3; i++) {
      nowMs += 15_000
      await assert.rejects(chain.mempoolSnapshot(never))
      assert.equal((await chain.tip(never)).height, 10)
      assert.deepEqual(await blocksOf(chain, 10, 10), [10])
    }
  }
  assert.equal(chain.serverEpoch, serverEpoch)
  assert.deepEqual(chain.problems, [{ problem: 'mempool_unreadable' }])
})

test('while the mempool fails, the other servers are probed every 15 s at most', async () => {
  const [failing, behind] = [await Server.start(10), await Server.start(10)]
  failing.mempoolFails = true
  behind.mempoolFails = true
  const { chain } = connect(regtest, failing, behind)
  for (let i = 0; i < 9; i++) {
    nowMs += 2_000
    await assert.rejects(chain.mempoolSnapshot(never))
  }
  assert.equal(behind.mempoolCalls, 2)
})

test('a server that reports the branch of an older upgrade is refused, and the problem is reported', async () => {
  const server = await Server.start(NU7_HEIGHT)
  server.info = { consensusBranchId: NU63.branchId }
  const { chain } = connect(testnet, server)
  await assert.rejects(
    chain.tip(never),
    /does not follow NU7: at height 12 it reports the branch 37a5165b where 77190ad9/,
  )
  assert.deepEqual(chain.problems, [{ problem: 'upgrade_not_followed', upgrade: 'NU7' }])
  server.info = {}
  assert.equal((await chain.tip(never)).height, NU7_HEIGHT)
  assert.deepEqual(chain.problems, [])
})

test('on regtest the refusal names the setting that may be wrong', async () => {
  const server = await Server.start(NU7_HEIGHT)
  server.info = { consensusBranchId: NU63.branchId }
  await assert.rejects(connect(regtest, server).chain.tip(never), /check that REGTEST_NU7_HEIGHT matches this regtest/)
})

test('an unknown branch is taken for a later upgrade and accepted', async () => {
  const server = await Server.start(NU7_HEIGHT)
  server.info = { consensusBranchId: 'deadbeef' }
  const { chain } = connect(testnet, server)
  assert.equal((await chain.tip(never)).height, NU7_HEIGHT)
  assert.deepEqual(chain.problems, [])
})

test('a server that does not follow an upgrade is replaced by one that does, and no problem is reported', async () => {
  const [old, upgraded] = [await Server.start(NU7_HEIGHT), await Server.start(NU7_HEIGHT)]
  old.info = { consensusBranchId: NU63.branchId }
  const { chain } = connect(testnet, old, upgraded)
  await assert.rejects(chain.tip(never), /does not follow NU7/)
  assert.equal((await chain.tip(never)).height, NU7_HEIGHT)
  assert.deepEqual(chain.problems, [])
})

test('a server in use is inspected again and refused once its node misses an upgrade', async () => {
  const server = await Server.start(NU7_HEIGHT - 1)
  const { chain } = connect(testnet, server)
  await chain.tip(never)
  server.chain.mine(1)
  server.info = { consensusBranchId: NU63.branchId }
  const [height] = await requestTips(chain, 1, 15_000)
  assert.match(String(height), /does not follow NU7/)
  assert.deepEqual(chain.problems, [{ problem: 'upgrade_not_followed', upgrade: 'NU7' }])
})

test('a server in use that changes its network is refused; one whose inspection call fails is not', async () => {
  const server = await Server.start(10)
  const { chain } = connect(testnet, server)
  await chain.tip(never)
  server.infoFails = true
  assert.deepEqual(await requestTips(chain, 1, 15_000), [10])
  server.infoFails = false
  server.info = { chainName: 'main' }
  assert.match(String(await requestTips(chain, 1, 15_000)), /serves the chain "main"/)
})

for (const [what, info] of [
  ['the height', { blockHeight: 50n, consensusBranchId: '' }],
  ['the branch', { consensusBranchId: NU7.branchId }],
] as const) {
  test(`a server that stays before an upgrade while its node advances does not follow it (seen from ${what} of the node)`, async () => {
    const server = await Server.start(NU7_HEIGHT - 1)
    const { chain } = connect(regtest, server)
    await requestTips(chain, 3, 15_000)
    assert.deepEqual(chain.problems, [], 'regtest may be idle')
    server.info = info
    await requestTips(chain, 1, 15_000)
    assert.deepEqual(chain.problems, [], 'its cache may be some seconds old')
    assert.deepEqual(await requestTips(chain, 1, 15_000), [NU7_HEIGHT - 1])
    assert.deepEqual(chain.problems, [{ problem: 'upgrade_not_followed', upgrade: 'NU7' }])
    server.info = {}
    server.chain.mine(1)
    await requestTips(chain, 1, 15_000)
    assert.deepEqual(chain.problems, [])
  })
}

test('on a public network a server that stays before an upgrade for 20 expected intervals does not follow it', async () => {
  const server = await Server.start(NU7_HEIGHT - 1)
  const { chain } = connect(testnet, server)
  await requestTips(chain, 3, 749_000)
  assert.deepEqual(chain.problems, [])
  await requestTips(chain, 1, 15_000)
  assert.deepEqual(chain.problems, [{ problem: 'upgrade_not_followed', upgrade: 'NU7' }])
})

test('a server that stays behind its node at any other height is reported as not synced', async () => {
  const server = await Server.start(6)
  server.info = { blockHeight: 50n, consensusBranchId: NU63.branchId }
  const { chain } = connect({ ...regtest, upgrades: [NU63] }, server)
  await requestTips(chain, 2, 15_000)
  assert.deepEqual(chain.problems, [{ problem: 'not_synced', blocks: 44 }])
})

test('a server that stays one block behind another for a minute is replaced; a server that is briefly late is not', async () => {
  const [stays, other] = [await Server.start(8), await Server.start(8)]
  const { chain } = connect(regtest, stays, other)
  assert.deepEqual(await requestTips(chain, 8, 15_000), Array(8).fill(8))
  other.chain.mine(1)
  assert.deepEqual(await requestTips(chain, 3, 15_000), [8, 8, 8])
  stays.chain.mine(1)
  other.chain.mine(1)
  assert.deepEqual(await requestTips(chain, 4, 15_000), [9, 9, 9, 9])
  assert.deepEqual(await requestTips(chain, 2, 15_000), ['the chain server is 1 blocks behind another server', 10])
})

test('a chain with only the genesis block is inspected without requesting that block', async () => {
  const server = await Server.start(1)
  server.height = 0n
  server.info = { blockHeight: 0n }
  const { chain } = connect(regtest, server)
  assert.equal((await chain.tip(never)).height, 0)
})
