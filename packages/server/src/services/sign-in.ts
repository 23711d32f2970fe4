import { timingSafeEqual } from 'node:crypto'
import type { Account } from '../domain/account.ts'
import { normaliseEmail } from '../domain/account.ts'
import { type Actor, SERVICE } from '../domain/audit.ts'
import { credentialHash, formatCredential, SECRET_BYTES } from '../domain/credential.ts'
import { AppError, invalidField } from '../domain/error.ts'
import { newSession, type Session } from '../domain/session.ts'
import {
  CODE_REQUEST_RETENTION_SECS,
  type CodePurpose,
  type CodeRequestLimit,
  codeHashInput,
  codeRequestLimits,
  parseCode,
  RECENT_AUTHENTICATION_SECS,
  SIGN_IN_CODE,
  widerNetworks,
} from '../domain/sign-in.ts'
import { nowSecs } from '../ports/clock.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { CodeRequestScope, NewSignInCode, SignInCode } from '../ports/repository/sign-in.ts'
import type { Store, Tx } from '../ports/store.ts'
import { type AccountDefaults, findOrCreateAccount } from './account.ts'
import { recordChange, recordVisit } from './audit.ts'
import { createKnownBrowsers } from './known-browser.ts'
import { refundBudget, reportSpent, type Spending, spendBudget } from './sign-in-budget.ts'

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
   * an unknown browser while the budget of wrong codes is spent
   */
  signIn(browser: string, code: string, label: string, knownBrowser?: string, actor?: Actor): Promise<SignedIn>
  /** Whether a code was entered recently in this session. */
  isRecentlyAuthenticated(session: Session): Promise<boolean>
  /** Sends a code to the session's owner unless an unused one exists. @throws AppError `too_many_codes` */
  requestReauth(account: Account, session: Session, client: string): Promise<void>
  /** @throws AppError `bad_code` */
  reauthenticate(session: Session, code: string, actor?: Actor): Promise<void>
}

interface SignedIn {
  readonly account: Account
  readonly session: Session
  readonly token: string
  /** The cookie by which the browser is known from now on. */
  readonly knownBrowser: string
}

/** An attempt at a code. */
interface Attempt {
  /** Null for a wrong code. */
  readonly redeemed: SignInCode | null
  /** What the attempt has taken from the budget of wrong codes. */
  readonly spending: Spending | null
}

const PRUNE_BATCH = 10
const FAILURES = { sign_in: 'sign_in_failed', confirm: 'confirmation_failed' } as const

export function createSignIn(
  deps: AccountDefaults & {
    readonly store: Store
    readonly keyedHash: KeyedHash
    readonly registration: 'open' | 'closed'
    readonly log: Log
    readonly metrics: Pick<Metrics, 'wrongCode' | 'signInBudgetSpent'>
  },
): SignIn {
  const { store, clock, random, keyedHash, registration, metrics } = deps
  const knownBrowsers = createKnownBrowsers(deps)

  function buildRequest(
    purpose: CodePurpose,
    email: string,
    browser: string,
    client: string,
    knownBrowserHash: Uint8Array | null,
  ): NewSignInCode {
    const createdAt = nowSecs(clock)
    const networks = knownBrowserHash === null ? widerNetworks(client) : null
    return {
      purpose,
      email,
      browserHash: credentialHash(browser),
      clientHash: keyedHash.hash('client', client),
      networkHashes: networks && {
        network56: keyedHash.hash('client', networks.network56),
        network48: keyedHash.hash('client', networks.network48),
      },
      knownBrowserHash,
      createdAt,
      expiresAt: createdAt + SIGN_IN_CODE.lifetimeSecs,
    }
  }

  /**
   * Marks the browser's code as used. The attempt at a wrong code stays counted. An unknown browser's attempt at a code of
   * six digits must be within the budget of wrong codes of all emails.
   */
  async function redeem(tx: Tx, purpose: CodePurpose, browser: string, code: string, actor: Actor): Promise<Attempt> {
    const now = nowSecs(clock)
    const candidate = await tx.signIn.claimAttempt(purpose, credentialHash(browser), now, SIGN_IN_CODE.maxAttempts)
    if (!candidate?.codeHash) return { redeemed: null, spending: null }
    const { id, codeHash, isKnownBrowser } = candidate
    const isLimited = !isKnownBrowser && code.length === SIGN_IN_CODE.digits
    const spending = isLimited ? await spendBudget(tx, 'wrong_codes', 1, now) : null
    const isRight =
      spending?.granted !== 0 &&
      keyedHash.allHashes('code', codeHashInput(id, code)).some(hash => timingSafeEqual(codeHash, hash))
    if (!isRight) {
      await recordVisit(tx, candidate.email, actor, { kind: FAILURES[purpose], at: now })
      return { redeemed: null, spending }
    }
    if (spending) await refundBudget(tx, spending, now)
    await tx.signIn.markUsed(id, now)
    return { redeemed: candidate, spending: null }
  }

  function reportWrongCode({ spending }: Attempt): void {
    metrics.wrongCode()
    if (spending) reportSpent(deps, spending)
  }

  /** Checks the limits and queues the mail in one transaction, so that concurrent requests cannot exceed a limit. */
  async function issueCode(tx: Tx, request: NewSignInCode): Promise<Spending> {
    const { email, createdAt } = request
    const isKnownBrowser = request.knownBrowserHash !== null
    await tx.signIn.lockCounts()
    for (const limit of codeRequestLimits(isKnownBrowser)) await checkLimit(tx, request, limit)
    const spending = await spendBudget(tx, isKnownBrowser ? 'browser' : 'requests', 1, createdAt)
    if (spending.granted === 0) throw tooManyCodes(spending.endsAt - createdAt)
    const { id } = await tx.signIn.insert(request)
    const queue = isKnownBrowser ? 'browser' : 'unsorted'
    await tx.mails.enqueueCode({ to: email, about: 'code', codeId: id, createdAt }, queue)
    await tx.signIn.prune(createdAt - CODE_REQUEST_RETENTION_SECS, PRUNE_BATCH)
    return spending
  }

  /** Null when there is no account and registration is closed. */
  async function accountOf(tx: Tx, email: string): Promise<Account | null> {
    const existing = await tx.accounts.byEmail(email)
    return existing || registration === 'closed' ? existing : findOrCreateAccount(tx, email, deps)
  }

  async function openSession(tx: Tx, account: Account, label: string, token: string): Promise<Session> {
    const createdAt = nowSecs(clock)
    const session = await tx.sessions.insert(
      newSession(token, { publicId: random.uuid(), accountId: account.id, label, origin: 'browser' }, createdAt),
    )
    await tx.signIn.setRecentlyAuthenticatedUntil(session.id, createdAt + RECENT_AUTHENTICATION_SECS)
    return session
  }

  return {
    async requestCode(email, client, knownBrowser = '', actor = SERVICE) {
      const to = normaliseEmail(email)
      if (to === null) throw invalidField('email', 'an address such as name@example.com')
      const browser = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex')
      const request = buildRequest('sign_in', to, browser, client, knownBrowsers.recognise(knownBrowser, to))
      const spending = await store.write(async tx => {
        const spending = await issueCode(tx, request)
        await recordVisit(tx, to, actor, { kind: 'sign_in_requested', at: request.createdAt })
        return spending
      })
      reportSpent(deps, spending)
      return browser
    },

    async signIn(browser, code, label, knownBrowser = '', actor = SERVICE) {
      const digits = parseCode(code)
      if (digits === null) throw badCode()
      const token = formatCredential('session', random.bytes(SECRET_BYTES))
      const { attempt, account, session } = await store.write(async tx => {
        const attempt = await redeem(tx, 'sign_in', browser, digits, actor)
        const account = attempt.redeemed && (await accountOf(tx, attempt.redeemed.email))
        if (!account) return { attempt, account, session: null }
        const session = await openSession(tx, account, label, token)
        const owner = { ...actor, by: 'owner', session: session.publicId } as const
        await recordChange(tx, account, owner, { kind: 'signed_in', at: session.createdAt, detail: label })
        return { attempt, account, session }
      })
      if (!attempt.redeemed) reportWrongCode(attempt)
      if (!account || !session) throw badCode()
      return { account, session, token, knownBrowser: knownBrowsers.remember(knownBrowser, account.email) }
    },

    async isRecentlyAuthenticated(session) {
      return (await store.read(tx => tx.signIn.recentlyAuthenticatedUntil(session.id))) > nowSecs(clock)
    },

    async requestReauth(account, session, client) {
      const browser = browserOf(session)
      const request = buildRequest('confirm', account.email, browser, client, credentialHash(browser))
      const spending = await store.write(async tx => {
        const earlier = await tx.signIn.findUsable(
          'confirm',
          request.browserHash,
          request.createdAt,
          SIGN_IN_CODE.maxAttempts,
        )
        return earlier ? null : issueCode(tx, request)
      })
      if (spending) reportSpent(deps, spending)
    },

    async reauthenticate(session, code, actor = SERVICE) {
      const digits = parseCode(code)
      const redeemed =
        digits !== null &&
        (await store.write(async tx => {
          const used = (await redeem(tx, 'confirm', browserOf(session), digits, actor)).redeemed
          if (used)
            await tx.signIn.setRecentlyAuthenticatedUntil(session.id, nowSecs(clock) + RECENT_AUTHENTICATION_SECS)
          return used
        }))
      if (!redeemed) throw badCode()
    },
  }
}

/** Derives the browser secret for reauthentication from the session id. The session's owner has signed in before. */
function browserOf(session: Session): string {
  return `session ${session.publicId}`
}

async function checkLimit(tx: Tx, request: NewSignInCode, { per, max, windowSecs }: CodeRequestLimit): Promise<void> {
  const scope = scopeOf(request, per)
  if (scope === null) return
  const used = await tx.signIn.count(request.purpose, scope, request.createdAt - windowSecs, max)
  if (used >= max) throw tooManyCodes(windowSecs)
}

/** Null when the request has no such scope. */
function scopeOf(request: NewSignInCode, per: CodeRequestLimit['per']): CodeRequestScope | null {
  const { email, clientHash, networkHashes, knownBrowserHash } = request
  switch (per) {
    case 'email':
      return { email, isKnownBrowser: knownBrowserHash !== null }
    case 'browser':
      return knownBrowserHash && { knownBrowserHash }
    case 'client':
      return { clientHash }
    case 'network56':
      return networkHashes && { network56Hash: networkHashes.network56 }
    case 'network48':
      return networkHashes && { network48Hash: networkHashes.network48 }
  }
}

function tooManyCodes(retryAfterSecs: number): AppError {
  return new AppError('too_many', 'too_many_codes', 'too many codes requested, try again later', { retryAfterSecs })
}

function badCode(): AppError {
  return new AppError('invalid', 'bad_code', 'the code is wrong or no longer valid')
}
