import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Session } from '../domain/account.ts'
import { SESSION_SECS } from '../domain/account.ts'
import { Fault } from '../domain/error.ts'
import { CODE } from '../domain/sign-in.ts'
import type { Credentials } from '../services/credentials.ts'

const SESSION_COOKIE = '__Host-zatgate'
const CODE_COOKIE = '__Host-zatgate-code'

/**
 * Everything comes from this server and nothing is written into the page itself. A page may be framed by nobody and
 * sends its forms only here; links to a wallet are no fetches, so no rule speaks of them.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const PAGE_HEADERS = {
  'content-security-policy': CONTENT_POLICY,
  // Not `no-referrer`: with it a browser calls the origin of a form `null`.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const

export interface SignedIn {
  readonly account: Account
  readonly session: Session
}

/** @throws Fault `missing_session_token`, `bad_session_token` */
export async function signedIn(request: FastifyRequest, credentials: Credentials): Promise<SignedIn> {
  const token = cookieOf(request, SESSION_COOKIE)
  if (token === undefined) throw new Fault('unauthenticated', 'missing_session_token', 'missing session token')
  const found = await credentials.bySessionToken(token)
  if (!found) throw new Fault('unauthenticated', 'bad_session_token', 'bad session token')
  return found
}

export function keepSession(reply: FastifyReply, token: string): void {
  reply.header('set-cookie', cookie(SESSION_COOKIE, token, SESSION_SECS))
}

export function forgetSession(reply: FastifyReply): void {
  reply.header('set-cookie', cookie(SESSION_COOKIE, '', 0))
}

/** What makes this browser the one that a code was mailed for. */
export function keepBrowser(reply: FastifyReply, browser: string): void {
  reply.header('set-cookie', cookie(CODE_COOKIE, browser, CODE.secs))
}

export function browserOf(request: FastifyRequest): string | undefined {
  return cookieOf(request, CODE_COOKIE)
}

export function forgetBrowser(reply: FastifyReply): void {
  reply.header('set-cookie', cookie(CODE_COOKIE, '', 0))
}

/**
 * Refuses what another site has a browser send: a changing request must come from a page of our own. Browsers say where
 * it comes from in `Sec-Fetch-Site`, older ones in `Origin`; what says neither is no browser, and has no cookie of one.
 *
 * @param ownOrigin as browsers know this server, beside the host they have asked for
 * @throws Fault `cross_site_request`
 */
export function refuseCrossSite(request: FastifyRequest, ownOrigin: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined ? site === 'same-origin' : origin === undefined || isOwn(origin, request, ownOrigin)) return
  throw new Fault('forbidden', 'cross_site_request', 'this form was sent by another site')
}

/** By whatever host it was asked for, but over plain HTTP only where we are: on the way there, anyone can write pages. */
function isOwn(origin: string, request: FastifyRequest, ownOrigin: string): boolean {
  return origin === ownOrigin || origin === `${new URL(ownOrigin).protocol}//${request.headers.host}`
}

function cookie(name: string, value: string, maxAgeSecs: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSecs}; Secure; HttpOnly; SameSite=Lax`
}

function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const pairs = request.headers.cookie?.split(';').map(pair => pair.trim()) ?? []
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}
