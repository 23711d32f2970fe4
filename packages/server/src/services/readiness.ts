import type { ConsensusParams } from '../domain/chain/network-upgrade.ts'
import { READ_ONLY_DATABASE, ReadOnlyDatabaseError } from '../domain/error.ts'
import { checksWithoutDatabase, isChainSeen, type ReadinessCheck, readinessChecks } from '../domain/readiness.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { checkClock } from './chain/clock-check.ts'

/** Whether this process can serve, for load balancers, supervisors and the pages. */
export interface Readiness {
  /**
   * `isReady` depends on what the process itself needs: database and migrations, and for the role `watcher` the chain
   * too. Others serve on while the chain is not seen, since invoices can be created and read.
   */
  check(): Promise<{ readonly isReady: boolean; readonly checks: readonly ReadinessCheck[] }>
  /** Whether a payment made now would be seen within minutes. True when that is not known. */
  isChainSeen(): Promise<boolean>
}

/** Everyone may ask, so the database is read at most once in this time. */
const MAX_AGE_MS = 1_000
const TIMEOUT_MS = 3_000

interface Result {
  readonly checks: readonly ReadinessCheck[]
  readonly isChainSeen: boolean
}

/** @param newestMigration name of the newest migration of this code */
export function createReadiness(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly params: ConsensusParams
  readonly newestMigration: string
  readonly roles: readonly string[]
}): Readiness {
  const { store, clock, params, newestMigration } = deps
  const watchesChain = deps.roles.includes('watcher')
  let cached: { readonly at: number; readonly result: Promise<Result> } | null = null

  async function read(): Promise<Result> {
    const now = nowSecs(clock)
    const state = await store.read(async tx => ({
      migration: { applied: await tx.databaseIdentity.newestMigration(), known: newestMigration },
      chainTime: (await checkClock(tx, params, now)).chainTime,
      chainProblems: await tx.chain.problems(),
      syncedThrough: await tx.chain.syncedThrough(),
    }))
    const checks = readinessChecks(state, now)
    return { checks, isChainSeen: isChainSeen(checks, state) }
  }

  async function readInTime(): Promise<Result> {
    const without = (reason?: string): Result => ({ checks: checksWithoutDatabase(reason), isChainSeen: true })
    const failed = (error: unknown) => without(error instanceof ReadOnlyDatabaseError ? READ_ONLY_DATABASE : undefined)
    const stop = new AbortController()
    const timeout = clock.sleep(TIMEOUT_MS, stop.signal).then(() => without())
    const result = await Promise.race([read().catch(failed), timeout])
    stop.abort()
    return result
  }

  function current(): Promise<Result> {
    const at = clock.nowMs()
    if (!cached || Math.abs(at - cached.at) >= MAX_AGE_MS) cached = { at, result: readInTime() }
    return cached.result
  }

  return {
    async check() {
      const { checks } = await current()
      const needed = watchesChain ? checks : checks.filter(({ name }) => name === 'database' || name === 'migrations')
      return { isReady: needed.every(({ reason }) => reason === null), checks }
    },

    isChainSeen: async () => (await current()).isChainSeen,
  }
}
