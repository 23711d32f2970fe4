import type { Topic } from '../../ports/store.ts'
import type { BatchDriver, BatchTransaction } from '../batching/group-commit.ts'
import type { Database } from '../dialect.ts'
import { withTimeout } from '../transaction/timeout.ts'
import type { PgClient, PgSource } from './driver.ts'
import { PgConnection } from './driver.ts'
import { isTransient, spoilsConnection, translatePgError } from './error.ts'

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
      return new PostgresBatch(await source.connect(), waitMs, notify)
    },
  }
}

/** The state of a batch: nothing is open, the transaction alone, or a savepoint in it. */
type Open = 'nothing' | 'transaction' | 'savepoint'

/**
 * Begins with its first use case, which needs no savepoint, and leaves the last savepoint to the commit: every message
 * that is not sent spares the server and this process a switch to the other.
 */
class PostgresBatch implements BatchTransaction {
  readonly connection: PgConnection
  readonly #client: PgClient
  readonly #waitMs: number
  readonly #notify: Notify
  /** Statements sent without waiting, pipelined with the others. After a failed one all following statements fail. */
  readonly #pipelined: Promise<unknown>[] = []
  #open: Open = 'nothing'
  #spoiled = false

  constructor(client: PgClient, waitMs: number, notify: Notify) {
    this.connection = new PgConnection(client)
    this.#client = client
    this.#waitMs = waitMs
    this.#notify = notify
  }

  savepoint(): void {
    if (this.#open === 'nothing') {
      this.#send('BEGIN')
      this.#open = 'transaction'
      return
    }
    if (this.#open === 'savepoint') this.#send('RELEASE use_case')
    this.#send('SAVEPOINT use_case')
    this.#open = 'savepoint'
  }

  /** The next savepoint or the commit releases it. */
  releaseSavepoint(): void {}

  async rollbackToSavepoint(error: unknown): Promise<void> {
    this.#spoiled ||= spoilsConnection(error)
    const inSavepoint = this.#open === 'savepoint'
    await withTimeout(this.#waitMs, () => this.#client.query(inSavepoint ? 'ROLLBACK TO use_case' : 'ROLLBACK'))
    if (!inSavepoint) this.#open = 'nothing'
  }

  async commit(topics: ReadonlySet<Topic>): Promise<void> {
    await withTimeout(this.#waitMs, async () => {
      await this.#notify(this.#client, topics)
      if (this.#open !== 'nothing') this.#send('COMMIT')
      await Promise.all(this.#pipelined)
    })
    this.#client.release(this.#spoiled)
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
