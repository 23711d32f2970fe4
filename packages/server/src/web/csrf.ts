import type { FastifyRequest } from 'fastify'
import { AppError } from '../domain/error.ts'
import { httpsRequired, isPlainHttp } from './plain-http.ts'

/**
 * Rejects state-changing requests that another site makes a browser send. Browsers report the source in
 * `Sec-Fetch-Site`, older ones in `Origin`. Clients that send neither are not browsers and hold no cookies.
 *
 * @param ownOrigin the public origin of this server; the requested host is accepted too
 * @throws AppError `cross_site_request`; `https_required` for a form of this server that was sent over plain http
 */
export function rejectCrossSiteRequest(request: FastifyRequest, ownOrigin: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined ? site === 'same-origin' : origin === undefined || isOwn(origin, request, ownOrigin)) return
  if (isPlainHttp(request) && origin === `http://${request.headers.host}`) throw httpsRequired(ownOrigin)
  throw new AppError('cross_site_request')
}

/** Accepts any host that was requested, but plain HTTP only if the public origin uses it: plain HTTP can be tampered with. */
function isOwn(origin: string, request: FastifyRequest, ownOrigin: string): boolean {
  return origin === ownOrigin || origin === `${new URL(ownOrigin).protocol}//${request.headers.host}`
}
