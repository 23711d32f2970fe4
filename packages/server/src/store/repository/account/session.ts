import type { Selectable } from 'kysely'
import type { Session } from '../../../domain/account/session.ts'
import type { SessionRepository } from '../../../ports/repository/account/session.ts'
import { JOINED_ACCOUNT_COLUMNS, toJoinedAccount } from '../../account-columns.ts'
import { num, numOrNull } from '../../mapping.ts'
import { idOfAccount } from '../../owned-id.ts'
import { paginate, readPage } from '../../paginate.ts'
import type { Db, SessionsTable } from '../../tables.ts'
import { setLastUsed } from './last-used.ts'

export function sessionRepository(db: Db): SessionRepository {
  return {
    async insert(session) {
      const row = await db
        .insertInto('sessions')
        .values({
          public_id: session.publicId,
          account_id: session.accountId,
          label: session.label,
          origin: session.origin,
          hash: session.hash,
          created_at: session.createdAt,
          expires_at: session.expiresAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return toSession(row)
    },

    async authenticate(hash, now) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
        .selectAll('sessions')
        .select(JOINED_ACCOUNT_COLUMNS)
        .where('sessions.hash', '=', hash)
        .where('sessions.expires_at', '>', now)
        .where('sessions.ended_at', 'is', null)
        .executeTakeFirst()
      return row ? { session: toSession(row), account: toJoinedAccount(row) } : null
    },

    async isActive(id, now) {
      const row = await db
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .where('ended_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined
    },

    async list(accountId, now, page) {
      const sessions = db
        .selectFrom('sessions')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('expires_at', '>', now)
        .where('ended_at', 'is', null)
      const cursorOf = (before: string) => idOfAccount(db, 'sessions', accountId, before)
      return (await readPage(paginate(sessions, page, ['id'], cursorOf), page, cursorOf)).map(toSession)
    },

    async end(accountId, publicId, at) {
      const row = await db
        .updateTable('sessions')
        .set({ ended_at: at })
        .where('account_id', '=', accountId)
        .where('public_id', '=', publicId)
        .where('expires_at', '>', at)
        .where('ended_at', 'is', null)
        .returningAll()
        .executeTakeFirst()
      return row ? toSession(row) : null
    },

    async endAll(accountId, at) {
      const result = await db
        .updateTable('sessions')
        .set({ ended_at: at })
        .where('account_id', '=', accountId)
        .where('expires_at', '>', at)
        .where('ended_at', 'is', null)
        .executeTakeFirst()
      return num(result.numUpdatedRows)
    },

    async prune(before, limit, skip = 0) {
      const expired = await db
        .selectFrom('sessions')
        .select('id')
        .where('expires_at', '<', before)
        .orderBy('expires_at')
        .limit(limit)
        .offset(skip)
        .execute()
      if (expired.length === 0) return 0
      const ids = expired.map(({ id }) => id)
      await db.deleteFrom('recent_authentications').where('session_id', 'in', ids).execute()
      const result = await db.deleteFrom('sessions').where('id', 'in', ids).executeTakeFirst()
      return num(result.numDeletedRows)
    },

    touch: (ids, at) => setLastUsed(db, 'sessions', ids, at),
  }
}

function toSession(row: Selectable<SessionsTable>): Session {
  return {
    id: num(row.id),
    publicId: row.public_id,
    accountId: num(row.account_id),
    label: row.label,
    origin: row.origin,
    createdAt: num(row.created_at),
    expiresAt: num(row.expires_at),
    lastUsedAt: numOrNull(row.last_used_at),
  }
}
