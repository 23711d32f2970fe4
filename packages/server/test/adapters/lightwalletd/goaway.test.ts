import assert from 'node:assert/strict'
import { createServer, type ServerHttp2Session } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { Chain as SandboxChain } from '@zatgate/sandbox/chain/chain'
import { listen, openConnections, stopListening } from '@zatgate/sandbox/http/listen'
import { NO_FAULTS } from '@zatgate/sandbox/lightwalletd/faults'
import { compactTxStreamer } from '@zatgate/sandbox/lightwalletd/service'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import { retrying } from '../../../src/adapters/lightwalletd/retry.ts'
import { connectServer } from '../../../src/adapters/lightwalletd/server.ts'
import { consensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import { until } from '../../harness/until.ts'

/** More event loop turns than Node takes between the GOAWAY and the end of the connection. */
const TURNS = 30

async function openServer(t: TestContext) {
  const chain = new SandboxChain({ seed: new Uint8Array(32).fill(3) })
  chain.mine(10)
  const service = compactTxStreamer(chain, { ...NO_FAULTS, blockCacheMs: 0, mempoolCacheMs: 0 })
  const server = createServer(connectNodeAdapter({ routes: router => router.service(CompactTxStreamer, service) }))
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', session => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  const connections = openConnections(server)
  const port = await listen(server, 0)
  t.after(async () => {
    const stopped = stopListening(server)
    for (const connection of connections) connection.destroy()
    await stopped
  })
  return { url: `http://127.0.0.1:${port}`, height: chain.height, sessions }
}

/** Connects, makes a call, and waits for `turns` event loop turns after the server has sent GOAWAY on the idle connection. */
async function afterGoaway(t: TestContext, turns: number) {
  const { url, height, sessions } = await openServer(t)
  const client = connectServer(url, consensusParams('regtest'))
  t.after(() => client.close())
  const signal = AbortSignal.timeout(5_000)
  // The server may refuse a call that is on its way when it sends GOAWAY.
  const latestHeight = async () =>
    (await retrying(() => client.tip(signal), { nowMs: () => 0, sleep: async () => {} }, signal)).height
  assert.equal(await latestHeight(), height)
  for (const session of sessions) session.goaway()
  for (let turn = 0; turn < turns; turn++) await nextTurn()
  return { client, latestHeight, height }
}

test('a call at any instant after an idle server has sent GOAWAY succeeds', async t => {
  for (let turns = 0; turns < TURNS; turns++) {
    const { latestHeight, height } = await afterGoaway(t, turns)
    assert.equal(await latestHeight(), height)
  }
})

test('a client can be closed at any instant after an idle server has sent GOAWAY', async t => {
  for (let turns = 0; turns < TURNS; turns++) (await afterGoaway(t, turns)).client.close()
})

test('the connection of a server that stops closes, also when the rest of its last response is not read', async t => {
  const { url, height, sessions } = await openServer(t)
  const client = connectServer(url, consensusParams('regtest'))
  t.after(() => client.close())
  const signal = AbortSignal.timeout(5_000)
  for await (const _ of client.blocks(1, height, signal)) {
    // The server has ended the response.
    for (let turn = 0; turn < TURNS; turn++) await nextTurn()
    break
  }
  for (const session of sessions) session.close()
  await until('the end of the connection', () => sessions.size === 0)
})
