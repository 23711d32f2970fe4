import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { MAX_MEASURED } from '../../../domain/count.ts'
import type { BillingRepository, Purchase } from '../../../ports/repository/account/billing.ts'
import { countUpTo } from '../../count.ts'
import { keptStatement } from '../../kept-statement.ts'
import { num, numOrNull } from '../../mapping.ts'
import { paginate, readPage } from '../../paginate.ts'
import type { Db, PlanPurchasesTable } from '../../tables.ts'
import { isNotSetAside } from '../set-aside.ts'

// Asked every few seconds.
const findEndedPlans = keptStatement(db =>
  db
    .selectFrom('accounts')
    .select('id')
    .where('plan_expires_at', '<=', 0)
    .where(isNotSetAside('plan', sql.ref('accounts.public_id')))
    .orderBy('plan_expires_at')
    .limit(0),
)
const findToRemind = keptStatement(db =>
  db
    .selectFrom('accounts')
    .leftJoin('plan_announcements as sent', 'sent.account_id', 'accounts.id')
    .select('accounts.id')
    .where('accounts.plan_expires_at', '>', 0)
    .where('accounts.plan_expires_at', '<=', 0)
    .where(isNotSetAside('plan_reminder', sql.ref('accounts.public_id')))
    .where(eb =>
      eb.or([
        eb('sent.plan_expires_at', 'is', null),
        eb('sent.plan_expires_at', '<>', eb.ref('accounts.plan_expires_at')),
      ]),
    )
    .orderBy('accounts.plan_expires_at')
    .limit(0),
)

export function billingRepository(db: Db): BillingRepository {
  return {
    async insert(purchase) {
      await db
        .insertInto('plan_purchases')
        .values({
          invoice_id: purchase.invoiceId,
          account_id: purchase.accountId,
          plan: purchase.plan,
          price_zat: purchase.priceZat,
          period_days: purchase.periodDays,
          status: 'open',
          created_at: purchase.createdAt,
        })
        .execute()
    },

    async byInvoice(invoiceId) {
      const row = await db
        .selectFrom('plan_purchases')
        .selectAll()
        .where('invoice_id', '=', invoiceId)
        .executeTakeFirst()
      return row ? toPurchase(row) : null
    },

    async update(invoiceId, { status, decidedAt, grantedUntil }) {
      await db
        .updateTable('plan_purchases')
        .set({ status, decided_at: decidedAt, granted_until: grantedUntil })
        .where('invoice_id', '=', invoiceId)
        .execute()
    },

    async list(accountId, page) {
      const purchases = db.selectFrom('plan_purchases').selectAll().where('account_id', '=', accountId)
      const cursorOf = (before: string) =>
        db
          .selectFrom('invoices')
          .innerJoin('plan_purchases as p', 'p.invoice_id', 'invoices.id')
          .select('invoices.id')
          .where('invoices.public_id', '=', before)
          .where('p.account_id', '=', accountId)
      return (await readPage(paginate(purchases, page, ['invoice_id'], cursorOf), page, cursorOf)).map(toPurchase)
    },

    countNeedingAttention: () =>
      countUpTo(
        db,
        db.selectFrom('plan_purchases').select('invoice_id').where('status', '=', sql.lit('needs_attention')),
        MAX_MEASURED,
      ),

    async accountsWithEndedPlan(now, limit) {
      return (await findEndedPlans(db, 1, [now, limit])).map(row => num(row.id))
    },

    async accountsToRemind(now, until, limit) {
      return (await findToRemind(db, 1, [now, until, limit])).map(row => num(row.id))
    },

    async recordReminder(accountId, planExpiresAt) {
      const recorded = await db
        .insertInto('plan_announcements')
        .values({ account_id: accountId, plan_expires_at: planExpiresAt })
        .onConflict(conflict =>
          conflict
            .column('account_id')
            .doUpdateSet({ plan_expires_at: planExpiresAt })
            .where('plan_announcements.plan_expires_at', '<>', planExpiresAt),
        )
        .returning('account_id')
        .executeTakeFirst()
      return recorded !== undefined
    },
  }
}

function toPurchase(row: Selectable<PlanPurchasesTable>): Purchase {
  return {
    invoiceId: num(row.invoice_id),
    accountId: num(row.account_id),
    plan: row.plan,
    priceZat: BigInt(row.price_zat),
    periodDays: num(row.period_days),
    status: row.status,
    decidedAt: numOrNull(row.decided_at),
    grantedUntil: numOrNull(row.granted_until),
    createdAt: num(row.created_at),
  }
}
