import type { Selectable } from 'kysely'
import { type EmailChange, MAX_EMAIL_CHANGES } from '../../domain/email-change.ts'
import type { EmailChangeRepository } from '../../ports/repository/email-change.ts'
import { num } from '../mapping.ts'
import type { Db, EmailChangesTable } from '../tables.ts'

export function emailChangeRepository(db: Db): EmailChangeRepository {
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
      const row = await db
        .selectFrom('email_changes')
        .selectAll()
        .where('token_hash', '=', hash)
        .where('undo_until', '>', now)
        .executeTakeFirst()
      return row ? toChange(row) : null
    },

    async setTokenHash(id, hash) {
      await db.updateTable('email_changes').set({ token_hash: hash }).where('id', '=', id).execute()
    },

    async open(accountId, now) {
      const rows = await db
        .selectFrom('email_changes')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('undo_until', '>', now)
        .orderBy('id')
        .limit(MAX_EMAIL_CHANGES)
        .execute()
      return rows.map(toChange)
    },

    async reservedBy(email, now) {
      const row = await db
        .selectFrom('email_changes')
        .selectAll()
        .where('previous_email', '=', email)
        .where('undo_until', '>', now)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row ? toChange(row) : null
    },

    async removeFrom(accountId, id) {
      await db.deleteFrom('email_changes').where('account_id', '=', accountId).where('id', '>=', id).execute()
    },

    async prune(before, limit) {
      const old = db
        .selectFrom('email_changes')
        .select('id')
        .where('undo_until', '<', before)
        .orderBy('undo_until')
        .limit(limit)
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
