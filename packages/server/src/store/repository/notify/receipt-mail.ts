import { RECEIPT_MAILS } from '../../../domain/notify/receipt-mail.ts'
import type { ReceiptMailRepository } from '../../../ports/repository/notify/receipt-mail.ts'
import { countUpTo } from '../../count.ts'
import type { Db } from '../../tables.ts'
import type { TxHooks } from '../../transaction/hooks.ts'

export function receiptMailRepository(db: Db, hooks: Pick<TxHooks, 'notify'>): ReceiptMailRepository {
  const ofInvoice = (invoiceId: number) =>
    countUpTo(
      db,
      db.selectFrom('receipt_mails').select('nth').where('invoice_id', '=', invoiceId),
      RECEIPT_MAILS.perInvoice,
    )

  return {
    async count({ invoiceId, accountId }, since) {
      const recent = db
        .selectFrom('receipt_mails')
        .select('nth')
        .where('account_id', '=', accountId)
        .where('queued_at', '>=', since)
      return {
        ofInvoice: await ofInvoice(invoiceId),
        ofAccount: await countUpTo(db, recent, RECEIPT_MAILS.perAccount),
      }
    },

    async isRepeated(repeatKey) {
      const row = await db
        .selectFrom('mails')
        .select('id')
        .where('notice_to', '=', repeatKey)
        .where('about', '=', 'receipt')
        .executeTakeFirst()
      return row !== undefined
    },

    async enqueue({ invoiceId, accountId, to, subject, text, createdAt, repeatKey }) {
      await db
        .insertInto('receipt_mails')
        .values({
          invoice_id: invoiceId,
          nth: (await ofInvoice(invoiceId)) + 1,
          account_id: accountId,
          queued_at: createdAt,
        })
        .execute()
      await db
        .insertInto('mails')
        .values({
          recipient: to,
          notice_to: repeatKey,
          about: 'receipt',
          subject,
          detail: text,
          created_at: createdAt,
          due_at: createdAt,
        })
        .execute()
      hooks.notify('mails')
    },

    async end({ id, to, createdAt }, until) {
      await db
        .updateTable('mails')
        .set({ recipient: '', subject: null, detail: null, mailed_events: 1, due_at: until })
        .where('id', '=', id)
        .where('recipient', '=', to)
        .where('about', '=', 'receipt')
        .where('created_at', '=', createdAt)
        .execute()
    },
  }
}
