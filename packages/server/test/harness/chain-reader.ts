import {
  type ChainKnowledge,
  type Conclusions,
  conclude,
  NOTHING_KNOWN,
  type Observation,
  observe,
} from '../../src/domain/chain/chain-knowledge.ts'

/** A process, and the syncs that it makes, without a server. */
export class ChainReader {
  known: ChainKnowledge = NOTHING_KNOWN

  see(observation: Observation): void {
    this.known = observe(this.known, observation)
  }

  /** Reads the mempool at `at`, and the blocks. */
  read(at: number, { txids = [] as string[], rewound = false, serverEpoch = 1 } = {}): Conclusions {
    this.see({ type: 'sync_started', at, serverEpoch })
    this.see({ type: 'mempool_listed', txids: new Set(txids) })
    this.see({ type: 'blocks_read', rewound })
    return conclude(this.known, [])
  }

  record(at: number, { clockAgrees = true, compared = true, unwitnessed = [] as number[] } = {}): void {
    this.see({ type: 'snapshot_recorded', at, clockAgrees, compared, unwitnessed: new Set(unwitnessed) })
  }

  fail(at: number): void {
    this.see({ type: 'mempool_failed', at })
  }

  /** A sync that ends in the same second. */
  sync(at: number, options?: Parameters<ChainReader['read']>[1]): Conclusions {
    const conclusions = this.read(at, options)
    this.record(at)
    return conclusions
  }
}
