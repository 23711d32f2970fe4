import type { FastifyRequest } from 'fastify'
import { AppError } from '../domain/error.ts'
import { isLoopbackInBrowser } from '../domain/host.ts'

/** Whether a browser has sent this form over plain http. */
export function isPlainHttp({ headers }: FastifyRequest): boolean {
  return headers.origin?.startsWith('http:') === true
}

/**
 * Requires a page that the browser keeps the cookies of: they are for https only, and for http on the machine itself.
 * @throws AppError `https_required`
 */
export function requireCookieOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers
  if (isPlainHttp(request) && !isLoopbackInBrowser(URL.parse(origin ?? '')?.hostname ?? ''))
    throw httpsRequired(publicUrl)
}

export function httpsRequired(publicUrl: string): AppError {
  const detail = publicUrl.startsWith('https:')
    ? `open ${publicUrl}`
    : 'put a proxy with https in front of zatgate and set PUBLIC_URL to its address, or open http://localhost on the machine itself'
  return new AppError('https_required', { detail })
}
