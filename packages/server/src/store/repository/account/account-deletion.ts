import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { OPEN_WORK, type OpenWork } from '../../../domain/account/account-deletion.ts'
import { FREE_PLAN } from '../../../domain/account/plan.ts'
import { watchedSince } from '../../../domain/chain/watched-key.ts'
import { ERASED_COLUMNS } from '../../../domain/sale/invoice-text.ts'
import type { AccountDeletionRepository } from '../../../ports/repository/account/account-deletion.ts'
import { isAnySet, nulls } from '../../field.ts'
import { num } from '../../mapping.ts'
import { NO_PAYOUT_DETAILS } from '../../placeholder.ts'
import type { Db, Tables } from '../../tables.ts'
import { deleteUnusedKeys } from './unused-key.ts'

const OPEN_INVOICE = ['pending', 'detected'] as const
/** Each is the condition of a partial index, word for word: SQLite uses the index for nothing else. */
const HAS_ORDER = sql<boolean>`order_id IS NOT NULL`
const HAS_DETAILS = isAnySet(ERASED_COLUMNS.filter(column => column !== 'order_id'))
/**
 * Tables with many rows of an account, their keys, and the order of an index of the account. A table follows those that
 * refer to it.
 */
const ERASED = [
  ['delivery_attempts', 'id', 'id'],
  ['deliveries', 'id', 'id'],
  ['audit_entries', 'id', 'id'],
  ['refunds', 'id', 'created_at'],
  ['link_invoices', 'invoice_id', 'client'],
] as const satisfies readonly (readonly [table: keyof Tables, key: string, order: string])[]
const OWED_REFUND = ['awaiting_address', 'ready'] as const
const OPEN_WITHDRAWAL = ['awaiting_deposit', 'deposit_detected', 'payout_processing', 'needs_attention'] as const

export function accountDeletionRepository(db: Db): AccountDeletionRepository {
  /** A query for each kind of work that keeps the account. */
  function workQueries(accountId: number, at: number): Record<OpenWork, () => Promise<object | undefined>> {
    const since = watchedSince(at)
    const canChange = ({ or, eb }: ExpressionBuilder<Tables, 'invoices'>) =>
      or([eb('invoices.status', 'in', OPEN_INVOICE), eb('invoices.watch_until', '>=', since)])
    const invoices = db.selectFrom('invoices').select('id').where('account_id', '=', accountId).limit(1)
    const keys = db.selectFrom('account_viewing_keys').select('viewing_key_id').where('account_id', '=', accountId)
    return {
      set_aside: () =>
        db
          .selectFrom('set_aside')
          .select('row_id')
          .where(({ or, and, eb }) =>
            or([
              and([eb('account_id', '=', accountId), eb('kind', '!=', 'account_deletion')]),
              and([eb('kind', '=', 'scan_key'), eb('row_id', 'in', keys)]),
            ]),
          )
          .limit(1)
          .executeTakeFirst(),
      async invoice() {
        const open = await invoices.where('status', 'in', OPEN_INVOICE).executeTakeFirst()
        if (open) return open
        // A key is watched as long as each of its invoices. When no key is, none of many invoices is read.
        const ofKeys = db.selectFrom('viewing_keys').select('id').where('id', 'in', keys)
        if (!(await ofKeys.where('watch_until', '>=', since).limit(1).executeTakeFirst())) return undefined
        const newestFirst = invoices.orderBy('created_at', 'desc').orderBy('id', 'desc')
        return newestFirst.where('watch_until', '>=', since).executeTakeFirst()
      },
      delivery: () =>
        db
          .selectFrom('deliveries')
          .select('id')
          .where('account_id', '=', accountId)
          .where('due_at_ms', 'is not', null)
          .limit(1)
          .executeTakeFirst(),
      endpoint: () =>
        db
          .selectFrom('endpoints')
          .innerJoin('event_counters', 'event_counters.account_id', 'endpoints.account_id')
          .select('endpoints.id')
          .where('endpoints.account_id', '=', accountId)
          .where('endpoints.removed_at', 'is', null)
          .where('endpoints.enabled', '=', 1)
          .where('endpoints.paused_at', 'is', null)
          .where(({ or, eb, exists }) =>
            or([
              eb('event_counters.seq', '>', eb.ref('endpoints.cursor_seq')),
              exists(
                eb
                  .selectFrom('deliveries')
                  .select('deliveries.id')
                  .whereRef('deliveries.endpoint_id', '=', 'endpoints.id')
                  .where('deliveries.endpoint_due_at_ms', 'is not', null),
              ),
            ]),
          )
          .limit(1)
          .executeTakeFirst(),
      withdrawal: () =>
        db
          .selectFrom('withdrawals')
          .innerJoin('invoices', 'invoices.id', 'withdrawals.invoice_id')
          .select('invoices.id')
          .where('withdrawals.account_id', '=', accountId)
          .where(({ or, eb }) => or([eb('withdrawals.status', 'in', OPEN_WITHDRAWAL), canChange(eb)]))
          .limit(1)
          .executeTakeFirst(),
      plan_purchase: () =>
        db
          .selectFrom('plan_purchases')
          .innerJoin('invoices', 'invoices.id', 'plan_purchases.invoice_id')
          .select('invoices.id')
          .where('plan_purchases.account_id', '=', accountId)
          .where('plan_purchases.status', '=', 'open')
          .where(canChange)
          .limit(1)
          .executeTakeFirst(),
      swap: () =>
        db
          .selectFrom('swaps')
          .innerJoin('invoices', 'invoices.id', 'swaps.invoice_id')
          .select('swaps.id')
          .where('invoices.account_id', '=', accountId)
          .where('swaps.next_poll_at_ms', 'is not', null)
          .limit(1)
          .executeTakeFirst(),
      refund: () =>
        db
          .selectFrom('refunds')
          .select('id')
          .where('account_id', '=', accountId)
          .where('status', 'in', OWED_REFUND)
          .limit(1)
          .executeTakeFirst(),
    }
  }

  /** A range: with `account_id = …`, PostgreSQL may follow the primary key through the rows of all accounts. */
  async function eraseRows(
    [table, key, order]: (typeof ERASED)[number],
    accountId: number,
    limit: number,
  ): Promise<number> {
    const [from, id] = [sql.table(table), sql.ref(key)]
    const some = sql`SELECT ${id} FROM ${from} WHERE account_id BETWEEN ${accountId} AND ${accountId}
      ORDER BY account_id, ${sql.ref(order)} LIMIT ${limit}`
    const { numAffectedRows } = await sql`DELETE FROM ${from} WHERE ${id} IN (${some})`.execute(db)
    return num(numAffectedRows ?? 0)
  }

  /** Their bodies have what the shop wrote. Other accounts have events with the same numbers. */
  async function eraseEvents(accountId: number, limit: number): Promise<number> {
    const events = db.selectFrom('events').select('seq').where('account_id', '=', accountId).orderBy('seq').limit(limit)
    const result = await db
      .deleteFrom('events')
      .where('account_id', '=', accountId)
      .where('seq', 'in', events)
      .executeTakeFirst()
    return num(result.numDeletedRows)
  }

  /** Refund addresses of buyers, and the provider's responses, which repeat them. */
  async function eraseSwapDetails(accountId: number, limit: number): Promise<number> {
    const swaps = db
      .selectFrom('swaps')
      .innerJoin('invoices', 'invoices.id', 'swaps.invoice_id')
      .select('swaps.id')
      .where('invoices.account_id', '=', accountId)
      .where('swaps.refund_to', '!=', '')
      .limit(limit)
    const result = await db
      .updateTable('swaps')
      .set({ refund_to: '', quote_raw: '', status_raw: null })
      .where('id', 'in', swaps)
      .executeTakeFirst()
    return num(result.numUpdatedRows)
  }

  /** Erases the shop's texts, which may name a buyer. The rows that have any are found by two indexes. */
  async function eraseOrders(accountId: number, found: RawBuilder<boolean>, limit: number): Promise<number> {
    const named = db.selectFrom('invoices').select('id').where('account_id', '=', accountId).where(found).limit(limit)
    const result = await db
      .updateTable('invoices')
      .set(nulls(ERASED_COLUMNS))
      .where('id', 'in', named)
      .executeTakeFirst()
    return num(result.numUpdatedRows)
  }

  async function eraseViewingKeys(accountId: number, at: number): Promise<void> {
    const removed = await db
      .deleteFrom('account_viewing_keys')
      .where('account_id', '=', accountId)
      .returning('viewing_key_id')
      .execute()
    const ids = removed.map(row => num(row.viewing_key_id))
    if (ids.length === 0) return
    const shared = await db
      .selectFrom('account_viewing_keys')
      .select('viewing_key_id')
      .where('viewing_key_id', 'in', ids)
      .execute()
    const usedByOthers = new Set(shared.map(row => num(row.viewing_key_id)))
    await deleteUnusedKeys(
      db,
      ids.filter(id => !usedByOthers.has(id)),
      watchedSince(at),
    )
  }

  return {
    async openWork(accountId, at) {
      const queries = workQueries(accountId, at)
      for (const kind of OPEN_WORK) if (await queries[kind]()) return kind
      return null
    },

    async eraseHistory(accountId, limit) {
      for (const rows of ERASED) if ((await eraseRows(rows, accountId, limit)) > 0) return true
      const erased = [
        await eraseEvents(accountId, limit),
        await eraseSwapDetails(accountId, limit),
        await eraseOrders(accountId, HAS_ORDER, limit),
        await eraseOrders(accountId, HAS_DETAILS, limit),
      ]
      return erased.some(rows => rows > 0)
    },

    async erase({ id, email }, replacement, at) {
      const sessions = db.selectFrom('sessions').select('id').where('account_id', '=', id)
      await db.deleteFrom('recent_authentications').where('session_id', 'in', sessions).execute()
      const changes = db.selectFrom('email_changes').select('id').where('account_id', '=', id)
      await db.deleteFrom('mails').where('email_change_id', 'in', changes).execute()
      for (const table of [
        'sessions',
        'stores',
        'store_logos',
        'payment_links',
        'api_keys',
        'webhooks',
        'event_counters',
        'endpoints',
        'attention_mails',
        'email_changes',
        'plan_announcements',
        'monthly_usage',
        'daily_totals',
        'daily_prices',
        'mails',
        'set_aside',
      ] as const)
        await db.deleteFrom(table).where('account_id', '=', id).execute()
      await db.deleteFrom('mails').where('recipient', '=', email).execute()
      await db.deleteFrom('sign_in_codes').where('email', '=', email).execute()
      await db
        .updateTable('withdrawals')
        .set({ payout_to: NO_PAYOUT_DETAILS, reason: null })
        .where('account_id', '=', id)
        .execute()
      await db
        .updateTable('accounts')
        .set({
          email: replacement,
          plan: FREE_PLAN,
          plan_expires_at: null,
          viewing_key_id: null,
          viewing_key_expires_at: null,
          viewing_key_expiry_height: null,
          deletion_requested_at: null,
          erased_at: at,
        })
        .where('id', '=', id)
        .execute()
      await eraseViewingKeys(id, at)
    },
  }
}
