import type { ExpressionBuilder, Selectable } from 'kysely'
import type { CodePurpose } from '../../../domain/account/sign-in.ts'
import type { CodeRequestScope, SignInCode, SignInRepository } from '../../../ports/repository/account/sign-in.ts'
import { num } from '../../mapping.ts'
import type { Db, SignInCodesTable, Tables } from '../../tables.ts'
import { lockRow } from '../lock-row.ts'
import { deleteOldest } from '../oldest.ts'

const NO_CLIENT = new Uint8Array()

export function signInRepository(db: Db): SignInRepository {
  return {
    async lockCounts() {
      await lockRow(db, 'sign_in')
    },

    async count(purpose, scope, since, max) {
      const query = db
        .selectFrom('sign_in_codes')
        .select('id')
        .where('purpose', '=', purpose)
        .where('created_at', '>', since)
        .where(isIn(scope))
        .limit(max)
      const row = await db
        .selectFrom(query.as('recent'))
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async lockBudget(budget, windowStartsAt, windowEndsAt) {
      // A window of the future was begun by a process whose clock is wrong.
      const row = await db
        .updateTable('sign_in_budgets')
        .set(({ eb }) => {
          const isCurrent = eb.between('window_start', windowStartsAt, windowEndsAt)
          return {
            used: eb.case().when(isCurrent).then(eb.ref('used')).else(0).end(),
            window_start: eb.case().when(isCurrent).then(eb.ref('window_start')).else(windowStartsAt).end(),
          }
        })
        .where('name', '=', budget)
        .returning('used')
        .executeTakeFirstOrThrow()
      return num(row.used)
    },

    async setBudgetUsed(budget, used) {
      await db.updateTable('sign_in_budgets').set({ used }).where('name', '=', budget).execute()
    },

    async budgetUsed(budget, windowStartsAt) {
      const row = await db
        .selectFrom('sign_in_budgets')
        .select('used')
        .where('name', '=', budget)
        .where('window_start', '>=', windowStartsAt)
        .executeTakeFirst()
      return row ? num(row.used) : 0
    },

    async insert(code) {
      const row = await db
        .insertInto('sign_in_codes')
        .values({
          purpose: code.purpose,
          email: code.email,
          browser_hash: code.browserHash,
          client_hash: code.clientHash,
          network56_hash: code.networkHashes?.network56 ?? null,
          network48_hash: code.networkHashes?.network48 ?? null,
          known_browser_hash: code.knownBrowserHash,
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
        .set(eb => ({ attempts: eb('attempts', '+', 1) }))
        .where('id', '=', usable(db, purpose, browserHash, now, maxAttempts).select('id'))
        // Repeats the subquery's conditions: of two concurrent attempts, the second must see the first one's changes.
        .where('attempts', '<', maxAttempts)
        .where('used_at', 'is', null)
        .returningAll()
        .executeTakeFirst()
      return row ? toCode(row) : null
    },

    async setCodeHash(id, codeHash) {
      await db.updateTable('sign_in_codes').set({ code_hash: codeHash }).where('id', '=', id).execute()
    },

    async wrongInKnownBrowsers(email, since) {
      const row = await db
        .selectFrom('sign_in_codes')
        .select(eb => [eb.fn.sum<bigint | null>('attempts').as('attempts'), eb.fn.count<bigint>('used_at').as('right')])
        .where('email', '=', email)
        .where('purpose', 'in', ['sign_in', 'confirm'])
        .where('created_at', '>', since)
        .where('known_browser_hash', 'is not', null)
        .executeTakeFirstOrThrow()
      return Number(row.attempts ?? 0) - Number(row.right)
    },

    async markUsed(id, at) {
      await db.updateTable('sign_in_codes').set({ used_at: at }).where('id', '=', id).execute()
    },

    async insertLink({ email, secretHash, createdAt, expiresAt }) {
      await db
        .insertInto('sign_in_codes')
        .values({
          purpose: 'link',
          email,
          browser_hash: secretHash,
          client_hash: NO_CLIENT,
          created_at: createdAt,
          expires_at: expiresAt,
        })
        .execute()
    },

    async linkEmail(secretHash, now) {
      const row = await db
        .selectFrom('sign_in_codes')
        .select('email')
        .where('browser_hash', '=', secretHash)
        .where('purpose', '=', 'link')
        .where('expires_at', '>', now)
        .where('used_at', 'is', null)
        .executeTakeFirst()
      return row?.email ?? null
    },

    async useLink(secretHash, now) {
      const row = await db
        .updateTable('sign_in_codes')
        .set({ used_at: now })
        .where('browser_hash', '=', secretHash)
        .where('purpose', '=', 'link')
        .where('expires_at', '>', now)
        .where('used_at', 'is', null)
        .returning('email')
        .executeTakeFirst()
      return row?.email ?? null
    },

    async prune(before, limit) {
      await deleteOldest(db, 'sign_in_codes', before, limit)
    },

    async recentlyAuthenticatedUntil(sessionId) {
      const row = await db
        .selectFrom('recent_authentications')
        .select('until')
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
      return row ? num(row.until) : 0
    },

    async recentlyAuthenticatedUntilOf(publicId) {
      const row = await db
        .selectFrom('recent_authentications')
        .innerJoin('sessions', 'sessions.id', 'recent_authentications.session_id')
        .select('until')
        .where('sessions.public_id', '=', publicId)
        .executeTakeFirst()
      return row ? num(row.until) : 0
    },

    async setRecentlyAuthenticatedUntil(sessionId, until) {
      await db
        .insertInto('recent_authentications')
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
    .where('attempts', '<', maxAttempts)
}

function isIn(scope: CodeRequestScope) {
  return ({ eb, and }: ExpressionBuilder<Tables, 'sign_in_codes'>) => {
    if ('knownBrowserHash' in scope) return eb('known_browser_hash', '=', scope.knownBrowserHash)
    const isKnown = eb('known_browser_hash', 'is not', null)
    if ('email' in scope) return and([eb('email', '=', scope.email), scope.isKnownBrowser ? isKnown : eb.not(isKnown)])
    if ('clientHash' in scope) return and([eb('client_hash', '=', scope.clientHash), eb.not(isKnown)])
    if ('network56Hash' in scope) return eb('network56_hash', '=', scope.network56Hash)
    return eb('network48_hash', '=', scope.network48Hash)
  }
}

function toCode(row: Selectable<SignInCodesTable>): SignInCode {
  return {
    id: num(row.id),
    // A link has no code: no mail names it, and no browser knows its secret as its own.
    purpose: row.purpose as CodePurpose,
    email: row.email,
    isKnownBrowser: row.known_browser_hash !== null,
    codeHash: row.code_hash,
    expiresAt: num(row.expires_at),
  }
}
