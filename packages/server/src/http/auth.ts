import type { FastifyRequest } from 'fastify'
import type { Account } from '../domain/account/account.ts'
import type { Actor } from '../domain/account/audit.ts'
import { type CredentialKind, refusedCredential } from '../domain/account/credential.ts'
import type { Session } from '../domain/account/session.ts'
import { AppError } from '../domain/error.ts'
import type { ApiKeys } from '../services/account/api-key.ts'
import type { Sessions } from '../services/account/session.ts'
import type { SignIn } from '../services/account/sign-in.ts'
import { owner } from './actor.ts'
import type { RateLimits } from './rate-limit.ts'

export interface Auth {
  /** Runs in `onRequest`, so the key is checked before the body. @throws 401 `missing api key`, `bad api key`; 429 */
  requireApiKey(request: FastifyRequest): Promise<void>
  /** Runs in `onRequest`. @throws 401 `missing session token`, `bad session token`; 429 */
  requireSession(request: FastifyRequest): Promise<void>
  /**
   * As `requireSession` when the request has a session token; otherwise nothing: the route is public, and says more to the
   * owner. Other credentials are ignored, as by every public route.
   */
  acceptSession(request: FastifyRequest): Promise<void>
  /**
   * As `requireSession`. A session of a browser must also have entered a code recently, as the dashboard requires it for
   * the same change. A token issued for a script has no one to enter a code.
   * @throws 403 `recent sign-in required`
   */
  requireRecentSignIn(request: FastifyRequest): Promise<void>
  /** Whether the authenticated session may make such a change. */
  hasRecentSignIn(request: FastifyRequest): Promise<boolean>
}

const accountsOfRequests = new WeakMap<FastifyRequest, Account>()
const sessionsOfRequests = new WeakMap<FastifyRequest, Session>()

interface AuthDeps {
  readonly apiKeys: ApiKeys
  readonly sessions: Sessions
  readonly signIn: Pick<SignIn, 'isRecentlyAuthenticated'>
  readonly rateLimits: RateLimits
}

export function createAuth({ apiKeys, sessions, signIn, rateLimits }: AuthDeps): Auth {
  async function requireSession(request: FastifyRequest): Promise<void> {
    const token = bearerCredential(request, 'session')
    const found = await sessions.authenticate(token)
    if (!found) throw badCredential(request, 'session', token)
    rateLimits.countForSession(request, found.account, found.session)
    accountsOfRequests.set(request, found.account)
    sessionsOfRequests.set(request, found.session)
  }

  async function hasRecentSignIn(request: FastifyRequest): Promise<boolean> {
    const session = sessionOf(request)
    return session.origin === 'script' || (await signIn.isRecentlyAuthenticated(session))
  }

  return {
    requireSession,
    hasRecentSignIn,

    async acceptSession(request) {
      if (SESSION_TOKEN.test(request.headers.authorization ?? '')) await requireSession(request)
    },

    async requireApiKey(request) {
      const key = bearerCredential(request, 'apiKey')
      const account = await apiKeys.authenticate(key)
      if (!account) throw badCredential(request, 'apiKey', key)
      rateLimits.countForAccount(request, account)
      accountsOfRequests.set(request, account)
    },

    async requireRecentSignIn(request) {
      await requireSession(request)
      if (!(await hasRecentSignIn(request))) throw new AppError('recent_sign_in_required')
    },
  }
}

/** The account found by `acceptSession`; null without a session token. */
export function sessionAccountOf(request: FastifyRequest): Account | null {
  return accountsOfRequests.get(request) ?? null
}

/** The account found by `requireApiKey` or `requireSession`. */
export function accountOf(request: FastifyRequest): Account {
  return required(accountsOfRequests.get(request))
}

/** The session found by `requireSession`. */
export function sessionOf(request: FastifyRequest): Session {
  return required(sessionsOfRequests.get(request))
}

/** The owner of that session, as the audit log names them. */
export function actorOf(request: FastifyRequest): Actor {
  return owner(request, sessionOf(request))
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the route does not require authentication')
  return value
}

const SESSION_TOKEN = /^bearer +zgs_/i

const CREDENTIALS = {
  apiKey: { missing: 'missing_api_key', bad: 'bad_api_key', takes: 'an API key, which begins with zg_' },
  session: {
    missing: 'missing_session_token',
    bad: 'bad_session_token',
    takes: 'a session token, which begins with zgs_',
  },
} as const satisfies Record<CredentialKind, unknown>

function bearerCredential(request: FastifyRequest, kind: CredentialKind): string {
  const credential = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (credential === undefined)
    throw new AppError(CREDENTIALS[kind].missing, {
      detail: `send it as Authorization: Bearer; ${accepted(request, kind)}`,
    })
  return credential.trimEnd()
}

function badCredential(request: FastifyRequest, kind: CredentialKind, text: string): AppError {
  return new AppError(CREDENTIALS[kind].bad, {
    detail: `${refusedCredential(kind, text)}; ${accepted(request, kind)}`,
  })
}

function accepted({ method, routeOptions }: FastifyRequest, kind: CredentialKind): string {
  return `${method} ${routeOptions.url} takes ${CREDENTIALS[kind].takes}`
}
