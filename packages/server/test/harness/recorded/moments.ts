import type { Branch } from '../../../../sandbox/test/recorded/recorded-node.ts'
import type { RecordedPayment, Recording } from '../../../../zcash/test/recording.ts'

/** A state of the network at one point of the recording. */
export interface Moment {
  /** Height of the newest block. */
  readonly tip: number
  readonly branch: Branch
  /** Whether the transactions sent while this block was the newest are in the mempool. Earlier ones always are. */
  readonly sent: boolean
}

/** The location of a recorded payment at a moment. Null: not yet sent. */
export type Location = { readonly at: 'mempool' } | { readonly at: 'mined'; readonly height: number } | null

/** The recorded chain at each of its moments. */
export class RecordedChain {
  readonly recording: Recording
  /** The height of the best chain. */
  readonly tip: number
  readonly #heights: Readonly<Record<Branch, ReadonlyMap<string, number>>>
  readonly #sentAt: ReadonlyMap<string, number>

  constructor(recording: Recording) {
    this.recording = recording
    this.tip = recording.blocks.length - 1
    const fork = recording.branch_a[0]!.height
    const heightsOf = (blocks: Recording['blocks']) =>
      new Map(blocks.flatMap(({ txids, height }) => txids.map(txid => [txid, height] as const)))
    this.#heights = {
      main: heightsOf(recording.blocks),
      a: heightsOf([...recording.blocks.slice(0, fork), ...recording.branch_a]),
    }
    this.#sentAt = new Map(recording.transactions.map(({ txid, after_height }) => [txid, after_height]))
  }

  /**
   * The moments that change a payment: blocks with payments, transactions entering the mempool, the blocks of the
   * replaced branch, the first block that makes the best chain longer, and the end.
   */
  get moments(): readonly Moment[] {
    const { payments, transactions, branch_a } = this.recording
    const sent = new Set(transactions.map(({ after_height }) => after_height))
    const mined = payments.flatMap(({ height }) => (height === null ? [] : [height]))
    const lastOfA = branch_a.at(-1)!.height
    const heights = [...new Set([...sent, ...mined, lastOfA + 1, this.tip])].sort((a, b) => a - b)
    const main = heights.map(tip => ({ tip, branch: 'main', sent: sent.has(tip) }) as const)
    const replaced = branch_a.map(({ height }) => ({ tip: height, branch: 'a', sent: false }) as const)
    return [
      ...main.filter(({ tip }) => tip < branch_a[0]!.height),
      ...replaced,
      ...main.filter(({ tip }) => tip > lastOfA),
    ]
  }

  /** The ids of all transactions sent until the moment, mined or not. */
  sentUntil({ tip, sent }: Moment): string[] {
    return this.recording.transactions
      .filter(({ after_height }) => after_height < tip || (sent && after_height === tip))
      .map(({ txid }) => txid)
  }

  /** Hash of the newest block in display byte order. */
  hashAt({ tip, branch }: Moment): string {
    const { blocks, branch_a } = this.recording
    const replaced = branch === 'a' ? branch_a.find(({ height }) => height === tip) : undefined
    return (replaced ?? blocks[tip]!).hash
  }

  locate(payment: RecordedPayment, moment: Moment): Location {
    const height = this.#heights[moment.branch].get(payment.txid)
    if (height !== undefined && height <= moment.tip) return { at: 'mined', height }
    const sentAt = this.#sentAt.get(payment.txid)
    const isSent = sentAt !== undefined && (sentAt < moment.tip || (moment.sent && sentAt === moment.tip))
    return isSent ? { at: 'mempool' } : null
  }
}

export function describeMoment({ tip, branch, sent }: Moment): string {
  return `height ${tip}${branch === 'a' ? ' of branch A' : ''}${sent ? ' with new transactions' : ''}`
}
