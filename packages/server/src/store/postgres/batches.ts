import type { Topic } from '../../ports/store.ts'
import type { BatchDriver, BatchTransaction } from '../batching/group-commit.ts'
import type { Database } from '../dialect.ts'
import { withTimeout } from '../transaction/timeout.ts'
import type { PgClient, PgSource } from './driver.ts'
import { PgConnection } from './driver.ts'
import { isStalePlan, isTransient, translatePgError } from './error.ts'

/** PostgreSQL caches up to 64 open subtransactions of a backend; more of them slow down every other backend. */
export const MAX_SAVEPOINTS = 60

type Notify = (client: PgClient, topics: ReadonlySet<Topic>) => Promise<void>

/**
 * @param waitMs Time limit for each response of the server, in milliseconds
 * @param notify Sends the notifications of the topics in the transaction
 */
export function postgresBatchDriver(source: PgSource, database: Database, waitMs: number, notify: Notify): BatchDriver {
  return {
    database,
    isTransient,
    translateError: translatePgError,
    async begin() {
      const client = await source.connect()
      const batch = new PostgresBatch(client, waitMs, notify)
      try {
        await withTimeout(waitMs, () => client.query('BEGIN'))
      } catch (error) {
        client.release(true)
        throw error
      }
      return batch
    },
  }
}

class PostgresBatch implements BatchTransaction {
  readonly connection: PgConnection
  readonly #client: PgClient
  readonly #waitMs: number
  readonly #notify: Notify
  /** Statements sent without waiting, pipelined with the others. After a failed one all following statements fail. */
  readonly #pipelined: Promise<unknown>[] = []
  #stale = false

  constructor(client: PgClient, waitMs: number, notify: Notify) {
    this.connection = new PgConnection(client)
    this.#client = client
    this.#waitMs = waitMs
    this.#notify = notify
  }

  savepoint(): void {
    this.#send('SAVEPOINT use_case')
  }

  releaseSavepoint(): void {
    this.#send('RELEASE use_case')
  }

  async rollbackToSavepoint(error: unknown): Promise<void> {
    this.#stale ||= isStalePlan(error)
    await withTimeout(this.#waitMs, () => this.#client.query('ROLLBACK TO use_case'))
    this.releaseSavepoint()
  }

  async commit(topics: ReadonlySet<Topic>): Promise<void> {
    await withTimeout(this.#waitMs, async () => {
      await this.#notify(this.#client, topics)
      await Promise.all([...this.#pipelined, this.#client.query('COMMIT')])
    })
    this.#client.release(this.#stale)
  }

  async rollback(): Promise<void> {
    this.#client.release(true)
  }

  #send(sql: string): void {
    const sent = this.#client.query(sql)
    sent.catch(() => {})
    this.#pipelined.push(sent)
  }
}
