import { STORE_FIELDS, type StoreProfile } from '../../../domain/account/store-profile.ts'
import type { StoreProfileRepository } from '../../../ports/repository/account/store-profile.ts'
import { rowReader, rowValues } from '../../field.ts'
import { distinctAscending, inChunks, num } from '../../mapping.ts'
import type { Db } from '../../tables.ts'

const toProfile = rowReader<StoreProfile>(STORE_FIELDS)

const NAMES = Object.keys(STORE_FIELDS) as (keyof typeof STORE_FIELDS)[]

export function storeProfileRepository(db: Db): StoreProfileRepository {
  return {
    async ofAccounts(accountIds) {
      const rows = await inChunks(distinctAscending(accountIds), 1, batch =>
        db.selectFrom('stores').selectAll().where('account_id', 'in', batch).execute(),
      )
      return new Map(rows.map(row => [num(row.account_id), toProfile(row)]))
    },

    async save(accountId, profile) {
      const row = rowValues(STORE_FIELDS, profile, NAMES)
      await db
        .insertInto('stores')
        .values({ account_id: accountId, ...row } as never)
        .onConflict(conflict => conflict.column('account_id').doUpdateSet(row as never))
        .execute()
    },

    async saveLogo(accountId, logo) {
      await db.deleteFrom('store_logos').where('account_id', '=', accountId).execute()
      if (logo)
        await db
          .insertInto('store_logos')
          .values({ account_id: accountId, ...logo })
          .execute()
    },

    async logo(hash) {
      const row = await db
        .selectFrom('store_logos')
        .select('image')
        .where('hash', '=', hash)
        .limit(1)
        .executeTakeFirst()
      return row?.image ?? null
    },
  }
}
