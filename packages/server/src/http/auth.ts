import type { FastifyRequest } from 'fastify'
import type { Account } from '../domain/account/account.ts'
import { type ApiKey, hasPermission, hasScope, type Scope } from '../domain/account/api-key.ts'
import type { Actor } from '../domain/account/audit.ts'
import { type CredentialKind, credentialKindOf, refusedCredential } from '../domain/account/credential.ts'
import type { Session } from '../domain/account/session.ts'
import { AppError } from '../domain/error.ts'
import type { ApiKeys } from '../services/account/api-key.ts'
import type { Sessions } from '../services/account/session.ts'
import type { SignIn } from '../services/account/sign-in.ts'
import { accessOf, type PermissionAccess, type ScopedAccess } from './access.ts'
import { keyHolder, owner } from './actor.ts'
import type { App } from './app.ts'
import type { RateLimits } from './rate-limit.ts'

export interface Auth {
  /** Whether the session of the request has entered a code recently, or was issued for a script. */
  hasRecentSignIn(request: FastifyRequest): Promise<boolean>
  /**
   * Whether a request on a public route, which ignores such a key, has an API key without scopes of this account.
   * @throws AppError `bad_api_key` for a key that has ended, `address_not_allowed`, `too_many_requests`
   */
  hasPlainKeyOf(request: FastifyRequest, owned: { readonly accountId: number }): Promise<boolean>
}

const accountsOfRequests = new WeakMap<FastifyRequest, Account>()
const sessionsOfRequests = new WeakMap<FastifyRequest, Session>()
/** The scoped keys of requests. */
const keysOfRequests = new WeakMap<FastifyRequest, ApiKey>()

interface AuthDeps {
  readonly apiKeys: ApiKeys
  readonly sessions: Sessions
  readonly signIn: Pick<SignIn, 'isRecentlyAuthenticated'>
  readonly rateLimits: RateLimits
}

/**
 * Checks the credential of each request in `onRequest`, before its body, as the route declares it. Call it before adding
 * routes.
 */
export function addAuth(app: App, { apiKeys, sessions, signIn, rateLimits }: AuthDeps): Auth {
  /** @throws AppError `missing_session_token`, `bad_session_token`, `too_many_requests` */
  async function requireSession(request: FastifyRequest): Promise<void> {
    const token = bearerCredential(request, 'session')
    const found = await sessions.authenticate(token)
    if (!found) throw badCredential(request, 'session', token)
    rateLimits.countForCredential(request, found.account, found.session)
    accountsOfRequests.set(request, found.account)
    sessionsOfRequests.set(request, found.session)
  }

  async function hasRecentSignIn(request: FastifyRequest): Promise<boolean> {
    const session = sessionOf(request)
    return session.origin === 'script' || (await signIn.isRecentlyAuthenticated(session))
  }

  /**
   * @returns false for a scoped key that is not allowed: the request then has no account
   * @throws AppError `missing_api_key`, `bad_api_key`, `address_not_allowed`, `too_many_requests`
   */
  async function acceptApiKey(request: FastifyRequest, isAllowed: (key: ApiKey) => boolean): Promise<boolean> {
    const text = bearerCredential(request, 'apiKey')
    const found = await apiKeys.authenticate(text, request.ip)
    if (!found) throw badCredential(request, 'apiKey', text)
    const { account, key } = found
    if (key.rights === null) rateLimits.countForAccount(request, account)
    else {
      if (!isAllowed(key)) return false
      rateLimits.countForCredential(request, account, key)
      keysOfRequests.set(request, key)
    }
    accountsOfRequests.set(request, account)
    return true
  }

  async function requireScopedAccess(request: FastifyRequest, { scopes, or }: ScopedAccess): Promise<void> {
    const kind = sentKind(request)
    if (or === 'api-key' || kind === 'scopedKey') {
      if ((await acceptApiKey(request, key => hasScope(key, scopes))) || or === 'public') return
      throw new AppError('missing_scope', { detail: `the key needs the scope ${scopes.join(' or ')}` })
    }
    if (or !== 'public' || kind === 'session') await requireSession(request)
    if (or === 'recent-session') await requireRecentSignIn(request)
  }

  /** @throws AppError as `acceptApiKey`, `missing_scope` also for a key without scopes */
  async function requirePermission(request: FastifyRequest, { permissions }: PermissionAccess): Promise<void> {
    const isAccepted = await acceptApiKey(request, key => hasPermission(key, permissions))
    if (!isAccepted || !keysOfRequests.has(request)) throw new AppError('missing_scope')
  }

  /** @throws AppError `recent_sign_in_required` */
  async function requireRecentSignIn(request: FastifyRequest): Promise<void> {
    if (!(await hasRecentSignIn(request))) throw new AppError('recent_sign_in_required')
  }

  app.addHook('onRequest', async request => {
    const access = accessOf(request)
    if (typeof access === 'object')
      return 'scopes' in access ? requireScopedAccess(request, access) : requirePermission(request, access)
    if (access !== 'session' && access !== 'recent-session') return
    await requireSession(request)
    if (access === 'recent-session') await requireRecentSignIn(request)
  })

  return {
    hasRecentSignIn,

    async hasPlainKeyOf(request, { accountId }) {
      if (sentKind(request) !== 'apiKey') return false
      const found = await apiKeys.authenticate(sentCredential(request) ?? '', request.ip)
      if (found?.account.id !== accountId) return false
      rateLimits.countForAccount(request, found.account)
      return true
    },
  }
}

/** @throws AppError `missing_scope` for a request without a scoped key: a key without scopes creates plain invoices only */
export function requireScopedKey(request: FastifyRequest, field: string): void {
  if (!keysOfRequests.has(request))
    throw new AppError('missing_scope', { detail: `${field} needs a scoped API key, which begins with zgk_` })
}

/** Whether the request may do what the scope names: in a session, or with a key that has it. */
export function mayDo(request: FastifyRequest, scope: Scope): boolean {
  const key = keysOfRequests.get(request)
  return key === undefined || hasScope(key, [scope])
}

/** The account whose credential the request has; null without one, on a public route. */
export function ownerAccountOf(request: FastifyRequest): Account | null {
  return accountsOfRequests.get(request) ?? null
}

/** The account whose credential the request has. */
export function accountOf(request: FastifyRequest): Account {
  return required(accountsOfRequests.get(request))
}

/** The scoped key that the request has. */
export function scopedKeyOf(request: FastifyRequest): ApiKey {
  return required(keysOfRequests.get(request))
}

/** The session whose token the request has. */
export function sessionOf(request: FastifyRequest): Session {
  return required(sessionsOfRequests.get(request))
}

/** The owner in that session, or the scoped key, as the audit log names them. */
export function actorOf(request: FastifyRequest): Actor {
  const key = keysOfRequests.get(request)
  return key ? keyHolder(request, key) : owner(request, sessionOf(request))
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the access of the route does not provide this')
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

/** Clients of BTCPay's API call the scheme `token`. */
export function sentCredential(request: FastifyRequest): string | undefined {
  const access = accessOf(request)
  const scheme =
    typeof access === 'object' && 'permissions' in access ? /^(?:token|bearer) +(\S.*)$/i : /^bearer +(\S.*)$/i
  return scheme.exec(request.headers.authorization ?? '')?.[1]?.trimEnd()
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

function accepted(request: FastifyRequest, taken: Taken): string {
  const { method, routeOptions } = request
  const access = accessOf(request)
  const scopes =
    taken === 'session' && typeof access === 'object' && 'scopes' in access ? access.scopes.join(' or ') : ''
  const orScoped = scopes && `, or a scoped API key, which begins with zgk_, with the scope ${scopes}`
  return `${method} ${routeOptions.url} takes ${CREDENTIALS[taken].takes}${orScoped}`
}
