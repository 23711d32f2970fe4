import type { Account, ApiKey, Session } from '../domain/account.ts'
import {
  type CredentialKind,
  credentialHash,
  isCredential,
  last4,
  MAX_API_KEYS,
  MAX_NAME_LENGTH,
  makeCredential,
  SECRET_BYTES,
  sessionFor,
} from '../domain/credential.ts'
import { notice } from '../domain/email-notification.ts'
import { Fault, invalidField, noSuch } from '../domain/error.ts'
import { isUuid } from '../domain/uuid.ts'
import type { Page } from '../ports/repository/account.ts'
import type { Clock, Random, Rows, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'

export interface Credentials {
  /**
   * The account of a live API key; null for one that is malformed, unknown or revoked. Nothing is remembered between
   * calls: a revoked key is dead at once, in every process.
   */
  byApiKey(key: string): Promise<Account | null>
  /** The session and its account; null for a token that is malformed, unknown, expired or ended. */
  bySessionToken(token: string): Promise<{ session: Session; account: Account } | null>
  /** `key` is to be shown once. @throws Fault `invalid_name`, `too_many_api_keys` */
  createApiKey(account: Account, name: string): Promise<{ apiKey: ApiKey; key: string }>
  listApiKeys(account: Account, page: Page): Promise<ApiKey[]>
  /** @throws Fault `no_such_api_key` */
  revokeApiKey(account: Account, publicId: string): Promise<void>
  /** For a script; `token` is to be shown once. @throws Fault `invalid_label` */
  createSession(account: Account, label: string): Promise<{ session: Session; token: string }>
  listSessions(account: Account, page: Page): Promise<Session[]>
  /** @throws Fault `no_such_session` */
  endSession(account: Account, publicId: string): Promise<void>
  /** Resolves when nothing is being written in the background. */
  settled(): Promise<void>
}

export function createCredentials(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** Hears of a failure to note when a credential was used. */
  readonly onError: (error: unknown) => void
}): Credentials {
  const { store, clock, random, onError } = deps
  const keyUses = useLog((rows, ids, at) => rows.apiKeys.touch(ids, at))
  const sessionUses = useLog((rows, ids, at) => rows.sessions.touch(ids, at))

  /** Notes uses, at most once a minute and credential, together and after the request. */
  function useLog(touch: (rows: Rows, ids: readonly number[], at: number) => Promise<void>) {
    const waiting = new Set<number>()
    let writing: Promise<void> | null = null

    async function flush(): Promise<void> {
      while (waiting.size > 0) {
        const ids = [...waiting]
        await store.write(rows => touch(rows, ids, nowSecs(clock))).catch(onError)
        for (const id of ids) waiting.delete(id)
      }
      writing = null
    }

    return {
      note(credential: { readonly id: number; readonly lastUsedAt: number | null }): void {
        if (credential.lastUsedAt !== null && nowSecs(clock) - credential.lastUsedAt < 60) return
        waiting.add(credential.id)
        writing ??= flush()
      },
      settled: async () => writing ?? undefined,
    }
  }

  const mint = (kind: CredentialKind) => makeCredential(kind, random.bytes(SECRET_BYTES))

  return {
    async byApiKey(key) {
      if (!isCredential('apiKey', key)) return null
      const found = await store.lookup.apiKey(credentialHash(key))
      if (!found) return null
      keyUses.note(found.key)
      return found.account
    },

    async bySessionToken(token) {
      if (!isCredential('session', token)) return null
      const found = await store.glance(rows => rows.sessions.authenticate(credentialHash(token), nowSecs(clock)))
      if (!found) return null
      sessionUses.note(found.session)
      return found
    },

    async createApiKey(account, name) {
      checkName('name', name)
      const key = mint('apiKey')
      const apiKey = {
        publicId: random.uuid(),
        accountId: account.id,
        name,
        last4: last4(key),
        hash: credentialHash(key),
        createdAt: nowSecs(clock),
      }
      const made = await store.write(async rows => {
        if ((await rows.apiKeys.count(account.id)) >= MAX_API_KEYS)
          throw new Fault('conflict', 'too_many_api_keys', 'too many api keys', {
            extra: { detail: `an account has at most ${MAX_API_KEYS} API keys in use: revoke one first` },
          })
        await rows.mails.append(notice(account, 'api_key_created', apiKey.createdAt, name))
        return rows.apiKeys.insert(apiKey)
      })
      return { apiKey: made, key }
    },

    listApiKeys: (account, page) => store.read(rows => rows.apiKeys.list(account.id, page)),

    async revokeApiKey(account, publicId) {
      const at = nowSecs(clock)
      await store.write(async rows => {
        const known = isUuid(publicId) && (await rows.apiKeys.revoke(account.id, publicId, at))
        if (!known) throw noSuch('api key')
        await rows.mails.append(notice(account, 'api_key_revoked', at))
      })
    },

    async createSession(account, label) {
      checkName('label', label)
      const token = mint('session')
      const createdAt = nowSecs(clock)
      const session = sessionFor(token, { publicId: random.uuid(), accountId: account.id, label }, createdAt)
      const made = await store.write(async rows => {
        await rows.mails.append(notice(account, 'session_token_issued', createdAt, label))
        return rows.sessions.insert(session)
      })
      return { session: made, token }
    },

    listSessions: (account, page) => store.read(rows => rows.sessions.list(account.id, nowSecs(clock), page)),

    async endSession(account, publicId) {
      const at = nowSecs(clock)
      const known = isUuid(publicId) && (await store.write(rows => rows.sessions.end(account.id, publicId, at)))
      if (!known) throw noSuch('session')
    },

    async settled() {
      await Promise.all([keyUses.settled(), sessionUses.settled()])
    },
  }
}

function checkName(field: string, name: string): void {
  if (name.length > MAX_NAME_LENGTH || name.trim() === '' || /\p{Cc}/u.test(name))
    throw invalidField(field, `1 to ${MAX_NAME_LENGTH} characters, not all blank, no control characters`)
}
