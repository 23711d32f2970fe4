import type { Topic } from '../../ports/store.ts'
import type { Batch, Batches } from '../batching/group-commit.ts'
import type { Dialect } from '../dialect.ts'
import { within } from '../transaction/transaction.ts'
import type { PgClient, PgSource } from './driver.ts'
import { PgConnection } from './driver.ts'
import { isStalePlan, isTransient, pgFault } from './error.ts'

/** PostgreSQL caches up to 64 open subtransactions of a backend; more of them slow down every other backend. */
export const MOST_SAVEPOINTS = 60

type Notify = (client: PgClient, topics: ReadonlySet<Topic>) => Promise<void>

/**
 * @param waitMs Time limit for each response of the server, in milliseconds
 * @param notify Sends the notifications of the topics in the transaction
 */
export function postgresBatches(source: PgSource, dialect: Dialect, waitMs: number, notify: Notify): Batches {
  return {
    dialect,
    isTransient,
    fault: pgFault,
    async begin() {
      const client = await source.connect()
      const batch = new PostgresBatch(client, waitMs, notify)
      try {
        await within(waitMs, () => client.query('BEGIN'))
      } catch (error) {
        client.release(true)
        throw error
      }
      return batch
    },
  }
}

class PostgresBatch implements Batch {
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

  release(): void {
    this.#send('RELEASE use_case')
  }

  async rollbackTo(error: unknown): Promise<void> {
    this.#stale ||= isStalePlan(error)
    await within(this.#waitMs, () => this.#client.query('ROLLBACK TO use_case'))
    this.release()
  }

  async commit(topics: ReadonlySet<Topic>): Promise<void> {
    await within(this.#waitMs, async () => {
      await this.#notify(this.#client, topics)
      await Promise.all([...this.#pipelined, this.#client.query('COMMIT')])
    })
    this.#client.release(this.#stale)
  }

  async abandon(): Promise<void> {
    this.#client.release(true)
  }

  #send(sql: string): void {
    const sent = this.#client.query(sql)
    sent.catch(() => {})
    this.#pipelined.push(sent)
  }
}
