import { timingSafeEqual } from 'node:crypto'
import type { Account } from '../domain/account.ts'
import { normaliseEmail } from '../domain/account.ts'
import { credentialHash, formatCredential, SECRET_BYTES } from '../domain/credential.ts'
import { AppError, invalidField } from '../domain/error.ts'
import { newSession, type Session } from '../domain/session.ts'
import {
  CODE_REQUEST_LIMITS,
  CODE_REQUEST_RETENTION_SECS,
  type CodePurpose,
  type CodeRequestLimit,
  codeHashInput,
  parseCode,
  RECENT_AUTHENTICATION_SECS,
  SIGN_IN_CODE,
} from '../domain/sign-in.ts'
import { nowSecs } from '../ports/clock.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { NewSignInCode, SignInCode } from '../ports/repository/sign-in.ts'
import type { Store, Tx } from '../ports/store.ts'
import { type AccountDefaults, findOrCreateAccount } from './account.ts'

export interface SignIn {
  /**
   * Sends a sign-in code by mail. The result does not reveal whether the email has an account.
   * @param client address prefix that identifies the client: an IPv4 address, or the /64 of an IPv6 address
   * @returns a browser secret of 64 hex characters, required to use the code
   * @throws AppError `invalid_email`, `too_many_codes`
   */
  requestCode(email: string, client: string): Promise<string>
  /**
   * Signs in. If registration is open, the first sign-in creates the account.
   * @param label name of the session, shown to the account owner
   * @throws AppError `bad_code`: wrong, used, expired, from another browser, or too many attempts
   */
  signIn(browser: string, code: string, label: string): Promise<{ account: Account; session: Session; token: string }>
  /** Whether a code was entered recently in this session. */
  isRecentlyAuthenticated(session: Session): Promise<boolean>
  /** Sends a code to the session's owner unless an unused one exists. @throws AppError `too_many_codes` */
  requestReauth(account: Account, session: Session, client: string): Promise<void>
  /** @throws AppError `bad_code` */
  reauthenticate(session: Session, code: string): Promise<void>
}

const PRUNE_BATCH = 10

export function createSignIn(
  deps: AccountDefaults & {
    readonly store: Store
    readonly keyedHash: KeyedHash
    readonly registration: 'open' | 'closed'
  },
): SignIn {
  const { store, clock, random, keyedHash, registration } = deps

  function buildRequest(purpose: CodePurpose, email: string, browser: string, client: string): NewSignInCode {
    const createdAt = nowSecs(clock)
    return {
      purpose,
      email,
      browserHash: credentialHash(browser),
      clientHash: keyedHash.hash('client', client),
      createdAt,
      expiresAt: createdAt + SIGN_IN_CODE.lifetimeSecs,
    }
  }

  /** Marks the browser's code as used and returns it. Null for a wrong code; the attempt stays counted. */
  async function redeem(tx: Tx, purpose: CodePurpose, browser: string, code: string): Promise<SignInCode | null> {
    const now = nowSecs(clock)
    const candidate = await tx.signIn.claimAttempt(purpose, credentialHash(browser), now, SIGN_IN_CODE.maxAttempts)
    if (!candidate?.codeHash) return null
    const { id, codeHash } = candidate
    if (!keyedHash.allHashes('code', codeHashInput(id, code)).some(hash => timingSafeEqual(codeHash, hash))) return null
    await tx.signIn.markUsed(candidate.id, now)
    return candidate
  }

  /** Null when there is no account and registration is closed. */
  async function accountOf(tx: Tx, email: string): Promise<Account | null> {
    const existing = await tx.accounts.byEmail(email)
    return existing || registration === 'closed' ? existing : findOrCreateAccount(tx, email, deps)
  }

  async function openSession(tx: Tx, account: Account, label: string, token: string): Promise<Session> {
    const createdAt = nowSecs(clock)
    const session = await tx.sessions.insert(
      newSession(token, { publicId: random.uuid(), accountId: account.id, label }, createdAt),
    )
    await tx.signIn.setRecentlyAuthenticatedUntil(session.id, createdAt + RECENT_AUTHENTICATION_SECS)
    return session
  }

  return {
    async requestCode(email, client) {
      const to = normaliseEmail(email)
      if (to === null) throw invalidField('email', 'an address such as name@example.com')
      const browser = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex')
      const request = buildRequest('sign_in', to, browser, client)
      await store.write(tx => issueCode(tx, request))
      return browser
    },

    async signIn(browser, code, label) {
      const digits = parseCode(code)
      const token = formatCredential('session', random.bytes(SECRET_BYTES))
      const signedIn =
        digits !== null &&
        (await store.write(async tx => {
          const redeemed = await redeem(tx, 'sign_in', browser, digits)
          const account = redeemed && (await accountOf(tx, redeemed.email))
          return account && { account, session: await openSession(tx, account, label, token), token }
        }))
      if (!signedIn) throw badCode()
      return signedIn
    },

    async isRecentlyAuthenticated(session) {
      return (await store.read(tx => tx.signIn.recentlyAuthenticatedUntil(session.id))) > nowSecs(clock)
    },

    async requestReauth(account, session, client) {
      const request = buildRequest('confirm', account.email, browserOf(session), client)
      await store.write(async tx => {
        const earlier = await tx.signIn.findUsable(
          'confirm',
          request.browserHash,
          request.createdAt,
          SIGN_IN_CODE.maxAttempts,
        )
        if (!earlier) await issueCode(tx, request)
      })
    },

    async reauthenticate(session, code) {
      const digits = parseCode(code)
      const redeemed =
        digits !== null &&
        (await store.write(async tx => {
          const used = await redeem(tx, 'confirm', browserOf(session), digits)
          if (used)
            await tx.signIn.setRecentlyAuthenticatedUntil(session.id, nowSecs(clock) + RECENT_AUTHENTICATION_SECS)
          return used
        }))
      if (!redeemed) throw badCode()
    },
  }
}

/** Derives the browser secret for reauthentication from the session id. */
function browserOf(session: Session): string {
  return `session ${session.publicId}`
}

/** Checks the limits and queues the mail in one transaction, so that concurrent requests cannot exceed a limit. */
async function issueCode(tx: Tx, request: NewSignInCode): Promise<void> {
  await tx.signIn.lockCounts()
  for (const limit of CODE_REQUEST_LIMITS) await checkLimit(tx, request, limit)
  const { id } = await tx.signIn.insert(request)
  await tx.mails.enqueue({ to: request.email, about: 'code', codeId: id, createdAt: request.createdAt })
  await tx.signIn.prune(request.createdAt - CODE_REQUEST_RETENTION_SECS, PRUNE_BATCH)
}

async function checkLimit(tx: Tx, request: NewSignInCode, { per, max, windowSecs }: CodeRequestLimit): Promise<void> {
  const { purpose, email, clientHash } = request
  const scope =
    per === 'email' ? { purpose, email } : per === 'client' ? { purpose, clientHash } : { purpose, all: true as const }
  const used = await tx.signIn.count(scope, request.createdAt - windowSecs, max)
  if (used >= max)
    throw new AppError('too_many', 'too_many_codes', 'too many codes requested, try again later', {
      retryAfterSecs: windowSecs,
    })
}

function badCode(): AppError {
  return new AppError('invalid', 'bad_code', 'the code is wrong or no longer valid')
}
