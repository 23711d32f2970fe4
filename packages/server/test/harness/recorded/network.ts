import { withTimeout } from '../../../../sandbox/test/recorded/guarded-process.ts'
import { type RealLightwalletd, startLightwalletd } from '../../../../sandbox/test/recorded/real-lightwalletd.ts'
import { type RecordedNode, startRecordedNode } from '../../../../sandbox/test/recorded/recorded-node.ts'
import type { Moment, RecordedChain } from './moments.ts'

/** Before it exits, lightwalletd retries a failed call for about 22 s. */
const EXIT_TIMEOUT_MS = 60_000

/** A recorded node with the real lightwalletd in front of it. */
export class RecordedNetwork {
  readonly node: RecordedNode
  readonly lightwalletd: RealLightwalletd
  readonly #chain: RecordedChain

  private constructor(node: RecordedNode, lightwalletd: RealLightwalletd, chain: RecordedChain) {
    this.node = node
    this.lightwalletd = lightwalletd
    this.#chain = chain
  }

  static async start(chain: RecordedChain, moment: Moment): Promise<RecordedNetwork> {
    const node = await startRecordedNode()
    try {
      await applyMoment(node, chain, moment)
      return new RecordedNetwork(node, await startLightwalletd({ rpcPort: node.rpcPort }), chain)
    } catch (error) {
      await node.close()
      throw error
    }
  }

  show(moment: Moment): Promise<void> {
    return applyMoment(this.node, this.#chain, moment)
  }

  /** Waits until lightwalletd exits because its node failed. @returns its exit code */
  serverExit(): Promise<number | null> {
    return withTimeout(
      EXIT_TIMEOUT_MS,
      () => `lightwalletd is still running after ${EXIT_TIMEOUT_MS} ms`,
      this.lightwalletd.exited,
    )
  }

  async close(): Promise<void> {
    await this.lightwalletd.close()
    await this.node.close()
  }
}

async function applyMoment(node: RecordedNode, chain: RecordedChain, moment: Moment): Promise<void> {
  await node.setTip(moment.tip, moment.branch)
  await node.setMempool(chain.sentUntil(moment))
}
