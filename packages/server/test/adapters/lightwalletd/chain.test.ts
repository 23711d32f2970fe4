import assert from 'node:assert/strict'
import { createSecureServer, createServer, type Http2SecureServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { create } from '@bufbuild/protobuf'
import type { ConnectRouter, ServiceImpl } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { Chain as SandboxChain } from '@zatgate/sandbox/chain/chain'
import { demoViewingKey } from '@zatgate/sandbox/chain/keys'
import { Wallet } from '@zatgate/sandbox/chain/wallet'
import { type LightwalletdFaults, NO_FAULTS } from '@zatgate/sandbox/lightwalletd/faults'
import { Lightwalletd } from '@zatgate/sandbox/lightwalletd/server'
import { compactTxStreamer } from '@zatgate/sandbox/lightwalletd/service'
import { orchardReceiver } from '@zatgate/zcash/address'
import {
  BlockRangeSchema,
  type CompactBlock,
  CompactTxStreamer,
  RawTransactionSchema,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { parseViewingKey } from '@zatgate/zcash/viewing-key'
import { createLightwalletd, type LightwalletdOptions } from '../../../src/adapters/lightwalletd/chain.ts'
import { checkContinuity } from '../../../src/domain/chain/chain.ts'
import { consensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import type { Chain } from '../../../src/ports/chain.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { makeCertificate } from '../../harness/certificate.ts'
import { recordingLog } from '../../harness/log.ts'
import { until } from '../../harness/until.ts'

const SEED = new Uint8Array(32).fill(3)
const receiver = orchardReceiver(parseViewingKey(demoViewingKey(SEED)).orchard!, 1n)
/** Without caches: tests pay and sync immediately. */
const UNCACHED: LightwalletdFaults = { ...NO_FAULTS, mempoolCacheMs: 0, blockCacheMs: 0 }
const never = new AbortController().signal

let sandbox: SandboxChain
let wallet: Wallet
let servers: Lightwalletd[]
let honest: ServiceImpl<typeof CompactTxStreamer>
const customServers: (Http2Server | Http2SecureServer)[] = []
const open: Chain[] = []

/** Advances only when a test sets it. Sleeps return at once, so that backoff takes no time. */
let nowMs = 0
const slept: number[] = []
const clock: Clock = {
  nowMs: () => nowMs,
  async sleep(ms) {
    slept.push(ms)
  },
}

before(async () => {
  sandbox = new SandboxChain({ seed: SEED })
  wallet = new Wallet(sandbox)
  servers = [await Lightwalletd.start(sandbox), await Lightwalletd.start(sandbox)]
  honest = compactTxStreamer(sandbox, UNCACHED)
  for (let i = 0; i < 5; i++) {
    wallet.send([{ receiver, value: BigInt(i + 1) }])
    sandbox.mine(2)
  }
})

beforeEach(async () => {
  for (const chain of open.splice(0)) await chain.close()
  for (const server of servers) await server.setFaults(UNCACHED)
  slept.length = 0
  nowMs = 0
})

after(async () => {
  for (const chain of open) await chain.close()
  for (const server of servers) await server.close()
  for (const server of customServers) server.close()
})

function connect(options: Partial<LightwalletdOptions> = {}) {
  const log = recordingLog()
  const urls = [servers[0]!.url]
  const chain = createLightwalletd({ urls, params: consensusParams('regtest'), clock, log, ...options })
  open.push(chain)
  return { chain, log }
}

/** Starts a correct server with some calls overridden. */
async function startServerWith(calls: Partial<ServiceImpl<typeof CompactTxStreamer>>): Promise<string> {
  const service = { ...honest, ...calls }
  const server = createServer(connectNodeAdapter({ routes: router => router.service(CompactTxStreamer, service) }))
  customServers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const both = () => servers.map(server => server.url)

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

function faults(change: Partial<LightwalletdFaults>, server = 0): Promise<void> {
  return servers[server]!.setFaults(change)
}

const display = (bytes: Uint8Array) => Buffer.from(bytes).reverse().toString('hex')

test('returns the tip and linked blocks, with hashes and txids in display byte order', async () => {
  const { chain } = connect()
  const { height, hash } = sandbox.tip
  assert.deepEqual(await chain.tip(never), { height, hash: display(hash) })
  const blocks = await all(chain.blocks(0, sandbox.height, never))
  assert.equal(blocks.length, sandbox.height + 1)
  for (const [height, block] of blocks.entries()) {
    assert.equal(block.hash, display(sandbox.block(height)!.hash))
    if (height > 0) assert.equal(checkContinuity(blocks[height - 1]!, block), null)
  }
  assert.deepEqual(
    blocks[2]!.transactions.map(({ txid }) => txid),
    sandbox.block(2)!.transactions.flatMap(({ id, coinbase }) => (coinbase ? [] : [id])),
    'transactions without shielded outputs are left out by the server',
  )
})

test('a tip without a hash is accepted', async () => {
  const url = await startServerWith({ getLatestBlock: () => ({ height: BigInt(sandbox.height) }) })
  assert.deepEqual(await connect({ urls: [url] }).chain.tip(never), { height: sandbox.height, hash: null })
})

test('blocks whose transactions all have index 0 are accepted', async () => {
  const url = await startServerWith({
    async *getBlockRange(request, context) {
      for await (const block of honest.getBlockRange(request, context) as AsyncIterable<CompactBlock>) {
        for (const transaction of block.vtx) transaction.index = 0n
        yield block
      }
    },
  })
  const received = await all(connect({ urls: [url] }).chain.blocks(1, 3, never))
  assert.deepEqual(received, await all(connect().chain.blocks(1, 3, never)))
})

test('a range past the tip ends at the tip without an error', async () => {
  const { chain } = connect()
  const blocks = await all(chain.blocks(sandbox.height - 1, sandbox.height + 50, never))
  assert.deepEqual(
    blocks.map(block => block.height),
    [sandbox.height - 1, sandbox.height],
  )
  assert.deepEqual(await all(chain.blocks(sandbox.height + 1, sandbox.height + 2, never)), [])
})

test('an interrupted range resumes after the last block, without duplicates or gaps, and gives up in the end', async () => {
  const { chain } = connect()
  const heights: number[] = []
  const read = async () => {
    for await (const block of chain.blocks(heights.length, sandbox.height, never)) heights.push(block.height)
  }
  await chain.tip(never)
  await faults({ cutStreamAfter: 3 })
  // The network decides how much of a stream arrives before its reset.
  await read().catch(error => assert.match(error.message, /INTERNAL_ERROR/))
  assert.ok(slept.length >= 2)
  await faults({ cutStreamAfter: null })
  await read()
  assert.deepEqual(
    heights,
    Array.from({ length: sandbox.height + 1 }, (_, height) => height),
  )
})

for (const fault of ['unavailable', 'aborted', 'internal'] as const) {
  test(`two ${fault} errors are retried with growing, jittered delays; the third rejects`, async () => {
    const { chain, log } = connect()
    await chain.tip(never)
    await faults({ [fault]: 2 })
    assert.equal((await chain.tip(never)).height, sandbox.height)
    assert.equal(slept.length, 2)
    assert.ok(slept[0]! >= 100 && slept[0]! <= 200 && slept[1]! >= 200 && slept[1]! <= 400, slept.join())
    await faults({ [fault]: 3 })
    await assert.rejects(chain.tip(never))
    assert.deepEqual(
      log.lines.map(line => line.message),
      ['the chain server failed'],
    )
    assert.equal((await chain.tip(never)).height, sandbox.height, 'the next call starts a new session')
  })
}

test('a call to a server that does not respond ends at its deadline', async () => {
  const { chain } = connect({ deadlines: { unaryMs: 50, rangeMs: 50, snapshotMs: 50 } })
  for (const call of [
    () => chain.tip(never),
    () => all(chain.blocks(1, 3, never)),
    () => chain.mempoolSnapshot(never),
  ]) {
    await faults({ hang: false })
    await chain.tip(never)
    slept.length = 0
    await faults({ hang: true })
    await assert.rejects(call(), /deadline|timed out|timeout/i)
    assert.equal(slept.length, 2)
  }
})

test('an abort ends a call to a hanging server at once and does not end the session', async () => {
  const { chain, log } = connect()
  await faults({ hang: true })
  const stopping = new AbortController()
  const call = chain.tip(stopping.signal)
  stopping.abort(new Error('stopped'))
  await assert.rejects(call, /stopped/)
  await assert.rejects(chain.tip(stopping.signal), /stopped/)
  assert.deepEqual(log.lines, [])
})

test('a server of another network is refused, and the error names both networks', async () => {
  await faults({ chainName: 'main' })
  const { chain } = connect()
  await assert.rejects(chain.tip(never), /serves the chain "main", but this service is on "regtest"/)
})

test('a server with an empty Ironwood tree after NU6.3 is refused, at the inspection and later', async () => {
  const { chain } = connect()
  await faults({ hideIronwood: true })
  await assert.rejects(chain.tip(never), /hides Ironwood/)
  await faults({ hideIronwood: false })
  await chain.tip(never)
  await faults({ hideIronwood: true })
  await assert.rejects(all(chain.blocks(1, 3, never)), /hides Ironwood/)
})

test('a server without Ironwood is accepted before NU6.3', async () => {
  await faults({ hideIronwood: true })
  const { chain } = connect({ params: consensusParams('regtest', { nu63Height: 1_000_000, nu7Height: null }) })
  assert.equal((await chain.tip(never)).height, sandbox.height)
  assert.equal((await all(chain.blocks(0, 3, never))).length, 4)
})

test('a protocol version before 0.5.0 is refused after NU6.3; a missing version is accepted', async () => {
  await faults({ protocolVersion: 'v0.4.0' })
  await assert.rejects(connect().chain.tip(never), /protocol v0.4.0, which does not include Ironwood/)
  await faults({ protocolVersion: '' })
  assert.equal((await connect().chain.tip(never)).height, sandbox.height)
})

test('the chain name `test` is accepted on regtest, because Zebra reports it', async () => {
  await faults({ chainName: 'test' })
  assert.equal((await connect().chain.tip(never)).height, sandbox.height)
  const params = consensusParams('test')
  await faults({ chainName: 'regtest' })
  await assert.rejects(
    connect({ params }).chain.tip(never),
    /serves the chain "regtest", but this service is on "test"/,
  )
})

test('the public testnet is refused on regtest, although both report the chain name `test`', async () => {
  const url = await startServerWith({
    async getLightdInfo(request, context) {
      return { ...(await honest.getLightdInfo(request, context)), chainName: 'test', saplingActivationHeight: 280_000n }
    },
  })
  await assert.rejects(connect({ urls: [url] }).chain.tip(never), /serves the public testnet.*set NETWORK to "test"/)
})

for (const garbage of ['bytes', 'fields'] as const) {
  test(`invalid responses (${garbage}) reject and yield no blocks`, async () => {
    const { chain } = connect()
    await chain.tip(never)
    await faults({ garbage })
    await assert.rejects(all(chain.blocks(1, 3, never)))
    wallet.send([{ receiver, value: 1n }])
    await assert.rejects(chain.mempoolSnapshot(never))
    sandbox.mine(1)
  })
}

test('single transactions are never requested', async () => {
  await faults({ forgetTransactions: true, reverseLatestHash: true })
  const { chain } = connect()
  wallet.send([{ receiver, value: 1n }])
  assert.equal((await chain.tip(never)).height, sandbox.height)
  assert.equal((await chain.mempoolSnapshot(never)).length, 1)
  assert.equal((await all(chain.blocks(1, 3, never))).length, 3)
  sandbox.mine(1)
})

test('a snapshot contains the whole mempool', async () => {
  const { chain } = connect()
  const ids = [1n, 2n, 3n].map(value => wallet.send([{ receiver, value }]).id)
  const snapshot = await chain.mempoolSnapshot(never)
  assert.deepEqual(
    snapshot.map(({ txid }) => txid),
    ids.sort(),
  )
  assert.ok(snapshot.every(({ ironwood, orchard }) => ironwood.length === 2 && orchard.length === 0))
  sandbox.mine(1)
})

test('the mempool stream yields present and then new transactions, and ends with a block', async () => {
  const { chain } = connect()
  wallet.send([{ receiver, value: 1n }])
  const raws: Uint8Array[] = []
  const stream = (async () => {
    for await (const raw of chain.mempool(never)) raws.push(raw)
  })()
  await until('the first transaction', () => raws.length === 1)
  wallet.send([{ receiver, value: 2n }])
  await until('the second transaction', () => raws.length === 2)
  sandbox.mine(1)
  await stream
  assert.equal(raws.length, 2)
})

test('a stream that its consumer abandons is cancelled at the server', async () => {
  const { chain } = connect()
  let subscribers = 0
  const { subscribe } = sandbox
  sandbox.subscribe = listener => {
    subscribers++
    const unsubscribe = subscribe.call(sandbox, listener)
    return () => {
      subscribers--
      return unsubscribe()
    }
  }
  wallet.send([{ receiver, value: 1n }])
  for await (const _ of chain.mempool(never)) {
    assert.equal(subscribers, 1)
    break
  }
  await until('the end of the stream', () => subscribers === 0)
  sandbox.subscribe = subscribe
  sandbox.mine(1)
})

test('an abort ends the mempool stream without an error', async () => {
  const { chain } = connect()
  const stopping = new AbortController()
  const stream = all(chain.mempool(stopping.signal))
  await chain.tip(never)
  stopping.abort()
  assert.deepEqual(await stream, [])
})

test('a server that is down is replaced by the next one', async () => {
  const { chain, log } = connect({ urls: both() })
  await chain.tip(never)
  const era = chain.serverEpoch
  await faults({ down: true })
  await assert.rejects(chain.tip(never))
  assert.notEqual(chain.serverEpoch, era)
  assert.equal((await chain.tip(never)).height, sandbox.height)
  assert.equal((await all(chain.blocks(1, 3, never))).length, 3)
  const [line] = log.lines
  assert.deepEqual(
    [line!.message, line!.details.server, line!.details.next],
    ['switching to the next chain server', new URL(servers[0]!.url).host, new URL(servers[1]!.url).host],
  )
  await faults({ down: false })
  await faults({ down: true }, 1)
  await assert.rejects(chain.tip(never))
  assert.equal((await chain.tip(never)).height, sandbox.height, 'the first server is used again')
})

test('switching servers ends the mempool stream of the previous one', async () => {
  const { chain } = connect({ urls: both() })
  wallet.send([{ receiver, value: 1n }])
  let read = 0
  const stream = (async () => {
    for await (const _ of chain.mempool(never)) read++
  })()
  await until('the transaction', () => read === 1)
  chain.abandonServer('a test')
  await stream
  sandbox.mine(1)
})

test('a failing mempool stream does not switch servers, because blocks and mempool snapshots still work', async () => {
  const { chain } = connect({ urls: both() })
  await chain.tip(never)
  const { serverEpoch } = chain
  wallet.send([{ receiver, value: 1n }])
  await faults({ cutStreamAfter: 0 })
  for (let failures = 0; failures < 5; failures++) await assert.rejects(all(chain.mempool(never)))
  assert.equal(chain.serverEpoch, serverEpoch)
  sandbox.mine(1)
})

test('a server more than three blocks behind another is replaced; three blocks are tolerated', async () => {
  const { chain } = connect({ urls: both() })
  await faults({ lagBlocks: 3 })
  assert.equal((await chain.tip(never)).height, sandbox.height - 3)
  nowMs += 15_000
  assert.equal((await chain.tip(never)).height, sandbox.height - 3)
  await faults({ lagBlocks: 4 })
  assert.equal((await chain.tip(never)).height, sandbox.height - 4, 'the others are probed only every 15 s')
  nowMs += 15_000
  await assert.rejects(chain.tip(never), /4 blocks behind another/)
  assert.equal((await chain.tip(never)).height, sandbox.height)
})

test('a refused server is not used, even if it is ahead of the current one', async () => {
  const { chain } = connect({ urls: both() })
  await faults({ lagBlocks: 5 })
  await faults({ chainName: 'main' }, 1)
  assert.equal((await chain.tip(never)).height, sandbox.height - 5)
  nowMs += 15_000
  assert.equal((await chain.tip(never)).height, sandbox.height - 5)
})

test('blocks with unexpected heights, or too many blocks, reject', async () => {
  const ranges: [string, (from: bigint, to: bigint) => [bigint, bigint]][] = [
    ['later', (from, to) => [from + 1n, to + 1n]],
    ['earlier', (from, to) => [from - 1n, to]],
    ['more', (from, to) => [from, to + 1n]],
    ['backwards', (from, to) => [to, from]],
  ]
  for (const [name, change] of ranges) {
    const url = await startServerWith({
      getBlockRange(request, context) {
        const [from, to] = change(request.start!.height, request.end!.height)
        const range = create(BlockRangeSchema, { start: { height: from }, end: { height: to } })
        // The inspection reads a single block, which is correct.
        return honest.getBlockRange(request.start!.height === request.end!.height ? request : range, context)
      },
    })
    const { chain } = connect({ urls: [url] })
    assert.equal((await chain.tip(never)).height, sandbox.height)
    await assert.rejects(all(chain.blocks(3, 5, never)), /was requested/, name)
  }
})

test('an https URL uses TLS: the certificate is verified, and a server without TLS is rejected', async () => {
  const { cert, key } = makeCertificate('localhost')
  const routes = (router: ConnectRouter) => router.service(CompactTxStreamer, honest)
  const server = createSecureServer({ cert, key }, connectNodeAdapter({ routes }))
  customServers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  await assert.rejects(connect({ urls: [url] }).chain.tip(never), /self-signed/)

  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert])
  try {
    assert.equal((await connect({ urls: [url] }).chain.tip(never)).height, sandbox.height)
    const { port } = server.address() as AddressInfo
    await assert.rejects(connect({ urls: [`https://127.0.0.1:${port}`] }).chain.tip(never), /altnames|IP/)
  } finally {
    setDefaultCACertificates(trusted)
  }
  const plain = servers[0]!.url.replace('http:', 'https:')
  await assert.rejects(connect({ urls: [plain] }).chain.tip(never))
})

test('no compression is requested, so that a response cannot expand', async () => {
  const encodings: unknown[] = []
  const url = await startServerWith({
    getLightdInfo(request, context) {
      encodings.push(context.requestHeader.get('grpc-accept-encoding'), context.requestHeader.get('grpc-encoding'))
      return honest.getLightdInfo(request, context)
    },
  })
  await connect({ urls: [url] }).chain.tip(never)
  assert.deepEqual(encodings, [null, null])
})

test('a message above the size limit is rejected without buffering it', async () => {
  const url = await startServerWith({
    async *getMempoolStream() {
      yield create(RawTransactionSchema, { data: new Uint8Array(5 * 1024 * 1024) })
    },
  })
  await assert.rejects(all(connect({ urls: [url] }).chain.mempool(never)), /larger than/)
})
