import type { FastifyRequest } from 'fastify'
import type { Account } from '../domain/account.ts'
import { AppError, errorCodeOf } from '../domain/error.ts'
import type { Session } from '../domain/session.ts'
import type { ApiKeys } from '../services/api-key.ts'
import type { Sessions } from '../services/session.ts'
import type { RateLimits } from './rate-limit.ts'

export interface Auth {
  /** Runs in `onRequest`, so the key is checked before the body. @throws 401 `missing api key`, `bad api key`; 429 */
  requireApiKey(request: FastifyRequest): Promise<void>
  /** Runs in `onRequest`. @throws 401 `missing session token`, `bad session token`; 429 */
  requireSession(request: FastifyRequest): Promise<void>
}

const accountsOfRequests = new WeakMap<FastifyRequest, Account>()
const sessionsOfRequests = new WeakMap<FastifyRequest, Session>()

interface AuthDeps {
  readonly apiKeys: ApiKeys
  readonly sessions: Sessions
  readonly rateLimits: RateLimits
}

export function createAuth({ apiKeys, sessions, rateLimits }: AuthDeps): Auth {
  return {
    async requireApiKey(request) {
      const account = await apiKeys.authenticate(bearerCredential(request, 'api key'))
      if (!account) throw unauthenticated('bad api key')
      rateLimits.countForAccount(request, account)
      accountsOfRequests.set(request, account)
    },

    async requireSession(request) {
      const found = await sessions.authenticate(bearerCredential(request, 'session token'))
      if (!found) throw unauthenticated('bad session token')
      rateLimits.countForAccount(request, found.account)
      accountsOfRequests.set(request, found.account)
      sessionsOfRequests.set(request, found.session)
    },
  }
}

/** The account found by `requireApiKey` or `requireSession`. */
export function accountOf(request: FastifyRequest): Account {
  return required(accountsOfRequests.get(request))
}

/** The session found by `requireSession`. */
export function sessionOf(request: FastifyRequest): Session {
  return required(sessionsOfRequests.get(request))
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the route does not require authentication')
  return value
}

function bearerCredential(request: FastifyRequest, noun: string): string {
  const credential = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (credential === undefined) throw unauthenticated(`missing ${noun}`)
  return credential.trimEnd()
}

function unauthenticated(message: string): AppError {
  return new AppError('unauthenticated', errorCodeOf(message), message)
}
