import type { RecordedBlock, Recording } from '../../../../zcash/test/recording.ts'
import type { Branch } from '../../recorded/recorded-node.ts'
import { type ExpectedBlock, FORK_HEIGHT, type UnminedTransaction } from './server-under-test.ts'

/** The newest block of a node that serves the recorded chain. At `FORK_HEIGHT` it begins on the branch that is replaced. */
export class RecordedTip {
  height: number
  branch: Branch
  readonly #recording: Recording

  constructor(recording: Recording, height: number) {
    this.#recording = recording
    this.height = height
    this.branch = height === FORK_HEIGHT ? 'a' : 'main'
  }

  /** A block of the best chain. */
  block(height: number): RecordedBlock {
    const { blocks, branch_a } = this.#recording
    const [{ height: firstReplaced }] = branch_a as readonly [RecordedBlock]
    return this.branch === 'a' && height >= firstReplaced ? branch_a[height - firstReplaced]! : blocks[height]!
  }

  /** The recorded transactions that no block up to the tip contains. */
  unmined(): UnminedTransaction[] {
    const mined = new Set(Array.from({ length: this.height + 1 }, (_, height) => this.block(height).txids).flat())
    return this.#recording.transactions
      .filter(({ txid }) => !mined.has(txid))
      .map(({ txid, raw }) => ({ txid, raw: new Uint8Array(Buffer.from(raw, 'hex')) }))
  }
}

export function toExpectedBlock({ hash, time, txids, trees }: RecordedBlock): ExpectedBlock {
  const size = (pool: keyof RecordedBlock['trees']) => trees[pool]?.size ?? 0
  return {
    hash,
    time,
    txids,
    trees: { sapling: size('sapling'), orchard: size('orchard'), ironwood: size('ironwood') },
  }
}
