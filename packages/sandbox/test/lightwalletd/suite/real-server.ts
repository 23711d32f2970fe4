import { setTimeout as delay } from 'node:timers/promises'
import { loadRecording } from '../../../../zcash/test/recording.ts'
import { startLightwalletd } from '../../recorded/real-lightwalletd.ts'
import { type RecordedNode, startRecordedNode } from '../../recorded/recorded-node.ts'
import { RecordedTip, toExpectedBlock } from './recorded-blocks.ts'
import { Connections, type ServerUnderTest } from './server-under-test.ts'

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
  const tip = new RecordedTip(recording, startHeight)
  await node.setTip(tip.height, tip.branch)
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

  const polled = () => settled(node)
  await polled()

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
    url: server.url,
    get client() {
      return client
    },
    get height() {
      return tip.height
    },
    block: height => toExpectedBlock(tip.block(height)),
    unmined: tip.unmined(),
    async mine() {
      tip.height += 1
      await node.setTip(tip.height, tip.branch)
    },
    async reorganise() {
      tip.branch = 'main'
      tip.height += 1
      await node.setTip(tip.height, tip.branch)
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
