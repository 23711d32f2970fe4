import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { CODE_REQUEST_RETENTION_SECS } from '../../domain/account/code-budget.ts'
import { credentialHash, SECRET_BYTES } from '../../domain/account/credential.ts'
import { SIGN_IN_LINK } from '../../domain/account/sign-in.ts'
import { AppError } from '../../domain/error.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Random } from '../../ports/random.ts'
import type { Store } from '../../ports/store.ts'
import { recordCommand } from './audit.ts'
import { createSessionOpener, type SignedIn } from './session-opener.ts'

/** Links that the operator creates, so that an owner can sign in before mail works. */
export interface SignInLinks {
  /** The email of the account that a link signs in to; null for a link that is used, expired or unknown. */
  emailOf(secret: string): Promise<string | null>
  /**
   * Signs in as a mailed code does. The link cannot be used again.
   * @param label name of the session, shown to the account owner
   * @param knownBrowser the cookie that an earlier sign-in returned in this browser
   * @throws AppError `no_such_link`: used, expired or unknown
   */
  signIn(secret: string, label: string, knownBrowser?: string, actor?: Actor): Promise<SignedIn>
}

const PRUNE_BATCH = 10
const REMARK = 'with a link of the command zatgate sign-in'

/** @returns the link's secret, available only in this result, and when the link expires, in Unix seconds */
export async function createSignInLink(
  { store, clock, random }: { readonly store: Store; readonly clock: Clock; readonly random: Random },
  { id: accountId, email }: Account,
): Promise<{ readonly secret: string; readonly expiresAt: number }> {
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')
  const createdAt = nowSecs(clock)
  const expiresAt = createdAt + SIGN_IN_LINK.lifetimeSecs
  await store.write(async tx => {
    await tx.signIn.insertLink({ email, secretHash: credentialHash(secret), createdAt, expiresAt })
    await recordCommand(tx, { accountId, kind: 'sign_in_link_created', at: createdAt })
    await tx.signIn.prune(createdAt - CODE_REQUEST_RETENTION_SECS, PRUNE_BATCH)
  })
  return { secret, expiresAt }
}

export function createSignInLinks(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly keyedHash: KeyedHash
}): SignInLinks {
  const { store, clock } = deps
  const openSession = createSessionOpener(deps)

  return {
    emailOf: secret => store.read(tx => tx.signIn.linkEmail(credentialHash(secret), nowSecs(clock))),

    async signIn(secret, label, knownBrowser = '', actor = SERVICE) {
      return store.write(async tx => {
        const email = await tx.signIn.useLink(credentialHash(secret), nowSecs(clock))
        const account = email === null ? null : await tx.accounts.byEmail(email)
        if (!account) throw new AppError('no_such_link')
        return openSession(tx, account, { label, knownBrowser, actor, remark: REMARK })
      })
    },
  }
}
