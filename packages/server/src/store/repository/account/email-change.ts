import type { Selectable } from 'kysely'
import { type EmailChange, MAX_EMAIL_CHANGES } from '../../../domain/account/email-change.ts'
import type { EmailChangeRepository } from '../../../ports/repository/account/email-change.ts'
import { num } from '../../mapping.ts'
import type { Db, EmailChangesTable } from '../../tables.ts'

export function emailChangeRepository(db: Db): EmailChangeRepository {
  /** The changes with this value that can be undone at `now`, oldest first. */
  async function listOpen(
    column: 'token_hash' | 'account_id' | 'previous_email',
    value: Uint8Array | number | string,
    now: number,
    limit: number,
  ): Promise<EmailChange[]> {
    const rows = await db
      .selectFrom('email_changes')
      .selectAll()
      .where(column, '=', value)
      .where('undo_until', '>', now)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toChange)
  }

  return {
    async insert({ accountId, previousEmail, createdAt, undoUntil }) {
      const row = await db
        .insertInto('email_changes')
        .values({
          account_id: accountId,
          previous_email: previousEmail,
          created_at: createdAt,
          undo_until: undoUntil,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return num(row.id)
    },

    async byId(id) {
      const row = await db.selectFrom('email_changes').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toChange(row) : null
    },

    async byTokenHash(hash, now) {
      const [change] = await listOpen('token_hash', hash, now, 1)
      return change ?? null
    },

    async setTokenHash(id, hash) {
      await db.updateTable('email_changes').set({ token_hash: hash }).where('id', '=', id).execute()
    },

    open: (accountId, now) => listOpen('account_id', accountId, now, MAX_EMAIL_CHANGES),

    async reservedBy(email, now) {
      const [change] = await listOpen('previous_email', email, now, 1)
      return change ?? null
    },

    async removeFrom(accountId, id) {
      await db.deleteFrom('email_changes').where('account_id', '=', accountId).where('id', '>=', id).execute()
    },

    async prune(before, limit, skip = 0) {
      const old = db
        .selectFrom('email_changes')
        .select('id')
        .where('undo_until', '<', before)
        .orderBy('undo_until')
        .limit(limit)
        .offset(skip)
      const result = await db.deleteFrom('email_changes').where('id', 'in', old).executeTakeFirst()
      return num(result.numDeletedRows)
    },
  }
}

function toChange(row: Selectable<EmailChangesTable>): EmailChange {
  return {
    id: num(row.id),
    accountId: num(row.account_id),
    previousEmail: row.previous_email,
    createdAt: num(row.created_at),
    undoUntil: num(row.undo_until),
  }
}
