import type { Account } from '../../domain/account/account.ts'
import { type ApiKey, checkedRights, type KeyRights, keyRefusal, MAX_API_KEYS } from '../../domain/account/api-key.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import {
  checkCredentialName,
  credentialHash,
  credentialKindOf,
  formatCredential,
  isWellFormedCredential,
  last4,
  SECRET_BYTES,
} from '../../domain/account/credential.ts'
import { AppError } from '../../domain/error.ts'
import { formatUtcMinute } from '../../domain/time.ts'
import { nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { ApiKeyWithAccount } from '../../ports/repository/account/api-key.ts'
import type { Page } from '../../ports/repository/page.ts'
import { findByPublicId } from '../public-id.ts'
import { recordChange } from './audit.ts'
import { createLastUsedRecorder, type LastUsedDeps } from './last-used.ts'

export interface ApiKeys {
  /**
   * An active API key with its account; null for a malformed, unknown or revoked key. Results are not cached, so a revoked
   * key stops working at once in every process.
   * @param client the address of the client. Without it, a key for certain addresses is refused.
   * @throws AppError `bad_api_key` for a key that has ended; `address_not_allowed`
   */
  authenticate(key: string, client?: string): Promise<ApiKeyWithAccount | null>
  /**
   * `key` is available only in this result.
   * @param rights null: a key that creates invoices, and can do nothing else
   * @throws AppError `invalid_name`, `invalid_expires_at`, `invalid_addresses`, `too_many_api_keys`
   */
  create(
    account: Account,
    name: string,
    actor?: Actor,
    rights?: KeyRights | null,
  ): Promise<{ apiKey: ApiKey; key: string }>
  list(account: Account, page: Page): Promise<ApiKey[]>
  /** @throws AppError `no_such_api_key` */
  revoke(account: Account, publicId: string, actor?: Actor): Promise<void>
  /** Resolves when no background write is in progress. */
  whenIdle(): Promise<void>
}

export function createApiKeys(deps: LastUsedDeps & { readonly random: Random }): ApiKeys {
  const { store, clock, random } = deps
  const lastUsed = createLastUsedRecorder(deps, (tx, ids, at) => tx.apiKeys.touch(ids, at))

  return {
    async authenticate(key, client) {
      const kind = credentialKindOf(key)
      if (kind === null || kind === 'session' || !isWellFormedCredential(kind, key)) return null
      const found = await store.lookup.apiKey(credentialHash(key))
      if (!found) return null
      requireAccepted(found.key, nowSecs(clock), client ?? null)
      lastUsed.record(found.key)
      return found
    },

    async create(account, name, actor = SERVICE, given = null) {
      checkCredentialName('name', name)
      const createdAt = nowSecs(clock)
      const rights = given && checkedRights(given, createdAt)
      const key = formatCredential(rights ? 'scopedKey' : 'apiKey', random.bytes(SECRET_BYTES))
      const apiKey = {
        publicId: random.uuid(),
        accountId: account.id,
        name,
        last4: last4(key),
        rights,
        hash: credentialHash(key),
        createdAt,
      }
      const created = await store.write(async tx => {
        // Requests at the same time must not exceed the limit together.
        await tx.accounts.lock(account.id)
        if ((await tx.apiKeys.countActive(account.id, createdAt)) >= MAX_API_KEYS)
          throw new AppError('too_many_api_keys', {
            detail: `an account can have at most ${MAX_API_KEYS} active API keys: revoke one first`,
          })
        const detail = rights ? `${name} (${describeRights(rights)})` : name
        await recordChange(tx, account, actor, { kind: 'api_key_created', at: createdAt, detail })
        return tx.apiKeys.insert(apiKey)
      })
      return { apiKey: created, key }
    },

    list: (account, page) => store.read(tx => tx.apiKeys.list(account.id, page)),

    async revoke(account, publicId, actor = SERVICE) {
      const at = nowSecs(clock)
      await store.write(async tx => {
        await tx.accounts.lock(account.id)
        const revoked = await findByPublicId('no_such_api_key', publicId, async id => {
          const isFirst = await tx.apiKeys.revoke(account.id, id, at)
          return isFirst === null ? null : { isFirst }
        })
        if (revoked.isFirst) await recordChange(tx, account, actor, { kind: 'api_key_revoked', at })
      })
    },

    whenIdle: lastUsed.whenIdle,
  }
}

/** @throws AppError `bad_api_key`, `address_not_allowed` */
function requireAccepted(key: ApiKey, now: number, client: string | null): void {
  const refusal = keyRefusal(key, now, client)
  if (refusal === 'ended')
    throw new AppError('bad_api_key', { detail: `the key ended at ${formatUtcMinute(key.rights?.expiresAt ?? 0)}` })
  if (refusal === 'elsewhere')
    throw new AppError('address_not_allowed', {
      detail: `the request came from ${client ?? 'an unknown address'}, which is not in the addresses of the key`,
    })
}

/** For the audit log, such as `invoices:read; ends 2026-11-22 09:43 UTC; from 192.0.2.0/24`. */
function describeRights({ scopes, expiresAt, addresses }: KeyRights): string {
  return [
    scopes.join(', '),
    expiresAt !== null && `ends ${formatUtcMinute(expiresAt)}`,
    addresses && `from ${addresses.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ')
}
