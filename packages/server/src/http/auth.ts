import type { FastifyRequest } from 'fastify'
import type { Account, Session } from '../domain/account.ts'
import { codeOf, Fault } from '../domain/error.ts'
import type { Credentials } from '../services/credentials.ts'

export interface SignedIn {
  readonly account: Account
  readonly session: Session
}

export interface Auth {
  /** For `onRequest`, so that a request is judged by its key before its body: 401 `missing api key`, `bad api key`. */
  requireApiKey(request: FastifyRequest): Promise<void>
  /** For `onRequest`: 401 `missing session token`, `bad session token`. */
  requireSession(request: FastifyRequest): Promise<void>
}

const accounts = new WeakMap<FastifyRequest, Account>()
const sessions = new WeakMap<FastifyRequest, Session>()

export function createAuth(credentials: Credentials): Auth {
  return {
    async requireApiKey(request) {
      const account = await credentials.byApiKey(bearer(request, 'api key'))
      if (!account) throw refused('bad api key')
      accounts.set(request, account)
    },

    async requireSession(request) {
      const found = await credentials.bySessionToken(bearer(request, 'session token'))
      if (!found) throw refused('bad session token')
      accounts.set(request, found.account)
      sessions.set(request, found.session)
    },
  }
}

/** The account that `requireApiKey` or `requireSession` has found. */
export function accountOf(request: FastifyRequest): Account {
  return present(accounts.get(request))
}

/** The session that `requireSession` has found. */
export function sessionOf(request: FastifyRequest): Session {
  return present(sessions.get(request))
}

function present<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('the route does not ask for a credential')
  return found
}

function bearer(request: FastifyRequest, noun: string): string {
  const credential = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (credential === undefined) throw refused(`missing ${noun}`)
  return credential.trimEnd()
}

function refused(message: string): Fault {
  return new Fault('unauthenticated', codeOf(message), message)
}
