import type { AttentionMailRepository } from '../../../ports/repository/notify/attention-mail.ts'
import { chunks, distinctAscending, num, numOrNull } from '../../mapping.ts'
import type { Db } from '../../tables.ts'

export function attentionMailRepository(db: Db): AttentionMailRepository {
  const changesOf = (accountId: number) =>
    db.selectFrom('attention_mails').select('changes').where('account_id', '=', accountId)

  return {
    async incrementChangeCount(accountIds) {
      const locked = []
      for (const batch of chunks(distinctAscending(accountIds), 2)) {
        await db
          .insertInto('attention_mails')
          .values(batch.map(id => ({ account_id: id, changes: 1 })))
          .onConflict(conflict =>
            conflict.column('account_id').doUpdateSet(eb => ({ changes: eb('attention_mails.changes', '+', 1) })),
          )
          .execute()
        const rows = await db
          .selectFrom('attention_mails')
          .innerJoin('accounts', 'accounts.id', 'attention_mails.account_id')
          .where('attention_mails.account_id', 'in', batch)
          .select(['accounts.id', 'accounts.email', 'attention_mails.last_sent_at'])
          .execute()
        for (const row of rows) locked.push(row)
      }
      return locked.map(row => ({
        accountId: num(row.id),
        email: row.email,
        lastSentAt: numOrNull(row.last_sent_at),
      }))
    },

    async changeCount(accountId) {
      return num((await changesOf(accountId).executeTakeFirst())?.changes ?? 0)
    },

    async lockChangeCount(accountId) {
      return num((await changesOf(accountId).forUpdate().executeTakeFirst())?.changes ?? 0)
    },

    async setLastSentAt(accountId, at) {
      await db.updateTable('attention_mails').set({ last_sent_at: at }).where('account_id', '=', accountId).execute()
    },
  }
}
