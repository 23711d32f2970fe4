import type { FastifyRequest } from 'fastify'
import { AppError } from '../domain/error.ts'
import { isLoopbackInBrowser } from '../domain/host.ts'
import { plain } from './text/dashboard.ts'

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
  const detail = publicUrl.startsWith('https:') ? plain('https_open', { url: publicUrl }) : plain('https_proxy')
  return new AppError('https_required', { detail })
}
