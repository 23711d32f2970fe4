import type { Selectable } from 'kysely'
import type { SignInCode, SignInRepository } from '../../ports/repository/sign-in.ts'
import { num } from '../mapping.ts'
import type { Db, SignInCodesTable } from '../tables.ts'

export function signInRepository(db: Db): SignInRepository {
  return {
    async lockCounts() {
      await db
        .updateTable('counters')
        .set(eb => ({ value: eb.ref('value') }))
        .where('name', '=', 'sign_in_lock')
        .execute()
    },

    async count(filter, since, max) {
      let query = db
        .selectFrom('sign_in_codes')
        .select('id')
        .where('purpose', '=', filter.purpose)
        .where('created_at', '>', since)
      if ('email' in filter) query = query.where('email', '=', filter.email)
      if ('clientHash' in filter) query = query.where('client_hash', '=', filter.clientHash)
      const row = await db
        .selectFrom(query.limit(max).as('recent'))
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async insert(code) {
      const row = await db
        .insertInto('sign_in_codes')
        .values({
          purpose: code.purpose,
          email: code.email,
          browser_hash: code.browserHash,
          client_hash: code.clientHash,
          created_at: code.createdAt,
          expires_at: code.expiresAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return toCode(row)
    },

    async byId(id) {
      const row = await db.selectFrom('sign_in_codes').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toCode(row) : null
    },

    async findUsable(purpose, browserHash, now, maxAttempts) {
      const row = await usable(db, purpose, browserHash, now, maxAttempts).selectAll().executeTakeFirst()
      return row ? toCode(row) : null
    },

    async claimAttempt(purpose, browserHash, now, maxAttempts) {
      const row = await db
        .updateTable('sign_in_codes')
        .set(eb => ({ tries: eb('tries', '+', 1) }))
        .where('id', '=', usable(db, purpose, browserHash, now, maxAttempts).select('id'))
        // Repeats the subquery's conditions: of two concurrent attempts, the second must see the first one's changes.
        .where('tries', '<', maxAttempts)
        .where('used_at', 'is', null)
        .returningAll()
        .executeTakeFirst()
      return row ? toCode(row) : null
    },

    async setCodeHash(id, codeHash) {
      await db.updateTable('sign_in_codes').set({ code_hash: codeHash }).where('id', '=', id).execute()
    },

    async markUsed(id, at) {
      await db.updateTable('sign_in_codes').set({ used_at: at }).where('id', '=', id).execute()
    },

    async prune(before, limit) {
      const oldest = db
        .selectFrom('sign_in_codes')
        .select('id')
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(limit)
      await db.deleteFrom('sign_in_codes').where('id', 'in', oldest).execute()
    },

    async recentlyAuthenticatedUntil(sessionId) {
      const row = await db
        .selectFrom('fresh_sessions')
        .select('until')
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
      return row ? num(row.until) : 0
    },

    async setRecentlyAuthenticatedUntil(sessionId, until) {
      await db
        .insertInto('fresh_sessions')
        .values({ session_id: sessionId, until })
        .onConflict(conflict => conflict.column('session_id').doUpdateSet({ until }))
        .execute()
    },
  }
}

/** Only the newest code of the browser: requesting another code invalidates the previous one. */
function usable(db: Db, purpose: string, browserHash: Uint8Array, now: number, maxAttempts: number) {
  const newest = db
    .selectFrom('sign_in_codes')
    .select(eb => eb.fn.max('id').as('id'))
    .where('browser_hash', '=', browserHash)
    .where('purpose', '=', purpose as SignInCode['purpose'])
  return db
    .selectFrom('sign_in_codes')
    .where('id', '=', newest)
    .where('expires_at', '>', now)
    .where('used_at', 'is', null)
    .where('tries', '<', maxAttempts)
}

function toCode(row: Selectable<SignInCodesTable>): SignInCode {
  return {
    id: num(row.id),
    purpose: row.purpose,
    email: row.email,
    codeHash: row.code_hash,
    attempts: num(row.tries),
    createdAt: num(row.created_at),
    expiresAt: num(row.expires_at),
  }
}
