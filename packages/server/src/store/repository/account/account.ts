import { domainToUnicode } from 'node:url'
import { sql } from 'kysely'
import type { AccountRepository } from '../../../ports/repository/account/account.ts'
import { toAccount } from '../../account-columns.ts'
import { num } from '../../mapping.ts'
import type { Db } from '../../tables.ts'
import { isNotSetAside } from '../set-aside.ts'

/** The email as accounts of older versions may have it, with its domain in Unicode. */
function inUnicode(email: string): string {
  const [name, domain = ''] = email.split('@')
  return `${name}@${domainToUnicode(domain) || domain}`
}

export function accountRepository(db: Db): AccountRepository {
  return {
    async insert(account) {
      const row = await db
        .insertInto('accounts')
        .values({
          public_id: account.publicId,
          email: account.email,
          network: account.network,
          confirmations: account.confirmations,
          plan: account.plan,
          created_at: account.createdAt,
        })
        .onConflict(conflict => conflict.column('email').doNothing())
        .returningAll()
        .executeTakeFirst()
      return row ? toAccount(row) : null
    },

    async byId(id) {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toAccount(row) : null
    },

    async lock(id) {
      // Not FOR UPDATE: the foreign keys of invoices created at the same time must not wait for this lock.
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
      return row ? toAccount(row) : null
    },

    async byEmail(email) {
      const row = await db
        .selectFrom('accounts')
        .selectAll()
        .where('email', 'in', [email, inUnicode(email)])
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row ? toAccount(row) : null
    },

    async list(afterId, limit) {
      const rows = await db
        .selectFrom('accounts')
        .selectAll()
        .where('id', '>', afterId)
        .where('erased_at', 'is', null)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toAccount)
    },

    async setEmail(id, email) {
      const result = await db
        .updateTable('accounts')
        .set({ email })
        .where('id', '=', id)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('accounts as other').select('other.id').where('other.email', '=', email))),
        )
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    async setDeletionRequestedAt(id, at) {
      await db.updateTable('accounts').set({ deletion_requested_at: at }).where('id', '=', id).execute()
    },

    async beingDeleted(until, afterId, limit) {
      const rows = await db
        .selectFrom('accounts')
        .select('id')
        .where('deletion_requested_at', '<=', until)
        .where('deletion_requested_at', 'is not', null)
        .where('id', '>', afterId)
        .where(isNotSetAside('account_deletion', sql.ref('accounts.public_id')))
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(row => num(row.id))
    },

    async browsersKnownFrom(email) {
      const row = await db
        .selectFrom('accounts')
        .select(['created_at', 'browsers_known_from'])
        .where('email', '=', email)
        .executeTakeFirst()
      return row ? Math.max(num(row.created_at), num(row.browsers_known_from)) : null
    },

    async setBrowsersKnownFrom(id, from) {
      await db.updateTable('accounts').set({ browsers_known_from: from }).where('id', '=', id).execute()
    },

    async setTerms(id, { confirmations, toleranceBps }) {
      await db
        .updateTable('accounts')
        .set({ confirmations, tolerance_bps: toleranceBps })
        .where('id', '=', id)
        .execute()
    },

    async setViewingKey(id, viewingKeyId, expiry) {
      await db
        .updateTable('accounts')
        .set({
          viewing_key_id: viewingKeyId,
          viewing_key_expires_at: expiry?.time ?? null,
          viewing_key_expiry_height: expiry?.height ?? null,
        })
        .where('id', '=', id)
        .execute()
      await db
        .insertInto('account_viewing_keys')
        .values({ account_id: id, viewing_key_id: viewingKeyId })
        .onConflict(conflict => conflict.doNothing())
        .execute()
    },

    async setPlan(id, plan, expiresAt) {
      await db.updateTable('accounts').set({ plan, plan_expires_at: expiresAt }).where('id', '=', id).execute()
    },
  }
}
