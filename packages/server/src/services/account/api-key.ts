import type { Account } from '../../domain/account/account.ts'
import { type ApiKey, MAX_API_KEYS, type Scope } from '../../domain/account/api-key.ts'
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
   */
  authenticate(key: string): Promise<ApiKeyWithAccount | null>
  /**
   * `key` is available only in this result.
   * @param scopes null: a key that creates invoices, and can do nothing else
   * @throws AppError `invalid_name`, `too_many_api_keys`
   */
  create(
    account: Account,
    name: string,
    actor?: Actor,
    scopes?: readonly Scope[] | null,
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
    async authenticate(key) {
      const kind = credentialKindOf(key)
      if (kind === null || kind === 'session' || !isWellFormedCredential(kind, key)) return null
      const found = await store.lookup.apiKey(credentialHash(key))
      if (found) lastUsed.record(found.key)
      return found
    },

    async create(account, name, actor = SERVICE, scopes = null) {
      checkCredentialName('name', name)
      const key = formatCredential(scopes ? 'scopedKey' : 'apiKey', random.bytes(SECRET_BYTES))
      const apiKey = {
        publicId: random.uuid(),
        accountId: account.id,
        name,
        last4: last4(key),
        scopes,
        hash: credentialHash(key),
        createdAt: nowSecs(clock),
      }
      const created = await store.write(async tx => {
        // Requests at the same time must not exceed the limit together.
        await tx.accounts.lock(account.id)
        if ((await tx.apiKeys.count(account.id)) >= MAX_API_KEYS)
          throw new AppError('too_many_api_keys', {
            detail: `an account can have at most ${MAX_API_KEYS} active API keys: revoke one first`,
          })
        const detail = scopes ? `${name} (${scopes.join(', ')})` : name
        await recordChange(tx, account, actor, { kind: 'api_key_created', at: apiKey.createdAt, detail })
        return tx.apiKeys.insert(apiKey)
      })
      return { apiKey: created, key }
    },

    list: (account, page) => store.read(tx => tx.apiKeys.list(account.id, page)),

    async revoke(account, publicId, actor = SERVICE) {
      const at = nowSecs(clock)
      await store.write(async tx => {
        await tx.accounts.lock(account.id)
        const active = await tx.apiKeys.count(account.id)
        await findByPublicId(
          'no_such_api_key',
          publicId,
          async id => (await tx.apiKeys.revoke(account.id, id, at)) || null,
        )
        if ((await tx.apiKeys.count(account.id)) < active)
          await recordChange(tx, account, actor, { kind: 'api_key_revoked', at })
      })
    },

    whenIdle: lastUsed.whenIdle,
  }
}
