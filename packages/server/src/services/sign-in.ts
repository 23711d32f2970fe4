import { timingSafeEqual } from 'node:crypto'
import type { Account, Network, Session } from '../domain/account.ts'
import { normaliseEmail } from '../domain/account.ts'
import { credentialHash, makeCredential, SECRET_BYTES, sessionFor } from '../domain/credential.ts'
import { Fault, invalidField } from '../domain/error.ts'
import { FREE_PLAN } from '../domain/plan.ts'
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
import type { NewSignInCode, SignInCode } from '../ports/repository/sign-in.ts'
import type { Clock, KeyedHash, Random, Rows, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'

export interface SignIn {
  /**
   * Has a code mailed. Nothing of it tells whether the email has an account.
   * @param client the network address that asks
   * @returns what the browser must hold for the code to work, 64 hex characters
   * @throws Fault `invalid_email`, `too_many_codes`
   */
  ask(email: string, client: string): Promise<string>
  /**
   * Signs in. The account is opened by the first sign-in, where registration is open.
   * @param label what the owner will know the session by
   * @throws Fault `bad_code`: wrong, used, expired, of another browser, or tried too often
   */
  enter(browser: string, code: string, label: string): Promise<{ account: Account; session: Session; token: string }>
  /** Whether a code was entered in this session shortly before. */
  isFresh(session: Session): Promise<boolean>
  /** Has a code mailed to the session's owner, unless one is on its way. @throws Fault `too_many_codes` */
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
  /** What a new account starts with. */
  readonly confirmations: number
  readonly registration: 'open' | 'closed'
}): SignIn {
  const { store, clock, random, keyedHash, network, registration } = deps

  function request(purpose: CodePurpose, email: string, browser: string, client: string): NewSignInCode {
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

  /** The code right for the browser, used up; null for a wrong one, whose try stays counted. */
  async function redeem(rows: Rows, purpose: CodePurpose, browser: string, code: string): Promise<SignInCode | null> {
    const now = nowSecs(clock)
    const tried = await rows.signIn.takeTry(purpose, credentialHash(browser), now, CODE.tries)
    if (!tried?.codeHash || !timingSafeEqual(tried.codeHash, keyedHash.hash('code', boundCode(tried.id, code))))
      return null
    await rows.signIn.use(tried.id, now)
    return tried
  }

  async function accountOf(rows: Rows, email: string): Promise<Account | null> {
    const known = await rows.accounts.byEmail(email)
    if (known || registration === 'closed') return known
    const { confirmations } = deps
    const createdAt = nowSecs(clock)
    const made = { publicId: random.uuid(), email, network, confirmations, plan: FREE_PLAN, createdAt }
    return (await rows.accounts.insert(made)) ?? rows.accounts.byEmail(email)
  }

  async function freshSession(rows: Rows, account: Account, label: string, token: string): Promise<Session> {
    const createdAt = nowSecs(clock)
    const session = await rows.sessions.insert(
      sessionFor(token, { publicId: random.uuid(), accountId: account.id, label }, createdAt),
    )
    await rows.signIn.setFresh(session.id, createdAt + FRESH_SECS)
    return session
  }

  return {
    async ask(email, client) {
      const to = normaliseEmail(email)
      if (to === null) throw invalidField('email', 'an address such as name@example.com')
      const browser = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex')
      const asked = request('sign_in', to, browser, client)
      await store.write(rows => post(rows, asked))
      return browser
    },

    async enter(browser, code, label) {
      const digits = readCode(code)
      const token = makeCredential('session', random.bytes(SECRET_BYTES))
      const entered =
        digits !== null &&
        (await store.write(async rows => {
          const redeemed = await redeem(rows, 'sign_in', browser, digits)
          const account = redeemed && (await accountOf(rows, redeemed.email))
          return account && { account, session: await freshSession(rows, account, label, token), token }
        }))
      if (!entered) throw badCode()
      return entered
    },

    async isFresh(session) {
      return (await store.read(rows => rows.signIn.freshUntil(session.id))) > nowSecs(clock)
    },

    async askAgain(account, session, client) {
      const asked = request('confirm', account.email, confirmingBrowser(session), client)
      await store.write(async rows => {
        const earlier = await rows.signIn.usable('confirm', asked.browserHash, asked.createdAt, CODE.tries)
        if (!earlier) await post(rows, asked)
      })
    },

    async confirm(session, code) {
      const digits = readCode(code)
      const redeemed =
        digits !== null &&
        (await store.write(async rows => {
          const right = await redeem(rows, 'confirm', confirmingBrowser(session), digits)
          if (right) await rows.signIn.setFresh(session.id, nowSecs(clock) + FRESH_SECS)
          return right
        }))
      if (!redeemed) throw badCode()
    },
  }
}

/** A session is a browser already; its id stands for it. */
function confirmingBrowser(session: Session): string {
  return `session ${session.publicId}`
}

/** Counts and asks in one transaction, so that no crowd of requests slips past a limit together. */
async function post(rows: Rows, asked: NewSignInCode): Promise<void> {
  await rows.signIn.lockCounts()
  for (const limit of REQUEST_LIMITS) await checkLimit(rows, asked, limit)
  const { id } = await rows.signIn.insert(asked)
  await rows.mails.append({ to: asked.email, about: 'code', codeId: id, createdAt: asked.createdAt })
  await rows.signIn.prune(asked.createdAt - REMEMBER_SECS, PRUNE_BATCH)
}

async function checkLimit(rows: Rows, asked: NewSignInCode, { per, most, windowSecs }: RequestLimit): Promise<void> {
  const { purpose, email, clientHash } = asked
  const who =
    per === 'email' ? { purpose, email } : per === 'client' ? { purpose, clientHash } : { purpose, all: true as const }
  const used = await rows.signIn.count(who, asked.createdAt - windowSecs, most)
  if (used >= most)
    throw new Fault('too_many', 'too_many_codes', 'too many codes asked for, try again later', {
      retryAfterSecs: windowSecs,
    })
}

function badCode(): Fault {
  return new Fault('invalid', 'bad_code', 'that code is not right, or no longer valid')
}
