import type { DatabaseConnection } from 'kysely'
import { AppError } from '../../domain/error.ts'
import type { NewInvoice } from '../../domain/sale/invoice.ts'
import type { KeyOfAccountIds } from '../../ports/repository/account/viewing-key.ts'
import type { AppendedEvent } from '../../ports/repository/notify/event.ts'
import type { BatchTx, Topic } from '../../ports/store.ts'
import type { Database } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { incrementAll, type UsageIncrement } from '../repository/account/usage.ts'
import { usedKeys } from '../repository/account/viewing-key.ts'
import { chainRepository } from '../repository/chain/chain.ts'
import { idempotencyRepository } from '../repository/idempotency.ts'
import { insertEvents } from '../repository/notify/event.ts'
import { mailRepository } from '../repository/notify/mail.ts'
import { invoiceRepository } from '../repository/sale/invoice.ts'
import { insertInvoices } from '../repository/sale/new-invoice.ts'
import type { Db, Tables } from '../tables.ts'
import { RevocableConnection } from '../transaction/connection.ts'
import { openDb } from '../transaction/open-db.ts'
import { batchLoader } from './batch-loader.ts'

/** The result of one write of a batch. */
export type BatchedWriteResult =
  | { readonly kind: 'done'; readonly value: unknown }
  /** It rejected the request before it changed anything, so the rest of the batch goes on. */
  | { readonly kind: 'refused'; readonly error: AppError }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Writes that run concurrently in one transaction. */
export interface WriteBatch {
  run(work: (tx: BatchTx) => Promise<unknown>): Promise<BatchedWriteResult>
  /**
   * Numbers and writes the events of all writes that have ended, by one statement, so that every process locks the numbers of
   * accounts in the same order. Call it last, before the commit.
   * @returns the topics to notify after the commit
   */
  flush(): Promise<readonly Topic[]>
  /** Ends the access: every later statement of the batch fails. */
  end(): void
}

/** Opens a batch on a connection whose transaction has begun. */
export function openWriteBatch(
  connection: DatabaseConnection,
  { dialect, identity }: Database,
  limits: StoreLimits,
): WriteBatch {
  const shared = new RevocableConnection(connection)
  const sharedDb = openDb<Tables>(shared, dialect)
  const incrementUsage = batchLoader((items: readonly UsageIncrement[]) => incrementAll(sharedDb, items), limits)
  const insertInvoice = batchLoader((invoices: readonly NewInvoice[]) => insertInvoices(sharedDb, invoices), limits)
  const appended: AppendedEvent[] = []
  const keyOfAccount = batchLoader((pairs: readonly KeyOfAccountIds[]) => usedKeys(sharedDb, pairs), limits)

  async function run(work: (tx: BatchTx) => Promise<unknown>): Promise<BatchedWriteResult> {
    const own = new RevocableConnection(shared)
    let opened: Db | undefined
    // Most writes need only the shared statements.
    const db = () => (opened ??= openDb<Tables>(own, dialect))
    let changed = false
    const tx: BatchTx = {
      usage: {
        async increment(accountId, month, limit) {
          const result = await incrementUsage({ accountId, month, limit })
          changed ||= result.counted
          return result
        },
      },
      invoices: {
        byPublicId: publicId => invoiceRepository(db()).byPublicId(publicId),
        insert(invoice) {
          changed = true
          return insertInvoice(invoice)
        },
      },
      events: {
        async append(events) {
          changed = true
          for (const event of events) appended.push(event)
        },
      },
      idempotency: {
        async claim(claim) {
          const earlier = await idempotencyRepository(db()).claim(claim)
          changed ||= earlier === null
          return earlier
        },
      },
      chain: { tip: () => chainRepository(db()).tip() },
      mails: {
        async enqueue(notice) {
          changed = true
          await mailRepository(db(), { notify() {} }).enqueue(notice)
        },
      },
      viewingKeys: { ofAccount: keyOfAccount },
    }
    try {
      const value = await work(tx)
      own.rethrowFailure()
      shared.rethrowFailure()
      return { kind: 'done', value }
    } catch (error) {
      const refused = error instanceof AppError && error.kind !== 'unavailable' && !changed
      return refused ? { kind: 'refused', error } : { kind: 'failed', error }
    } finally {
      own.revoke()
    }
  }

  return {
    run,
    async flush() {
      const written = appended.length > 0 ? await insertEvents(sharedDb, identity, appended) : null
      shared.rethrowFailure()
      return written?.hasFollowers ? ['events'] : []
    },
    end: () => shared.revoke(),
  }
}
