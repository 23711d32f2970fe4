import type { DatabaseConnection } from 'kysely'
import type { Topic, Tx } from '../../ports/store.ts'
import type { Database } from '../dialect.ts'
import type { Tables } from '../tables.ts'
import { RevocableConnection } from './connection.ts'
import type { DeferredWork, TxHooks } from './hooks.ts'
import { openDb } from './open-db.ts'
import { createTx } from './tx.ts'

/** The database access of one use case, and the work deferred to the end of its transaction. */
export interface Transaction {
  readonly tx: Tx
  /** Topics to notify after the commit. */
  readonly topics: ReadonlySet<Topic>
  /**
   * Runs the deferred work. Call it last, before the commit.
   * @throws the error of a failed statement, even if the use case caught it: PostgreSQL would not commit.
   */
  flush(): Promise<void>
  /** Ends the access: every later statement of this use case fails. */
  end(): void
}

/** `query` is a read of one statement, which is its own snapshot. */
export type TransactionMode = 'write' | 'read' | 'query'

/** Opens the repositories on a connection whose transaction has begun. */
export function openTransaction(
  connection: DatabaseConnection,
  { dialect, identity }: Database,
  mode: TransactionMode,
): Transaction {
  const fence = new RevocableConnection(connection, mode === 'query' ? 1 : undefined)
  const db = openDb<Tables>(fence, dialect)
  const topics = new Set<Topic>()
  const deferred: DeferredWork[] = []
  const requireWrite = () => {
    if (mode !== 'write') throw new Error('a read must not change anything: use write')
  }
  const hooks: TxHooks = {
    beforeCommit: work => {
      requireWrite()
      deferred.push(work)
    },
    notify: topic => {
      requireWrite()
      topics.add(topic)
    },
  }
  return {
    tx: createTx({ db, dialect, identity, hooks }),
    topics,
    async flush() {
      for (const work of deferred.splice(0)) await work()
      fence.rethrowFailure()
    },
    end: () => fence.revoke(),
  }
}
