import { withTimeout } from '../../../../sandbox/test/recorded/guarded-process.ts'
import { type RealLightwalletd, startLightwalletd } from '../../../../sandbox/test/recorded/real-lightwalletd.ts'
import { type RecordedNode, startRecordedNode } from '../../../../sandbox/test/recorded/recorded-node.ts'
import { type RecordedZebra, startRecordedZebra } from '../../../../sandbox/test/recorded/recorded-zebra.ts'
import type { Moment, RecordedChain } from './moments.ts'

/** Before it exits, lightwalletd retries a failed call for about 22 s. */
const EXIT_TIMEOUT_MS = 60_000

/** A real light-client server of the recorded chain. */
export interface RecordedNetwork {
  /** The value for `LIGHTWALLETD_URL`. It stays the same after a restart. */
  readonly url: string
  /** Sets the chain and the mempool of the node. */
  show(moment: Moment): Promise<void>
  /** Ends the server with SIGKILL. */
  kill(): Promise<void>
  /** Starts a killed server at the last moment shown. Resolves when it responds. */
  restart(options?: { readonly deleteCache?: boolean }): Promise<void>
  close(): Promise<void>
}

export type StartNetwork = (chain: RecordedChain, moment: Moment) => Promise<RecordedNetwork>

/** A recorded node with the real lightwalletd in front of it. */
export class LightwalletdNetwork implements RecordedNetwork {
  readonly node: RecordedNode
  readonly #lightwalletd: RealLightwalletd
  readonly #chain: RecordedChain

  private constructor(node: RecordedNode, lightwalletd: RealLightwalletd, chain: RecordedChain) {
    this.node = node
    this.#lightwalletd = lightwalletd
    this.#chain = chain
  }

  static async start(chain: RecordedChain, moment: Moment): Promise<LightwalletdNetwork> {
    const node = await startRecordedNode()
    try {
      await applyMoment(node, chain, moment)
      return new LightwalletdNetwork(node, await startLightwalletd({ rpcPort: node.rpcPort }), chain)
    } catch (error) {
      await node.close()
      throw error
    }
  }

  get url(): string {
    return this.#lightwalletd.url
  }

  show(moment: Moment): Promise<void> {
    return applyMoment(this.node, this.#chain, moment)
  }

  kill(): Promise<void> {
    return this.#lightwalletd.kill()
  }

  restart(options?: { readonly deleteCache?: boolean }): Promise<void> {
    return this.#lightwalletd.restart(options)
  }

  /** Waits until lightwalletd exits because its node failed. @returns its exit code */
  serverExit(): Promise<number | null> {
    return withTimeout(
      EXIT_TIMEOUT_MS,
      () => `lightwalletd is still running after ${EXIT_TIMEOUT_MS} ms`,
      this.#lightwalletd.exited,
    )
  }

  async close(): Promise<void> {
    await this.#lightwalletd.close()
    await this.node.close()
  }
}

/** A zebrad that verifies the recorded chain and serves it with its own light-wallet server. */
export class ZebraNetwork implements RecordedNetwork {
  readonly #zebra: RecordedZebra
  readonly #chain: RecordedChain
  #moment: Moment
  #isRunning = true

  private constructor(zebra: RecordedZebra, chain: RecordedChain, moment: Moment) {
    this.#zebra = zebra
    this.#chain = chain
    this.#moment = moment
  }

  static async start(chain: RecordedChain, moment: Moment): Promise<ZebraNetwork> {
    const zebra = await startRecordedZebra(chain.recording)
    try {
      await applyMoment(zebra, chain, moment)
      return new ZebraNetwork(zebra, chain, moment)
    } catch (error) {
      await zebra.close()
      throw error
    }
  }

  get url(): string {
    return this.#zebra.url
  }

  async show(moment: Moment): Promise<void> {
    this.#moment = moment
    if (this.#isRunning) await applyMoment(this.#zebra, this.#chain, moment)
  }

  async kill(): Promise<void> {
    this.#isRunning = false
    await this.#zebra.kill()
  }

  /** zebrad reads its blocks again: the service sees a server that is far behind for a moment. */
  async restart({ deleteCache = false } = {}): Promise<void> {
    await this.#zebra.restart({ deleteState: deleteCache })
    this.#isRunning = true
    await this.show(this.#moment)
  }

  close(): Promise<void> {
    return this.#zebra.close()
  }
}

async function applyMoment(
  node: Pick<RecordedNode, 'setTip' | 'setMempool'>,
  chain: RecordedChain,
  moment: Moment,
): Promise<void> {
  await node.setTip(moment.tip, moment.branch)
  await node.setMempool(chain.sentUntil(moment))
}
