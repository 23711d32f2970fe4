import type { Account } from '../../domain/account/account.ts'
import type { Actor } from '../../domain/account/audit.ts'
import { formatCredential, SECRET_BYTES } from '../../domain/account/credential.ts'
import { newSession, type Session } from '../../domain/account/session.ts'
import { RECENT_AUTHENTICATION_SECS } from '../../domain/account/sign-in.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Random } from '../../ports/random.ts'
import type { Tx } from '../../ports/store.ts'
import { recordChange } from './audit.ts'
import { createKnownBrowsers } from './known-browser.ts'

export interface SignedIn {
  readonly account: Account
  readonly session: Session
  readonly token: string
  /** The cookie by which the browser is known from now on. */
  readonly knownBrowser: string
}

interface SignInRequest {
  /** Name of the session, shown to the account owner. */
  readonly label: string
  /** The cookie that an earlier sign-in returned in this browser; empty in a new one. */
  readonly knownBrowser: string
  readonly actor: Actor
  /** Added to the label in the audit log and in the mail to the owner. */
  readonly remark?: string
}

/**
 * Signs in a browser that has proved who it is: its session is recently authenticated, the browser is known from now on,
 * and the sign-in is recorded and mailed to the owner.
 */
export function createSessionOpener(deps: {
  readonly clock: Clock
  readonly random: Random
  readonly keyedHash: KeyedHash
}): (tx: Tx, account: Account, request: SignInRequest) => Promise<SignedIn> {
  const { clock, random } = deps
  const knownBrowsers = createKnownBrowsers(deps)

  return async (tx, account, { label, knownBrowser, actor, remark }) => {
    const createdAt = nowSecs(clock)
    const token = formatCredential('session', random.bytes(SECRET_BYTES))
    const session = await tx.sessions.insert(
      newSession(token, { publicId: random.uuid(), accountId: account.id, label, origin: 'browser' }, createdAt),
    )
    await tx.signIn.setRecentlyAuthenticatedUntil(session.id, createdAt + RECENT_AUTHENTICATION_SECS)
    const owner = { ...actor, by: 'owner', session: session.publicId } as const
    const detail = remark === undefined ? label : `${label}, ${remark}`
    await recordChange(tx, account, owner, { kind: 'signed_in', at: createdAt, detail })
    return { account, session, token, knownBrowser: await knownBrowsers.remember(tx, knownBrowser, account.email) }
  }
}
