import type { FastifyRequest } from 'fastify'
import type { Account } from '../domain/account/account.ts'
import type { Actor } from '../domain/account/audit.ts'
import type { Session } from '../domain/account/session.ts'
import { AppError } from '../domain/error.ts'
import { owner } from '../http/actor.ts'
import type { Sessions } from '../services/account/session.ts'
import { readSessionCookie } from './cookies.ts'

/** The account and the session of a page request. */
export interface AuthenticatedUser {
  readonly account: Account
  readonly session: Session
  /** The account's owner, as the audit log names them. */
  readonly actor: Actor
}

/** Reads the session cookie. @throws AppError `missing_session_token`, `bad_session_token` */
export async function authenticate(request: FastifyRequest, sessions: Sessions): Promise<AuthenticatedUser> {
  const token = readSessionCookie(request)
  if (token === undefined) throw new AppError('missing_session_token')
  const found = await sessions.authenticate(token)
  if (!found) throw new AppError('bad_session_token')
  return { ...found, actor: owner(request, found.session) }
}
