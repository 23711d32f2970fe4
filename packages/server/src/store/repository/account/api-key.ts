import type { Selectable } from 'kysely'
import type { ApiKey, KeyRights, Scope } from '../../../domain/account/api-key.ts'
import type { ApiKeyRepository } from '../../../ports/repository/account/api-key.ts'
import { JOINED_ACCOUNT_COLUMNS, toJoinedAccount } from '../../account-columns.ts'
import { keptStatement } from '../../kept-statement.ts'
import { num, numOrNull, padToPowerOfTwo } from '../../mapping.ts'
import { idOfAccount } from '../../owned-id.ts'
import { paginate, readPage } from '../../paginate.ts'
import type { ApiKeysTable, Db } from '../../tables.ts'
import { deleteOldest } from '../oldest.ts'
import { setLastUsed } from './last-used.ts'

/** The keys with these hashes that are not revoked, each with its account. */
const findLive = keptStatement((db, length) =>
  db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select(JOINED_ACCOUNT_COLUMNS)
    .where('api_keys.hash', 'in', Array(length).fill(new Uint8Array()))
    .where('api_keys.revoked_at', 'is', null),
)

export function apiKeyRepository(db: Db): ApiKeyRepository {
  return {
    async insert(key) {
      const row = await db
        .insertInto('api_keys')
        .values({
          public_id: key.publicId,
          account_id: key.accountId,
          name: key.name,
          last4: key.last4,
          hash: key.hash,
          scopes: key.rights?.scopes.join(' ') ?? null,
          expires_at: key.rights?.expiresAt ?? null,
          addresses: key.rights?.addresses?.join(' ') ?? null,
          created_at: key.createdAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return toApiKey(row)
    },

    async authenticate(hashes) {
      const padded = padToPowerOfTwo(hashes)
      const rows = await findLive(db, padded.length, padded)
      return rows.map(row => ({ hash: row.hash, key: toApiKey(row), account: toJoinedAccount(row) }))
    },

    async list(accountId, page) {
      const keys = db.selectFrom('api_keys').selectAll().where('account_id', '=', accountId)
      const cursorOf = (before: string) => idOfAccount(db, 'api_keys', accountId, before)
      return (await readPage(paginate(keys, page, ['id'], cursorOf), page, cursorOf)).map(toApiKey)
    },

    async countActive(accountId, now) {
      const row = await db
        .selectFrom('api_keys')
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async endingSoon(accountId, now, until, limit) {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .where('expires_at', '<=', until)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toApiKey)
    },

    async revoke(accountId, publicId, at) {
      const result = await db
        .updateTable('api_keys')
        .set({ revoked_at: at })
        .where('account_id', '=', accountId)
        .where('public_id', '=', publicId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      if (result.numUpdatedRows > 0n) return true
      return (await idOfAccount(db, 'api_keys', accountId, publicId).executeTakeFirst()) ? false : null
    },

    async revokeAll(accountId, at) {
      const result = await db
        .updateTable('api_keys')
        .set({ revoked_at: at })
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return num(result.numUpdatedRows)
    },

    prune: (before, limit, skip) => deleteOldest(db, 'api_keys', before, limit, skip),

    pruneEnded: (before, limit, skip) => deleteOldest(db, 'api_keys', before, limit, skip, 'expires_at'),

    touch: (ids, at) => setLastUsed(db, 'api_keys', ids, at),
  }
}

function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: num(row.id),
    publicId: row.public_id,
    name: row.name,
    last4: row.last4,
    rights: toRights(row),
    createdAt: num(row.created_at),
    lastUsedAt: numOrNull(row.last_used_at),
    revokedAt: numOrNull(row.revoked_at),
  }
}

function toRights({ scopes, expires_at, addresses }: Selectable<ApiKeysTable>): KeyRights | null {
  if (scopes === null) return null
  return {
    scopes: scopes.split(' ') as Scope[],
    expiresAt: numOrNull(expires_at),
    addresses: addresses === null ? null : addresses.split(' '),
  }
}
