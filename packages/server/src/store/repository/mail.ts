import type { ExpressionBuilder, Selectable } from 'kysely'
import type { ClaimedMail, MailRepository, MailRow } from '../../ports/repository/mail.ts'
import { chunks, num } from '../mapping.ts'
import type { Db, MailsTable, Tables } from '../tables.ts'
import type { TxHooks } from '../transaction/hooks.ts'

const ATTENTION_COLUMNS = 5

export function mailRepository(db: Db, hooks: Pick<TxHooks, 'notify'>): MailRepository {
  return {
    async enqueue(mail) {
      await db
        .insertInto('mails')
        .values({
          recipient: mail.to,
          about: mail.about,
          code_id: mail.about === 'code' ? mail.codeId : null,
          detail: mail.about === 'code' ? null : mail.detail,
          created_at: mail.createdAt,
          due_at: mail.createdAt,
        })
        .execute()
      hooks.notify('mails')
    },

    async enqueueAttention(mails) {
      for (const batch of chunks(mails, ATTENTION_COLUMNS)) {
        await db
          .insertInto('mails')
          .values(
            batch.map(({ to, about, accountId, createdAt, dueAt }) => ({
              recipient: to,
              about,
              account_id: accountId,
              created_at: createdAt,
              due_at: dueAt,
            })),
          )
          .onConflict(conflict => conflict.doNothing())
          .execute()
      }
    },

    async claimDue(now, limit, retryAt) {
      const due = await db
        .selectFrom('mails')
        .selectAll()
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .execute()
      for (const { id, tries } of due) {
        const attempts = num(tries) + 1
        await db
          .updateTable('mails')
          .set({ tries: attempts, due_at: retryAt(attempts) })
          .where('id', '=', id)
          .execute()
      }
      return due.map(toMail)
    },

    async postpone(mail, dueAt) {
      await db.updateTable('mails').set({ due_at: dueAt, tries: 0 }).where(isSame(mail)).execute()
    },

    async remove(mail) {
      await db.deleteFrom('mails').where(isSame(mail)).execute()
    },
  }
}

/** SQLite uses the id of a removed mail again, so the id alone does not identify a mail. */
function isSame({ id, to, about, createdAt }: ClaimedMail) {
  return ({ and }: ExpressionBuilder<Tables, 'mails'>) => and({ id, recipient: to, about, created_at: createdAt })
}

function toMail(row: Selectable<MailsTable>): MailRow {
  const common = {
    id: num(row.id),
    to: row.recipient,
    createdAt: num(row.created_at),
    attempts: num(row.tries) + 1,
  }
  if (row.about === 'code') return { ...common, about: row.about, codeId: num(row.code_id as bigint) }
  if (row.about === 'plan_ends') return { ...common, about: row.about, detail: row.detail ?? '' }
  if (row.about === 'reorged_payments') return { ...common, about: row.about, accountId: num(row.account_id as bigint) }
  return { ...common, about: row.about, detail: row.detail }
}
