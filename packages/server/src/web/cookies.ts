import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_LIFETIME_SECS } from '../domain/account/session.ts'
import { KNOWN_BROWSER, SIGN_IN_CODE } from '../domain/account/sign-in.ts'

const SESSION_COOKIE = '__Host-zatgate'
const CODE_COOKIE = '__Host-zatgate-code'
const BROWSER_COOKIE = '__Host-zatgate-browser'

/** The prefix `__Host-` requires `Secure` and the path `/`. */
const ATTRIBUTES = {
  path: '/',
  secure: true,
  httpOnly: true,
  sameSite: 'lax',
} as const satisfies CookieSerializeOptions

/** The session token. */
export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[SESSION_COOKIE]
}

export function setSessionCookie(reply: FastifyReply, token: string): void {
  reply.setCookie(SESSION_COOKIE, token, { ...ATTRIBUTES, maxAge: SESSION_LIFETIME_SECS })
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.setCookie(SESSION_COOKIE, '', { ...ATTRIBUTES, maxAge: 0 })
}

/** The browser secret that an emailed code is bound to. */
export function readCodeCookie(request: FastifyRequest): string | undefined {
  return request.cookies[CODE_COOKIE]
}

export function setCodeCookie(reply: FastifyReply, browser: string): void {
  reply.setCookie(CODE_COOKIE, browser, { ...ATTRIBUTES, maxAge: SIGN_IN_CODE.lifetimeSecs })
}

export function clearCodeCookie(reply: FastifyReply): void {
  reply.setCookie(CODE_COOKIE, '', { ...ATTRIBUTES, maxAge: 0 })
}

/** The accounts that this browser has signed in to, as signed tokens. It stays after signing out and gives no access. */
export function readBrowserCookie(request: FastifyRequest): string | undefined {
  return request.cookies[BROWSER_COOKIE]
}

export function setBrowserCookie(reply: FastifyReply, knownBrowser: string): void {
  reply.setCookie(BROWSER_COOKIE, knownBrowser, { ...ATTRIBUTES, maxAge: KNOWN_BROWSER.lifetimeSecs })
}
