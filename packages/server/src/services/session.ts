import type { Account } from '../domain/account.ts'
import {
  checkCredentialName,
  credentialHash,
  formatCredential,
  isWellFormedCredential,
  SECRET_BYTES,
} from '../domain/credential.ts'
import { emailNotification } from '../domain/email-notification.ts'
import { notFound } from '../domain/error.ts'
import { newSession, type Session } from '../domain/session.ts'
import { isUuid } from '../domain/uuid.ts'
import { nowSecs } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { Page } from '../ports/repository/page.ts'
import { createLastUsedRecorder, type LastUsedDeps } from './last-used.ts'

export interface Sessions {
  /** The session and its account; null for a malformed, unknown or expired token, or an ended session. */
  authenticate(token: string): Promise<{ session: Session; account: Account } | null>
  /** Creates a session for a script. `token` is available only in this result. @throws AppError `invalid_label` */
  create(account: Account, label: string): Promise<{ session: Session; token: string }>
  list(account: Account, page: Page): Promise<Session[]>
  /** @throws AppError `no_such_session` */
  end(account: Account, publicId: string): Promise<void>
  /** Resolves when no background write is in progress. */
  whenIdle(): Promise<void>
}

export function createSessions(deps: LastUsedDeps & { readonly random: Random }): Sessions {
  const { store, clock, random } = deps
  const lastUsed = createLastUsedRecorder(deps, (tx, ids, at) => tx.sessions.touch(ids, at))

  return {
    async authenticate(token) {
      if (!isWellFormedCredential('session', token)) return null
      const found = await store.query(tx => tx.sessions.authenticate(credentialHash(token), nowSecs(clock)))
      if (!found) return null
      lastUsed.record(found.session)
      return found
    },

    async create(account, label) {
      checkCredentialName('label', label)
      const token = formatCredential('session', random.bytes(SECRET_BYTES))
      const createdAt = nowSecs(clock)
      const fields = { publicId: random.uuid(), accountId: account.id, label, origin: 'script' } as const
      const session = newSession(token, fields, createdAt)
      const created = await store.write(async tx => {
        await tx.mails.enqueue(emailNotification(account, 'session_token_issued', createdAt, label))
        return tx.sessions.insert(session)
      })
      return { session: created, token }
    },

    list: (account, page) => store.read(tx => tx.sessions.list(account.id, nowSecs(clock), page)),

    async end(account, publicId) {
      const at = nowSecs(clock)
      const found = isUuid(publicId) && (await store.write(tx => tx.sessions.end(account.id, publicId, at)))
      if (!found) throw notFound('session')
    },

    whenIdle: lastUsed.whenIdle,
  }
}
