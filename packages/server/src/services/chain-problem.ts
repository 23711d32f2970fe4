import type { ChainProblem } from '../domain/chain-problem.ts'
import type { Clock, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'

/** What the chain source lacks, kept where every process can read it. */
export interface ChainProblems {
  /** Replaces what is recorded; a problem that goes on keeps the moment when it began. */
  record(problems: readonly ChainProblem[]): Promise<void>
}

export function createChainProblems({ store, clock }: { store: Store; clock: Clock }): ChainProblems {
  return {
    record: problems => store.write(rows => rows.chain.setProblems(problems, nowSecs(clock))),
  }
}
