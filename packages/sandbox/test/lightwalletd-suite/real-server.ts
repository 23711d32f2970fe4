import { setTimeout as delay } from 'node:timers/promises'
import { type RecordedBlock, readRecording } from '../../../zcash/test/recording.ts'
import { startLightwalletd } from '../recorded/real-lightwalletd.ts'
import { type Branch, type RecordedNode, startRecordedNode } from '../recorded/recorded-node.ts'
import { Connections, FORK_HEIGHT, type ServerUnderTest, type WorldBlock } from './server-under-test.ts'

const POLL_MS = 5
/** While the server still takes blocks, its next question comes at once. */
const QUIET_MS = 100
/** Lightwalletd asks its node every 2 s, and 8 s after a block that the node did not give. */
const SETTLE_MS = 15_000

/** The real lightwalletd over the recorded chain. Its time is the wall clock's. */
export async function startRealServer(startHeight: number): Promise<ServerUnderTest> {
  await using stack = new AsyncDisposableStack()
  const recording = readRecording()
  const node = stack.adopt(await startRecordedNode(), it => it.close())
  let branch: Branch = startHeight === FORK_HEIGHT ? 'a' : 'main'
  let height = startHeight
  await node.setTip(height, branch)
  const server = stack.adopt(await startLightwalletd({ rpcPort: node.rpcPort }), it => it.close())
  const connections = stack.adopt(new Connections(), it => it.close())

  let running = true
  const watchProcess = () => {
    running = true
    const { exited } = server
    void exited.then(() => {
      if (server.exited === exited) running = false
    })
  }
  watchProcess()

  const block = (at: number): RecordedBlock => {
    const [{ height: forkAt }] = recording.branch_a as readonly [RecordedBlock]
    return branch === 'a' && at >= forkAt ? recording.branch_a[at - forkAt]! : recording.blocks[at]!
  }
  const polled = () => settled(node)
  await polled()

  const mined = new Set(Array.from({ length: height + 1 }, (_, at) => block(at).txids).flat())
  const startedAtMs = performance.now()
  let waitedMs = 0
  const waiting = async (work: Promise<void>) => {
    const from = performance.now()
    await work
    waitedMs += performance.now() - from
  }
  let client = connections.connect(server.url)
  const parts = stack.move()
  return {
    get client() {
      return client
    },
    get height() {
      return height
    },
    block: at => worldBlock(block(at)),
    unmined: recording.transactions
      .filter(({ txid }) => !mined.has(txid))
      .map(({ txid, raw }) => ({ txid, raw: new Uint8Array(Buffer.from(raw, 'hex')) })),
    async mine() {
      height += 1
      await node.setTip(height, branch)
    },
    async reorganise() {
      branch = 'main'
      height += 1
      await node.setTip(height, branch)
    },
    setMempool: txids => node.setMempool(txids),
    failNode: method => node.setError(method, 'injected fault'),
    setNodeDown: down => node.setDown(down),
    polled: () => waiting(polled()),
    async pass(ms) {
      waitedMs += ms
      await delay(ms)
    },
    get overheadMs() {
      return performance.now() - startedAtMs - waitedMs
    },
    get running() {
      return running
    },
    async restart() {
      await node.setError(null)
      await node.setDown(false)
      await waiting(server.restart())
      watchProcess()
      await waiting(polled())
      client = connections.connect(server.url)
    },
    connect: () => connections.connect(server.url),
    close: () => parts.disposeAsync(),
  }
}

function worldBlock({ hash, time, txids, trees }: RecordedBlock): WorldBlock {
  const size = (pool: keyof RecordedBlock['trees']) => trees[pool]?.size ?? 0
  return {
    hash,
    time,
    txids,
    trees: { sapling: size('sapling'), orchard: size('orchard'), ironwood: size('ironwood') },
  }
}

/** Resolves when the server has asked for the best block, and then for nothing: it has that block. */
async function settled({ counts }: RecordedNode): Promise<void> {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const { polls } = counts
    while (counts.polls === polls) {
      if (performance.now() > deadline) throw new Error(`the server did not settle within ${SETTLE_MS} ms`)
      await delay(POLL_MS)
    }
    const { calls } = counts
    await delay(QUIET_MS)
    if (counts.calls === calls) return
  }
}
