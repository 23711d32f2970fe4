import { setTimeout as delay } from 'node:timers/promises'
import { loadRecording, type RecordedBlock } from '../../../../zcash/test/recording.ts'
import { startLightwalletd } from '../../recorded/real-lightwalletd.ts'
import { type Branch, type RecordedNode, startRecordedNode } from '../../recorded/recorded-node.ts'
import { Connections, type ExpectedBlock, FORK_HEIGHT, type ServerUnderTest } from './server-under-test.ts'

const POLL_MS = 5
/** While the server is fetching blocks, its next call follows immediately. */
const QUIET_MS = 100
/** Lightwalletd polls its node every 2 s, and 8 s after a failed block request. */
const SETTLE_MS = 15_000

/** Starts the real lightwalletd with the recorded chain. Its time is the wall clock. */
export async function startRealServer(startHeight: number): Promise<ServerUnderTest> {
  await using stack = new AsyncDisposableStack()
  const recording = loadRecording()
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

  const block = (blockHeight: number): RecordedBlock => {
    const [{ height: firstReplaced }] = recording.branch_a as readonly [RecordedBlock]
    return branch === 'a' && blockHeight >= firstReplaced
      ? recording.branch_a[blockHeight - firstReplaced]!
      : recording.blocks[blockHeight]!
  }
  const polled = () => settled(node)
  await polled()

  const mined = new Set(Array.from({ length: height + 1 }, (_, index) => block(index).txids).flat())
  const startedAtMs = performance.now()
  let waitedMs = 0
  const countAsWaiting = async (operation: Promise<void>) => {
    const from = performance.now()
    await operation
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
    block: blockHeight => toExpectedBlock(block(blockHeight)),
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
    polled: () => countAsWaiting(polled()),
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
      await countAsWaiting(server.restart())
      watchProcess()
      await countAsWaiting(polled())
      client = connections.connect(server.url)
    },
    connect: () => connections.connect(server.url),
    close: () => parts.disposeAsync(),
  }
}

function toExpectedBlock({ hash, time, txids, trees }: RecordedBlock): ExpectedBlock {
  const size = (pool: keyof RecordedBlock['trees']) => trees[pool]?.size ?? 0
  return {
    hash,
    time,
    txids,
    trees: { sapling: size('sapling'), orchard: size('orchard'), ironwood: size('ironwood') },
  }
}

/** Resolves when the server polls the best block without a further call, so it has that block. */
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
