import { within } from '../../../../sandbox/test/recorded/bound-process.ts'
import { type RealLightwalletd, startLightwalletd } from '../../../../sandbox/test/recorded/real-lightwalletd.ts'
import { type RecordedNode, startRecordedNode } from '../../../../sandbox/test/recorded/recorded-node.ts'
import type { Moment, RecordedChain } from './moments.ts'

/** It repeats an unanswered call for some 22 s first. */
const EXIT_MS = 60_000

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
      await showOn(node, chain, moment)
      return new RecordedNetwork(node, await startLightwalletd({ rpcPort: node.rpcPort }), chain)
    } catch (error) {
      await node.close()
      throw error
    }
  }

  show(moment: Moment): Promise<void> {
    return showOn(this.node, this.#chain, moment)
  }

  /** Waits until lightwalletd has exited by itself, as it does when its node fails. @returns its exit code */
  serverExit(): Promise<number | null> {
    return within(EXIT_MS, () => `lightwalletd still runs after ${EXIT_MS} ms`, this.lightwalletd.exited)
  }

  async close(): Promise<void> {
    await this.lightwalletd.close()
    await this.node.close()
  }
}

async function showOn(node: RecordedNode, chain: RecordedChain, moment: Moment): Promise<void> {
  await node.setTip(moment.tip, moment.branch)
  await node.setMempool(chain.sentUntil(moment))
}
