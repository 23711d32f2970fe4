import { timingSafeEqual } from 'node:crypto'
import type { Account, Network } from '../domain/account.ts'
import { normaliseEmail } from '../domain/account.ts'
import { credentialHash, makeCredential, SECRET_BYTES } from '../domain/credential.ts'
import { Fault, invalidField } from '../domain/error.ts'
import { FREE_PLAN } from '../domain/plan.ts'
import { type Session, sessionFor } from '../domain/session.ts'
import {
  boundCode,
  CODE,
  type CodePurpose,
  clientOf,
  FRESH_SECS,
  REMEMBER_SECS,
  REQUEST_LIMITS,
  type RequestLimit,
  readCode,
} from '../domain/sign-in.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { Random } from '../ports/random.ts'
import type { NewSignInCode, SignInCode } from '../ports/repository/sign-in.ts'
import type { Rows, Store } from '../ports/store.ts'

export interface SignIn {
  /**
   * Sends a sign-in code by mail. The result does not reveal whether the email has an account.
   * @param client network address of the client
   * @returns a browser secret of 64 hex characters, required to use the code
   * @throws Fault `invalid_email`, `too_many_codes`
   */
  ask(email: string, client: string): Promise<string>
  /**
   * Signs in. If registration is open, the first sign-in creates the account.
   * @param label name of the session, shown to the account owner
   * @throws Fault `bad_code`: wrong, used, expired, from another browser, or too many attempts
   */
  enter(browser: string, code: string, label: string): Promise<{ account: Account; session: Session; token: string }>
  /** Whether a code was entered recently in this session. */
  isFresh(session: Session): Promise<boolean>
  /** Sends a code to the session's owner unless an unused one exists. @throws Fault `too_many_codes` */
  askAgain(account: Account, session: Session, client: string): Promise<void>
  /** @throws Fault `bad_code` */
  confirm(session: Session, code: string): Promise<void>
}

const PRUNE_BATCH = 10

export function createSignIn(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly keyedHash: KeyedHash
  readonly network: Network
  /** Required confirmations of a new account. */
  readonly confirmations: number
  readonly registration: 'open' | 'closed'
}): SignIn {
  const { store, clock, random, keyedHash, network, registration } = deps

  function buildRequest(purpose: CodePurpose, email: string, browser: string, client: string): NewSignInCode {
    const createdAt = nowSecs(clock)
    return {
      purpose,
      email,
      browserHash: credentialHash(browser),
      clientHash: keyedHash.hash('client', clientOf(client)),
      createdAt,
      expiresAt: createdAt + CODE.secs,
    }
  }

  /** Marks the browser's code as used and returns it. Null for a wrong code; the attempt stays counted. */
  async function redeem(tx: Rows, purpose: CodePurpose, browser: string, code: string): Promise<SignInCode | null> {
    const now = nowSecs(clock)
    const candidate = await tx.signIn.takeTry(purpose, credentialHash(browser), now, CODE.tries)
    if (
      !candidate?.codeHash ||
      !timingSafeEqual(candidate.codeHash, keyedHash.hash('code', boundCode(candidate.id, code)))
    )
      return null
    await tx.signIn.use(candidate.id, now)
    return candidate
  }

  async function findOrCreateAccount(tx: Rows, email: string): Promise<Account | null> {
    const existing = await tx.accounts.byEmail(email)
    if (existing || registration === 'closed') return existing
    const { confirmations } = deps
    const createdAt = nowSecs(clock)
    const created = { publicId: random.uuid(), email, network, confirmations, plan: FREE_PLAN, createdAt }
    return (await tx.accounts.insert(created)) ?? tx.accounts.byEmail(email)
  }

  async function openSession(tx: Rows, account: Account, label: string, token: string): Promise<Session> {
    const createdAt = nowSecs(clock)
    const session = await tx.sessions.insert(
      sessionFor(token, { publicId: random.uuid(), accountId: account.id, label }, createdAt),
    )
    await tx.signIn.setFresh(session.id, createdAt + FRESH_SECS)
    return session
  }

  return {
    async ask(email, client) {
      const to = normaliseEmail(email)
      if (to === null) throw invalidField('email', 'an address such as name@example.com')
      const browser = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex')
      const request = buildRequest('sign_in', to, browser, client)
      await store.write(tx => issueCode(tx, request))
      return browser
    },

    async enter(browser, code, label) {
      const digits = readCode(code)
      const token = makeCredential('session', random.bytes(SECRET_BYTES))
      const signedIn =
        digits !== null &&
        (await store.write(async tx => {
          const redeemed = await redeem(tx, 'sign_in', browser, digits)
          const account = redeemed && (await findOrCreateAccount(tx, redeemed.email))
          return account && { account, session: await openSession(tx, account, label, token), token }
        }))
      if (!signedIn) throw badCode()
      return signedIn
    },

    async isFresh(session) {
      return (await store.read(tx => tx.signIn.freshUntil(session.id))) > nowSecs(clock)
    },

    async askAgain(account, session, client) {
      const request = buildRequest('confirm', account.email, browserOf(session), client)
      await store.write(async tx => {
        const earlier = await tx.signIn.usable('confirm', request.browserHash, request.createdAt, CODE.tries)
        if (!earlier) await issueCode(tx, request)
      })
    },

    async confirm(session, code) {
      const digits = readCode(code)
      const redeemed =
        digits !== null &&
        (await store.write(async tx => {
          const used = await redeem(tx, 'confirm', browserOf(session), digits)
          if (used) await tx.signIn.setFresh(session.id, nowSecs(clock) + FRESH_SECS)
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
async function issueCode(tx: Rows, request: NewSignInCode): Promise<void> {
  await tx.signIn.lockCounts()
  for (const limit of REQUEST_LIMITS) await checkLimit(tx, request, limit)
  const { id } = await tx.signIn.insert(request)
  await tx.mails.append({ to: request.email, about: 'code', codeId: id, createdAt: request.createdAt })
  await tx.signIn.prune(request.createdAt - REMEMBER_SECS, PRUNE_BATCH)
}

async function checkLimit(tx: Rows, request: NewSignInCode, { per, most, windowSecs }: RequestLimit): Promise<void> {
  const { purpose, email, clientHash } = request
  const scope =
    per === 'email' ? { purpose, email } : per === 'client' ? { purpose, clientHash } : { purpose, all: true as const }
  const used = await tx.signIn.count(scope, request.createdAt - windowSecs, most)
  if (used >= most)
    throw new Fault('too_many', 'too_many_codes', 'too many codes requested, try again later', {
      retryAfterSecs: windowSecs,
    })
}

function badCode(): Fault {
  return new Fault('invalid', 'bad_code', 'the code is wrong or no longer valid')
}
