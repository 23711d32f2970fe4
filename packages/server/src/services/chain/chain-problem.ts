import type { ChainProblem } from '../../domain/chain/chain-problem.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'

/** Problems of the chain source, stored in the database so that every process can read them. */
export interface ChainProblems {
  /** Replaces the recorded problems. A continuing problem keeps its start time. */
  record(problems: readonly ChainProblem[]): Promise<void>
}

export function createChainProblems({ store, clock }: { store: Store; clock: Clock }): ChainProblems {
  return {
    record: problems => store.write(tx => tx.chain.setProblems(problems, nowSecs(clock))),
  }
}
