import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '@zatgate/server/domain/chain/chain'
import { createServer, START_SECS, transaction } from './laboratory.ts'

const payment = transaction('payment')

async function readBlocks(stream: AsyncIterable<Block>): Promise<Block[]> {
  const blocks: Block[] = []
  for await (const block of stream) blocks.push(block)
  return blocks
}

test('the mempool is read from the node once in two seconds, for all clients', async () => {
  const { network, scheduler, server, signal, readMempool } = createServer()
  assert.deepEqual(await readMempool(), [])
  network.broadcast(payment)
  scheduler.advance(1_999)
  assert.deepEqual(await server.connect().mempool(signal), [])
  scheduler.advance(1)
  assert.deepEqual(await readMempool(), [payment.txid])
})

test('after the read of another client, all get its list for two seconds', async () => {
  const { network, scheduler, server, readMempool } = createServer()
  assert.deepEqual(await readMempool(), [])
  scheduler.advance(2_000)
  server.readByOthers()
  network.broadcast(payment)
  scheduler.advance(1_999)
  assert.deepEqual(await readMempool(), [])
  scheduler.advance(1)
  assert.deepEqual(await readMempool(), [payment.txid])
})

test('behind a failed read of the mempool, the next clients get the previous list of any age', async () => {
  const { network, scheduler, server, readMempool } = createServer()
  assert.deepEqual(await readMempool(), [])
  network.broadcast(payment)
  server.mempoolFails = true
  scheduler.advance(3_600_000)
  await assert.rejects(readMempool(), /does not return its mempool/)
  assert.deepEqual(await readMempool(), [])
  scheduler.advance(2_000)
  await assert.rejects(readMempool(), /does not return its mempool/)
})

test('an open stream sends new transactions, and fails within two seconds when the node fails', async () => {
  const { network, scheduler, server, client, signal, served } = createServer()
  const stream = client.mempoolStream(signal)
  const first = stream.next()
  await scheduler.run()
  network.broadcast(payment)
  server.transactionSeen(payment)
  const { value } = await first
  assert.equal(Buffer.from(value as Uint8Array).toString('hex'), payment.txid)
  assert.equal(served.wasInMempool(payment.txid), true)
  assert.equal(served.wasInFull(payment.txid), true)
  const second = stream.next()
  server.mempoolFails = true
  scheduler.advance(2_000)
  await Promise.all([assert.rejects(second, /does not return its mempool/), scheduler.run()])
})

test('a block ends the open streams', async () => {
  const { scheduler, server, client, signal } = createServer()
  const next = client.mempoolStream(signal).next()
  await scheduler.run()
  server.blockFound()
  assert.equal((await next).done, true)
})

test('a server without cache and open streams serves the present mempool, and nothing after it', async () => {
  const { network, server, client, signal, readMempool } = createServer()
  Object.assign(server, { mempoolCacheMs: 0, endMempoolAtOnce: true })
  assert.deepEqual(await readMempool(), [])
  network.broadcast(payment)
  assert.deepEqual(await readMempool(), [payment.txid])
  const stream = client.mempoolStream(signal)
  const { value } = await stream.next()
  assert.equal(Buffer.from(value as Uint8Array).toString('hex'), payment.txid)
  assert.equal((await stream.next()).done, true)
})

test('a stalled server keeps its branch and its mempool', async () => {
  const { network, scheduler, server, client, signal, readMempool } = createServer()
  network.broadcast(payment)
  server.freeze()
  network.mine(START_SECS)
  scheduler.advance(2_000)
  assert.deepEqual([(await client.tip(signal)).height, await readMempool()], [9, [payment.txid]])
  server.thaw()
  scheduler.advance(2_000)
  assert.deepEqual([(await client.tip(signal)).height, await readMempool()], [10, []])
})

test('a server on a fork serves the blocks of its own branch', async () => {
  const { network, server, client, signal } = createServer()
  const own = network.tip.hash
  server.fork(network.fork(1, 2, START_SECS), [])
  assert.equal((await client.tip(signal)).height, 10)
  const [block] = await readBlocks(client.blocks(9, 9, signal))
  assert.notEqual(block?.hash, own)
})

test('an omitted transaction shows in the tree sizes of its block', async () => {
  const { network, server, client, signal } = createServer()
  network.broadcast(payment)
  network.mine(START_SECS)
  server.omitted.add(payment.txid)
  const [before, block] = await readBlocks(client.blocks(9, 10, signal))
  assert.deepEqual([block?.transactions, block?.outputCounts.ironwood], [[], 0])
  assert.equal(block!.treeSizes.ironwood - before!.treeSizes.ironwood, 1)
  assert.equal(server.shows(payment.txid), false)
})

test('a server that hangs fails at the deadline, or when the client gives up', async () => {
  const { scheduler, server, client, signal } = createServer()
  server.hangs = true
  const controller = new AbortController()
  const given = assert.rejects(client.tip(controller.signal), { name: 'AbortError' })
  const waited = assert.rejects(client.tip(signal), /deadline/)
  controller.abort()
  await given
  scheduler.advance(10_000)
  await Promise.all([waited, scheduler.run()])
})
