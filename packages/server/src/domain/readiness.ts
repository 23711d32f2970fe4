import { allPaymentsVisible, type ChainProblem, describeChainProblem } from './chain/chain-problem.ts'
import type { ChainTime } from './chain/clock-agreement.ts'

/** A condition for serving. `reason`: why it does not hold; null when it holds. */
export interface ReadinessCheck {
  readonly name: 'database' | 'migrations' | 'chain' | 'watcher'
  readonly reason: string | null
}

/** The inputs of the checks. */
export interface ReadinessState {
  /** The newest migration of the database, and of this code. */
  readonly migration: { readonly applied: string; readonly known: string }
  readonly chainTime: ChainTime
  readonly chainProblems: readonly ChainProblem[]
  /** Unix seconds up to which chain and mempool are known; 0: never read. */
  readonly syncedThrough: number
}

/** A sync takes seconds, and the next one confirms it. */
const MAX_UNSEEN_SECS = 120

/** @param now Unix seconds */
export function readinessChecks(state: ReadinessState, now: number): readonly ReadinessCheck[] {
  return [
    { name: 'database', reason: null },
    { name: 'migrations', reason: migrationReason(state.migration) },
    { name: 'chain', reason: chainReason(state.chainTime, state.chainProblems) },
    { name: 'watcher', reason: watcherReason(state.syncedThrough, now) },
  ]
}

/** All checks when the database cannot be used for this reason. */
export function checksWithoutDatabase(reason = 'the database does not respond'): readonly ReadinessCheck[] {
  return [
    { name: 'database', reason },
    ...(['migrations', 'chain', 'watcher'] as const).map(name => ({ name, reason: 'unknown without the database' })),
  ]
}

/** Whether a payment made now would be seen within minutes. Unknown, and true, before the first sync of a new database. */
export function isChainSeen(checks: readonly ReadinessCheck[], { syncedThrough }: ReadinessState): boolean {
  return syncedThrough === 0 || checks.every(({ name, reason }) => name !== 'watcher' || reason === null)
}

function migrationReason({ applied, known }: ReadinessState['migration']): string | null {
  return applied === known ? null : `the database has migrations up to ${applied}, this version up to ${known}`
}

function chainReason(time: ChainTime, problems: readonly ChainProblem[]): string | null {
  switch (time.state) {
    case 'unknown':
      return 'no block has been read yet'
    case 'stalled':
      return `the newest block is ${time.ageSecs} s old`
    case 'clock_ahead':
    case 'clock_behind':
      return `the clock is ${time.bySecs} s ${time.state === 'clock_ahead' ? 'ahead of' : 'behind'} the newest blocks`
    case 'ok':
      return allPaymentsVisible(problems) ? null : problems.map(describeChainProblem).join('; ')
  }
}

function watcherReason(syncedThrough: number, now: number): string | null {
  if (syncedThrough === 0) return 'chain and mempool have not been read yet'
  const age = now - syncedThrough
  return age <= MAX_UNSEEN_SECS ? null : `chain and mempool are known up to ${age} s ago only`
}
