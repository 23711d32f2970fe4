import type { FastifyReply } from 'fastify'
import type { AnyRequest, App } from './app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Allows calls from pages of any origin: of buyers' browsers without credentials, or by scripts that send an API key,
     * as clients of BTCPay's API may. Cookies never count on these routes.
     */
    cors?: boolean | 'with-api-key'
  }
}

/** Browsers ask for each header of a request: the tracing of shops adds some, and so do calls that avoid caches. */
const ALLOWED_HEADERS =
  'content-type, cache-control, pragma, if-none-match, x-requested-with, traceparent, tracestate, baggage, sentry-trace'

/** Adds CORS headers and preflight responses to routes with `config: { cors: true }`. Call before adding routes. */
export function addCors(app: App): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', route => {
    if (!route.config?.cors || route.method === 'OPTIONS') return
    const known = methods.get(route.url)
    const allowed = known ?? new Set<string>()
    for (const method of [route.method].flat()) allowed.add(method)
    if (known) return
    methods.set(route.url, allowed)
    const headers = route.config.cors === 'with-api-key' ? `authorization, ${ALLOWED_HEADERS}` : ALLOWED_HEADERS
    app.options(route.url, { config: { cors: true, rate: 'read', access: 'public' } }, (_request, reply) =>
      reply
        .headers({
          'access-control-allow-methods': [...allowed].join(', '),
          'access-control-allow-headers': headers,
          'access-control-max-age': '7200',
        })
        .code(204)
        .send(),
    )
  })
  app.addHook('onRequest', (request: AnyRequest, reply: FastifyReply, done: () => void) => {
    if (request.routeOptions.config?.cors)
      reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' })
    done()
  })
}
