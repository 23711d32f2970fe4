import type { FastifyRequest } from 'fastify'
import type { Span, Tracer } from '../ports/tracer.ts'
import type { App } from './app.ts'
import type { TrustsPeer } from './request-id.ts'

/**
 * Records a span of every request, with its route pattern instead of the path, which can contain an invoice id. The trace
 * of a trusted proxy is continued.
 */
export function addRequestTraces(app: App, tracer: Tracer, trusts: TrustsPeer): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const isTrusted = typeof traceparent === 'string' && trusts(request.socket.remoteAddress ?? '', 0)
    spans.set(request, tracer.start('server', isTrusted ? traceparent : undefined))
    done()
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const { method, routeOptions } = request
    const route = routeOptions.url ?? 'none'
    spans.get(request)?.end(`${method} ${route}`, statusCode >= 500, {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': statusCode,
    })
    done()
  })
}
