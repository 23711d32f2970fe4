import type { IdempotencyRepository } from '../../ports/repository/idempotency.ts'
import { num } from '../mapping.ts'
import type { Db } from '../tables.ts'

export function idempotencyRepository(db: Db): IdempotencyRepository {
  async function find(accountId: number, key: string, since: number) {
    const row = await db
      .selectFrom('idempotency_keys')
      .select(['body_hash', 'invoice_public_id'])
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .where('created_at', '>=', since)
      .executeTakeFirst()
    return row ? { bodyHash: row.body_hash, invoicePublicId: row.invoice_public_id } : null
  }

  return {
    find,

    async claim(claim) {
      const claimed = await db
        .insertInto('idempotency_keys')
        .values({
          account_id: claim.accountId,
          key: claim.key,
          body_hash: claim.bodyHash,
          invoice_public_id: claim.invoicePublicId,
          created_at: claim.createdAt,
        })
        .onConflict(conflict =>
          conflict
            .columns(['account_id', 'key'])
            .doUpdateSet(eb => ({
              body_hash: eb.ref('excluded.body_hash'),
              invoice_public_id: eb.ref('excluded.invoice_public_id'),
              created_at: eb.ref('excluded.created_at'),
            }))
            .where('idempotency_keys.created_at', '<', claim.since),
        )
        .returning('key')
        .executeTakeFirst()
      return claimed ? null : find(claim.accountId, claim.key, claim.since)
    },

    async prune(before, limit, skip = 0) {
      const result = await db
        .deleteFrom('idempotency_keys')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('account_id', 'key'),
            'in',
            selectFrom('idempotency_keys')
              .select(['account_id', 'key'])
              .where('created_at', '<', before)
              .orderBy('created_at')
              .limit(limit)
              .offset(skip)
              .$asTuple('account_id', 'key'),
          ),
        )
        .executeTakeFirst()
      return num(result.numDeletedRows)
    },
  }
}
