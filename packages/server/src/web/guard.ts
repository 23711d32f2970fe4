import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../domain/account.ts'
import { AppError } from '../domain/error.ts'
import { SESSION_LIFETIME_SECS, type Session } from '../domain/session.ts'
import { SIGN_IN_CODE } from '../domain/sign-in.ts'
import type { Sessions } from '../services/session.ts'

const SESSION_COOKIE = '__Host-zatgate'
const CODE_COOKIE = '__Host-zatgate-code'

/**
 * All resources come from this server, and nothing is inline. Pages cannot be framed and submit forms only to this
 * server. Links that open a wallet are navigations, so no directive covers them.
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
  // With `no-referrer` browsers would send `Origin: null` with forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const

export interface AuthenticatedUser {
  readonly account: Account
  readonly session: Session
}

/** @throws Fault `missing_session_token`, `bad_session_token` */
export async function authenticate(request: FastifyRequest, sessions: Sessions): Promise<AuthenticatedUser> {
  const token = readCookie(request, SESSION_COOKIE)
  if (token === undefined) throw new AppError('unauthenticated', 'missing_session_token', 'missing session token')
  const found = await sessions.authenticate(token)
  if (!found) throw new AppError('unauthenticated', 'bad_session_token', 'bad session token')
  return found
}

export function setSessionCookie(reply: FastifyReply, token: string): void {
  reply.header('set-cookie', formatCookie(SESSION_COOKIE, token, SESSION_LIFETIME_SECS))
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header('set-cookie', formatCookie(SESSION_COOKIE, '', 0))
}

/** Binds an emailed code to this browser. */
export function setCodeCookie(reply: FastifyReply, browser: string): void {
  reply.header('set-cookie', formatCookie(CODE_COOKIE, browser, SIGN_IN_CODE.lifetimeSecs))
}

export function readCodeCookie(request: FastifyRequest): string | undefined {
  return readCookie(request, CODE_COOKIE)
}

export function clearCodeCookie(reply: FastifyReply): void {
  reply.header('set-cookie', formatCookie(CODE_COOKIE, '', 0))
}

/**
 * Rejects state-changing requests that another site makes a browser send. Browsers report the source in
 * `Sec-Fetch-Site`, older ones in `Origin`. Clients that send neither are not browsers and hold no cookies.
 *
 * @param ownOrigin the public origin of this server; the requested host is accepted too
 * @throws Fault `cross_site_request`
 */
export function rejectCrossSiteRequest(request: FastifyRequest, ownOrigin: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined ? site === 'same-origin' : origin === undefined || isOwn(origin, request, ownOrigin)) return
  throw new AppError('forbidden', 'cross_site_request', 'this form was sent by another site')
}

/** Accepts any host that was requested, but plain HTTP only if the public origin uses it: plain HTTP can be tampered with. */
function isOwn(origin: string, request: FastifyRequest, ownOrigin: string): boolean {
  return origin === ownOrigin || origin === `${new URL(ownOrigin).protocol}//${request.headers.host}`
}

function formatCookie(name: string, value: string, maxAgeSecs: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSecs}; Secure; HttpOnly; SameSite=Lax`
}

function readCookie(request: FastifyRequest, name: string): string | undefined {
  const pairs = request.headers.cookie?.split(';').map(pair => pair.trim()) ?? []
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}
