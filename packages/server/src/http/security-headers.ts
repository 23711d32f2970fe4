import type { App } from './app.ts'

/** Headers of API responses. The web pages override some of them. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
  // The id of an invoice is its credential, so no search engine may list its address.
  'x-robots-tag': 'noindex, nofollow, noarchive',
}

/**
 * Adds the security headers to every response, with HSTS if the public URL is https without a port. HSTS applies to
 * all ports of a host name, so behind another port it would break the other services of that host.
 * @param withSubdomains whether HSTS includes the names below that host, which may be other services without TLS
 */
export function addSecurityHeaders(app: App, publicUrl: string | null, withSubdomains: boolean): void {
  const hsts = { 'strict-transport-security': `max-age=31536000${withSubdomains ? '; includeSubDomains' : ''}` }
  const url = publicUrl === null ? null : new URL(publicUrl)
  const headers = url?.protocol === 'https:' && url.port === '' ? { ...SECURITY_HEADERS, ...hsts } : SECURITY_HEADERS
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
