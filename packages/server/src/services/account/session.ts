import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import {
  checkCredentialName,
  credentialHash,
  formatCredential,
  isWellFormedCredential,
  SECRET_BYTES,
} from '../../domain/account/credential.ts'
import { newSession, type Session } from '../../domain/account/session.ts'
import { nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Page } from '../../ports/repository/page.ts'
import { findByPublicId } from '../public-id.ts'
import { recordChange } from './audit.ts'
import { createLastUsedRecorder, type LastUsedDeps } from './last-used.ts'

export interface Sessions {
  /** The session and its account; null for a malformed, unknown or expired token, or an ended session. */
  authenticate(token: string): Promise<{ session: Session; account: Account } | null>
  /** Creates a session for a script. `token` is available only in this result. @throws AppError `invalid_label` */
  create(account: Account, label: string, actor?: Actor): Promise<{ session: Session; token: string }>
  list(account: Account, page: Page): Promise<Session[]>
  /** Ends a session. The owner gets a mail unless it is the actor's own. @throws AppError `no_such_session` */
  end(account: Account, publicId: string, actor?: Actor): Promise<void>
  /** Ends every active session of the account, tokens of scripts included. Its browsers stay known. @returns their number */
  endAll(account: Account, actor?: Actor): Promise<number>
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

    async create(account, label, actor = SERVICE) {
      checkCredentialName('label', label)
      const token = formatCredential('session', random.bytes(SECRET_BYTES))
      const createdAt = nowSecs(clock)
      const fields = { publicId: random.uuid(), accountId: account.id, label, origin: 'script' } as const
      const session = newSession(token, fields, createdAt)
      const created = await store.write(async tx => {
        await recordChange(tx, account, actor, { kind: 'session_token_issued', at: createdAt, detail: label })
        return tx.sessions.insert(session)
      })
      return { session: created, token }
    },

    list: (account, page) => store.read(tx => tx.sessions.list(account.id, nowSecs(clock), page)),

    async end(account, publicId, actor = SERVICE) {
      const at = nowSecs(clock)
      await store.write(async tx => {
        const found = await findByPublicId('no_such_session', publicId, id => tx.sessions.end(account.id, id, at))
        const kind = actor.session === publicId.toLowerCase() ? 'signed_out' : 'session_ended'
        await recordChange(tx, account, actor, { kind, at, detail: found.label })
      })
    },

    async endAll(account, actor = SERVICE) {
      const at = nowSecs(clock)
      return store.write(async tx => {
        const ended = await tx.sessions.endAll(account.id, at)
        if (ended > 0) await recordChange(tx, account, actor, { kind: 'sessions_ended', at })
        return ended
      })
    },

    whenIdle: lastUsed.whenIdle,
  }
}
