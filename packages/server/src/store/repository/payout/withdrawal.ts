import type { Selectable } from 'kysely'
import { MAX_MEASURED } from '../../../domain/count.ts'
import type { Withdrawal, WithdrawalRepository } from '../../../ports/repository/payout/withdrawal.ts'
import { countUpTo } from '../../count.ts'
import { num } from '../../mapping.ts'
import { paginate, readPage } from '../../paginate.ts'
import { NO_PAYOUT_DETAILS } from '../../placeholder.ts'
import type { Db, WithdrawalsTable } from '../../tables.ts'

const AT_CREATION = {
  status: 'awaiting_deposit',
  receivedZat: 0n,
  receivedAtCloseZat: null,
  reference: null,
  reason: null,
} as const

export function withdrawalRepository(db: Db): WithdrawalRepository {
  const all = () => db.selectFrom('withdrawals').selectAll()

  return {
    async insert(order) {
      const withdrawal = { ...order, ...AT_CREATION, updatedAt: order.createdAt }
      await db
        .insertInto('withdrawals')
        .values({
          invoice_id: withdrawal.invoiceId,
          public_id: withdrawal.publicId,
          account_id: withdrawal.accountId,
          status: withdrawal.status,
          amount_zat: withdrawal.amountZat,
          received_zat: withdrawal.receivedZat,
          fiat_currency: withdrawal.fiatCurrency,
          fiat_amount: withdrawal.fiatAmount,
          rate: withdrawal.rate,
          payout_to: withdrawal.sealedPayoutTo,
          created_at: withdrawal.createdAt,
          updated_at: withdrawal.updatedAt,
        })
        .execute()
      return withdrawal
    },

    async byInvoice(invoiceId) {
      const row = await all().where('invoice_id', '=', invoiceId).executeTakeFirst()
      return row ? toWithdrawal(row) : null
    },

    async byPublicId(publicId, accountId) {
      let query = all().where('public_id', '=', publicId)
      if (accountId !== undefined) query = query.where('account_id', '=', accountId)
      const row = await query.executeTakeFirst()
      return row ? toWithdrawal(row) : null
    },

    async list(accountId, page) {
      const withdrawals = all().where('account_id', '=', accountId)
      const cursorOf = (before: string) =>
        db
          .selectFrom('withdrawals')
          .select('invoice_id')
          .where('public_id', '=', before)
          .where('account_id', '=', accountId)
      return (await readPage(paginate(withdrawals, page, ['invoice_id'], cursorOf), page, cursorOf)).map(toWithdrawal)
    },

    async listNewest(limit) {
      const rows = await all().orderBy('invoice_id', 'desc').limit(limit).execute()
      return rows.map(toWithdrawal)
    },

    countByStatus: status =>
      countUpTo(db, db.selectFrom('withdrawals').select('invoice_id').where('status', '=', status), MAX_MEASURED),

    async update(invoiceId, outcome) {
      await db
        .updateTable('withdrawals')
        .set({
          status: outcome.status,
          received_zat: outcome.receivedZat,
          received_at_close_zat: outcome.receivedAtCloseZat,
          reference: outcome.reference,
          reason: outcome.reason,
          updated_at: outcome.updatedAt,
        })
        .where('invoice_id', '=', invoiceId)
        .execute()
    },

    async listAfter(invoiceId, limit) {
      const rows = await all()
        .where('invoice_id', '>', invoiceId)
        .where('payout_to', '!=', NO_PAYOUT_DETAILS)
        .orderBy('invoice_id')
        .limit(limit)
        .execute()
      return rows.map(toWithdrawal)
    },

    async reseal(invoiceId, read, sealedPayoutTo) {
      const result = await db
        .updateTable('withdrawals')
        .set({ payout_to: sealedPayoutTo })
        .where('invoice_id', '=', invoiceId)
        .where('payout_to', '=', read)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
  }
}

function toWithdrawal(row: Selectable<WithdrawalsTable>): Withdrawal {
  return {
    invoiceId: num(row.invoice_id),
    publicId: row.public_id,
    accountId: num(row.account_id),
    status: row.status,
    amountZat: BigInt(row.amount_zat),
    receivedZat: BigInt(row.received_zat),
    receivedAtCloseZat: row.received_at_close_zat === null ? null : BigInt(row.received_at_close_zat),
    fiatCurrency: row.fiat_currency,
    fiatAmount: row.fiat_amount,
    rate: row.rate,
    sealedPayoutTo: row.payout_to,
    reference: row.reference,
    reason: row.reason,
    createdAt: num(row.created_at),
    updatedAt: num(row.updated_at),
  }
}
