import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { credentialHash, SECRET_BYTES } from '../../domain/account/credential.ts'
import type { Session } from '../../domain/account/session.ts'
import { parseCode, RECENT_AUTHENTICATION_SECS } from '../../domain/account/sign-in.ts'
import { AppError } from '../../domain/error.ts'
import { nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { type AccountDefaults, findOrCreateAccount, requireEmail, reservedEmailError } from './account.ts'
import { recordChange, recordVisit } from './audit.ts'
import { createKnownBrowsers } from './known-browser.ts'
import { createOneTimeCodes } from './one-time-code.ts'
import { createSessionOpener, type SignedIn } from './session-opener.ts'

export interface SignIn {
  /**
   * Sends a sign-in code by mail. The result does not reveal whether the email has an account: no account is read, and
   * the same statements run for every email. Requests of browsers that have not signed in to the account cannot delay those of browsers that have.
   * @param client address prefix that identifies the client: an IPv4 address, or the /64 of an IPv6 address
   * @param knownBrowser the cookie that `signIn` returned in this browser
   * @returns a browser secret of 64 hex characters, required to use the code
   * @throws AppError `invalid_email`, `too_many_codes`
   */
  requestCode(email: string, client: string, knownBrowser?: string, actor?: Actor): Promise<string>
  /**
   * Signs in. If registration is open, the first sign-in creates the account.
   * @param label name of the session, shown to the account owner
   * @param knownBrowser the cookie that an earlier call returned in this browser
   * @throws AppError `bad_code`: wrong, used, expired, from another browser, too many attempts, or a code of six digits in
   * an unknown browser while the budget of wrong codes is spent; `email_taken` when the email was that of an account until
   * less than seven days ago: then the link that undoes the change is mailed again
   */
  signIn(browser: string, code: string, label: string, knownBrowser?: string, actor?: Actor): Promise<SignedIn>
  /**
   * Ends every active session of the account, tokens of scripts included, and forgets all browsers but this one.
   * @param knownBrowser the cookie that an earlier sign-in returned in this browser
   * @returns the cookie by which this browser is known from now on
   * @throws AppError `recent_sign_in_required` unless a code was entered recently in this session
   */
  forgetBrowsers(account: Account, session: Session, knownBrowser?: string, actor?: Actor): Promise<string>
  /** Whether a code was entered recently in this session. */
  isRecentlyAuthenticated(session: Session): Promise<boolean>
  /** Sends a code to the session's owner unless an unused one exists. @throws AppError `too_many_codes` */
  requestReauth(account: Account, session: Session, client: string): Promise<void>
  /** @throws AppError `bad_code` */
  reauthenticate(session: Session, code: string, actor?: Actor): Promise<void>
}

export function createSignIn(
  deps: AccountDefaults & {
    readonly store: Store
    readonly keyedHash: KeyedHash
    readonly registration: 'open' | 'closed'
    readonly log: Log
    readonly metrics: Pick<Metrics, 'wrongCode' | 'signInBudgetSpent'>
  },
): SignIn {
  const { store, clock, random, registration } = deps
  const codes = createOneTimeCodes(deps)
  const knownBrowsers = createKnownBrowsers(deps)
  const openSession = createSessionOpener(deps)

  /** Mails the link that undoes the change of this address once more, unless one waits. @returns whether there is one */
  async function mailUndoAgain(tx: Tx, email: string): Promise<boolean> {
    const now = nowSecs(clock)
    const change = await tx.emailChanges.reservedBy(email, now)
    if (!change) return false
    const mail = { to: email, about: 'email_undo', emailChangeId: change.id, detail: null, createdAt: now } as const
    if (!(await tx.mails.isUndoWaiting(mail))) await tx.mails.enqueueUndo(mail)
    return true
  }

  /** Null when registration is closed. */
  async function newAccount(tx: Tx, email: string): Promise<Account | null> {
    return registration === 'closed' ? null : findOrCreateAccount(tx, email, deps)
  }

  return {
    async requestCode(email, client, knownBrowser = '', actor = SERVICE) {
      const to = requireEmail(email)
      const browser = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex')
      const spending = await store.write(async tx => {
        const knownBrowserHash = await knownBrowsers.recognise(tx, knownBrowser, to)
        const request = codes.request('sign_in', { email: to, browser, client, knownBrowserHash })
        const spending = await codes.issue(tx, request)
        await recordVisit(tx, to, actor, { kind: 'sign_in_requested', at: request.createdAt })
        return spending
      })
      codes.reportIssued(spending)
      return browser
    },

    async signIn(browser, code, label, knownBrowser = '', actor = SERVICE) {
      const digits = parseCode(code)
      if (digits === null) throw new AppError('bad_code')
      const { attempt, isReserved, signedIn } = await store.write(async tx => {
        const attempt = await codes.redeem(tx, 'sign_in', browser, digits, actor)
        const email = attempt.redeemed?.email
        const existing = email === undefined ? null : await tx.accounts.byEmail(email)
        // The code is used even so: it is what bounds these mails.
        const isReserved = email !== undefined && existing === null && (await mailUndoAgain(tx, email))
        const account = existing ?? (email === undefined || isReserved ? null : await newAccount(tx, email))
        if (!account) return { attempt, isReserved, signedIn: null }
        return { attempt, isReserved, signedIn: await openSession(tx, account, { label, knownBrowser, actor }) }
      })
      if (!attempt.redeemed) codes.reportWrong(attempt)
      if (isReserved) throw reservedEmailError()
      if (!signedIn) throw new AppError('bad_code')
      return signedIn
    },

    async forgetBrowsers(account, session, knownBrowser = '', actor = SERVICE) {
      const at = nowSecs(clock)
      return store.write(async tx => {
        if ((await tx.signIn.recentlyAuthenticatedUntil(session.id)) <= at)
          throw new AppError('recent_sign_in_required')
        await tx.sessions.endAll(account.id, at)
        await recordChange(tx, account, actor, { kind: 'sessions_ended', at })
        return knownBrowsers.forgetOthers(tx, knownBrowser, account)
      })
    },

    async isRecentlyAuthenticated(session) {
      return (await store.read(tx => tx.signIn.recentlyAuthenticatedUntil(session.id))) > nowSecs(clock)
    },

    async requestReauth(account, session, client) {
      const browser = browserOf(session)
      const knownBrowserHash = credentialHash(browser)
      const request = codes.request('confirm', { email: account.email, browser, client, knownBrowserHash })
      codes.reportIssued(await store.write(tx => codes.issueUnlessUsable(tx, request)))
    },

    async reauthenticate(session, code, actor = SERVICE) {
      const digits = parseCode(code)
      const redeemed =
        digits !== null &&
        (await store.write(async tx => {
          const used = (await codes.redeem(tx, 'confirm', browserOf(session), digits, actor)).redeemed
          if (used)
            await tx.signIn.setRecentlyAuthenticatedUntil(session.id, nowSecs(clock) + RECENT_AUTHENTICATION_SECS)
          return used
        }))
      if (!redeemed) throw new AppError('bad_code')
    },
  }
}

/** Derives the browser secret for reauthentication from the session id. The session's owner has signed in before. */
function browserOf(session: Session): string {
  return `session ${session.publicId}`
}
