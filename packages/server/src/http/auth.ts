import type { FastifyRequest } from 'fastify'
import type { Account } from '../domain/account/account.ts'
import type { Scope } from '../domain/account/api-key.ts'
import type { Actor } from '../domain/account/audit.ts'
import { type CredentialKind, credentialKindOf, refusedCredential } from '../domain/account/credential.ts'
import type { Session } from '../domain/account/session.ts'
import { AppError } from '../domain/error.ts'
import type { ApiKeys } from '../services/account/api-key.ts'
import type { Sessions } from '../services/account/session.ts'
import type { SignIn } from '../services/account/sign-in.ts'
import { owner } from './actor.ts'
import type { RateLimits } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a scoped API key must have for this route. Without one the route takes no scoped keys. */
    scope?: Scope
  }
}

export interface Auth {
  /**
   * Runs in `onRequest`, so the key is checked before the body.
   * @throws 401 `missing api key`, `bad api key`; 403 `missing scope`; 429
   */
  requireApiKey(request: FastifyRequest): Promise<void>
  /** Runs in `onRequest`. @throws 401 `missing session token`, `bad session token`; 429 */
  requireSession(request: FastifyRequest): Promise<void>
  /** As `requireSession`, or as `requireApiKey` for a scoped key. */
  requireOwner(request: FastifyRequest): Promise<void>
  /**
   * As `requireOwner` when the request has a session token, or a scoped key with the scope of the route; otherwise nothing:
   * the route is public, and says more to the owner. Other credentials are ignored, as by every public route.
   */
  acceptOwner(request: FastifyRequest): Promise<void>
  /**
   * As `requireSession`. A session of a browser must also have entered a code recently, as the dashboard requires it for
   * the same change. A token issued for a script has no one to enter a code.
   * @throws 403 `recent sign-in required`
   */
  requireRecentSignIn(request: FastifyRequest): Promise<void>
  /** As `requireRecentSignIn`, or as `requireApiKey` for a scoped key. */
  requireRecentOwner(request: FastifyRequest): Promise<void>
  /** Whether the authenticated session may make such a change. */
  hasRecentSignIn(request: FastifyRequest): Promise<boolean>
}

const accountsOfRequests = new WeakMap<FastifyRequest, Account>()
const sessionsOfRequests = new WeakMap<FastifyRequest, Session>()
const scopedRequests = new WeakSet<FastifyRequest>()

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

  /** @returns whether the key may do what the route is for; only then the request has its account */
  async function acceptApiKey(request: FastifyRequest): Promise<boolean> {
    const text = bearerCredential(request, 'apiKey')
    const found = await apiKeys.authenticate(text)
    if (!found) throw badCredential(request, 'apiKey', text)
    const { account, key } = found
    const { scope } = request.routeOptions.config
    if (key.scopes && !(scope && key.scopes.includes(scope))) return false
    rateLimits.countForAccount(request, account)
    accountsOfRequests.set(request, account)
    if (key.scopes) scopedRequests.add(request)
    return true
  }

  async function requireApiKey(request: FastifyRequest): Promise<void> {
    if (await acceptApiKey(request)) return
    const { scope } = request.routeOptions.config
    throw new AppError('missing_scope', { detail: `the key needs the scope ${scope}` })
  }

  const requireOwner = (request: FastifyRequest) =>
    sentKind(request) === 'scopedKey' ? requireApiKey(request) : requireSession(request)

  async function requireRecentSignIn(request: FastifyRequest): Promise<void> {
    await requireSession(request)
    if (!(await hasRecentSignIn(request))) throw new AppError('recent_sign_in_required')
  }

  return {
    requireSession,
    hasRecentSignIn,
    requireApiKey,
    requireOwner,

    async acceptOwner(request) {
      const kind = sentKind(request)
      if (kind === 'session') await requireSession(request)
      if (kind === 'scopedKey') await acceptApiKey(request)
    },

    requireRecentSignIn,

    requireRecentOwner: request =>
      sentKind(request) === 'scopedKey' ? requireApiKey(request) : requireRecentSignIn(request),
  }
}

/** @throws AppError `missing_scope` for a request without a scoped key: a key without scopes creates plain invoices only */
export function requireScopedKey(request: FastifyRequest, field: string): void {
  if (!scopedRequests.has(request))
    throw new AppError('missing_scope', { detail: `${field} needs a scoped API key, which begins with zgk_` })
}

/** The account found by `acceptOwner`; null without one. */
export function ownerAccountOf(request: FastifyRequest): Account | null {
  return accountsOfRequests.get(request) ?? null
}

/** The account found by `requireApiKey`, `requireSession` or `requireOwner`. */
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

/** As `actorOf`, for a route that takes scoped keys too. */
export function ownerOf(request: FastifyRequest): Actor {
  return owner(request, sessionsOfRequests.get(request) ?? null)
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the route does not require authentication')
  return value
}

const CREDENTIALS = {
  apiKey: {
    missing: 'missing_api_key',
    bad: 'bad_api_key',
    kinds: ['apiKey', 'scopedKey'],
    takes: 'an API key, which begins with zg_ or zgk_',
  },
  session: {
    missing: 'missing_session_token',
    bad: 'bad_session_token',
    kinds: ['session'],
    takes: 'a session token, which begins with zgs_',
  },
} as const

type Taken = keyof typeof CREDENTIALS

/** The kind of credential that the request has; null for none. */
function sentKind(request: FastifyRequest): CredentialKind | null {
  return credentialKindOf(sentCredential(request) ?? '')
}

function sentCredential({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trimEnd()
}

function bearerCredential(request: FastifyRequest, taken: Taken): string {
  const credential = sentCredential(request)
  if (credential === undefined)
    throw new AppError(CREDENTIALS[taken].missing, {
      detail: `send it as Authorization: Bearer; ${accepted(request, taken)}`,
    })
  return credential
}

function badCredential(request: FastifyRequest, taken: Taken, text: string): AppError {
  const { bad, kinds } = CREDENTIALS[taken]
  return new AppError(bad, { detail: `${refusedCredential(kinds, text)}; ${accepted(request, taken)}` })
}

function accepted({ method, routeOptions }: FastifyRequest, taken: Taken): string {
  const { scope } = routeOptions.config
  const orScoped = taken === 'session' && scope ? `, or an API key with the scope ${scope}` : ''
  return `${method} ${routeOptions.url} takes ${CREDENTIALS[taken].takes}${orScoped}`
}
