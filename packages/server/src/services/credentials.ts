import type { Account } from '../domain/account.ts'
import { type ApiKey, MAX_API_KEYS } from '../domain/api-key.ts'
import {
  type CredentialKind,
  credentialHash,
  formatCredential,
  isWellFormedCredential,
  last4,
  MAX_NAME_LENGTH,
  SECRET_BYTES,
} from '../domain/credential.ts'
import { emailNotification } from '../domain/email-notification.ts'
import { AppError, invalidField, notFound } from '../domain/error.ts'
import { newSession, type Session } from '../domain/session.ts'
import { isUuid } from '../domain/uuid.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { Page } from '../ports/repository/page.ts'
import type { Store, Tx } from '../ports/store.ts'

export interface Credentials {
  /**
   * The account of an active API key; null for a malformed, unknown or revoked key. Results are not cached, so a revoked
   * key stops working at once in every process.
   */
  byApiKey(key: string): Promise<Account | null>
  /** The session and its account; null for a malformed, unknown or expired token, or an ended session. */
  bySessionToken(token: string): Promise<{ session: Session; account: Account } | null>
  /** `key` is available only in this result. @throws Fault `invalid_name`, `too_many_api_keys` */
  createApiKey(account: Account, name: string): Promise<{ apiKey: ApiKey; key: string }>
  listApiKeys(account: Account, page: Page): Promise<ApiKey[]>
  /** @throws Fault `no_such_api_key` */
  revokeApiKey(account: Account, publicId: string): Promise<void>
  /** Creates a session for a script. `token` is available only in this result. @throws Fault `invalid_label` */
  createSession(account: Account, label: string): Promise<{ session: Session; token: string }>
  listSessions(account: Account, page: Page): Promise<Session[]>
  /** @throws Fault `no_such_session` */
  endSession(account: Account, publicId: string): Promise<void>
  /** Resolves when no background write is in progress. */
  whenIdle(): Promise<void>
}

export function createCredentials(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** Called when recording the use of a credential fails. */
  readonly onError: (error: unknown) => void
}): Credentials {
  const { store, clock, random, onError } = deps
  const apiKeyUses = createUseRecorder((tx, ids, at) => tx.apiKeys.touch(ids, at))
  const sessionUses = createUseRecorder((tx, ids, at) => tx.sessions.touch(ids, at))

  /** Records the last use of credentials in batches after the request, at most once a minute for each credential. */
  function createUseRecorder(touch: (tx: Tx, ids: readonly number[], at: number) => Promise<void>) {
    const pending = new Set<number>()
    let writing: Promise<void> | null = null

    async function flush(): Promise<void> {
      while (pending.size > 0) {
        const ids = [...pending]
        await store.write(tx => touch(tx, ids, nowSecs(clock))).catch(onError)
        for (const id of ids) pending.delete(id)
      }
      writing = null
    }

    return {
      record(credential: { readonly id: number; readonly lastUsedAt: number | null }): void {
        if (credential.lastUsedAt !== null && nowSecs(clock) - credential.lastUsedAt < 60) return
        pending.add(credential.id)
        writing ??= flush()
      },
      settled: async () => writing ?? undefined,
    }
  }

  const generate = (kind: CredentialKind) => formatCredential(kind, random.bytes(SECRET_BYTES))

  return {
    async byApiKey(key) {
      if (!isWellFormedCredential('apiKey', key)) return null
      const found = await store.lookup.apiKey(credentialHash(key))
      if (!found) return null
      apiKeyUses.record(found.key)
      return found.account
    },

    async bySessionToken(token) {
      if (!isWellFormedCredential('session', token)) return null
      const found = await store.query(tx => tx.sessions.authenticate(credentialHash(token), nowSecs(clock)))
      if (!found) return null
      sessionUses.record(found.session)
      return found
    },

    async createApiKey(account, name) {
      checkName('name', name)
      const key = generate('apiKey')
      const apiKey = {
        publicId: random.uuid(),
        accountId: account.id,
        name,
        last4: last4(key),
        hash: credentialHash(key),
        createdAt: nowSecs(clock),
      }
      const created = await store.write(async tx => {
        if ((await tx.apiKeys.count(account.id)) >= MAX_API_KEYS)
          throw new AppError('conflict', 'too_many_api_keys', 'too many api keys', {
            extra: { detail: `an account can have at most ${MAX_API_KEYS} active API keys: revoke one first` },
          })
        await tx.mails.enqueue(emailNotification(account, 'api_key_created', apiKey.createdAt, name))
        return tx.apiKeys.insert(apiKey)
      })
      return { apiKey: created, key }
    },

    listApiKeys: (account, page) => store.read(tx => tx.apiKeys.list(account.id, page)),

    async revokeApiKey(account, publicId) {
      const at = nowSecs(clock)
      await store.write(async tx => {
        const found = isUuid(publicId) && (await tx.apiKeys.revoke(account.id, publicId, at))
        if (!found) throw notFound('api key')
        await tx.mails.enqueue(emailNotification(account, 'api_key_revoked', at))
      })
    },

    async createSession(account, label) {
      checkName('label', label)
      const token = generate('session')
      const createdAt = nowSecs(clock)
      const session = newSession(token, { publicId: random.uuid(), accountId: account.id, label }, createdAt)
      const created = await store.write(async tx => {
        await tx.mails.enqueue(emailNotification(account, 'session_token_issued', createdAt, label))
        return tx.sessions.insert(session)
      })
      return { session: created, token }
    },

    listSessions: (account, page) => store.read(tx => tx.sessions.list(account.id, nowSecs(clock), page)),

    async endSession(account, publicId) {
      const at = nowSecs(clock)
      const found = isUuid(publicId) && (await store.write(tx => tx.sessions.end(account.id, publicId, at)))
      if (!found) throw notFound('session')
    },

    async whenIdle() {
      await Promise.all([apiKeyUses.settled(), sessionUses.settled()])
    },
  }
}

function checkName(field: string, name: string): void {
  if (name.length > MAX_NAME_LENGTH || name.trim() === '' || /\p{Cc}/u.test(name))
    throw invalidField(field, `1 to ${MAX_NAME_LENGTH} characters, not blank, without control characters`)
}
