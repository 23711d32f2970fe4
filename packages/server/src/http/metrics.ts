import { createHash, timingSafeEqual } from 'node:crypto'
import { Histogram, type Registry } from 'prom-client'
import { AppError } from '../domain/error.ts'
import type { Log } from '../ports/log.ts'
import type { App } from './app.ts'

const SLOW_MS = 1_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A probe: its status 503 is an answer, which is given every few seconds while the service is not ready. */
    probe?: boolean
    /** Its time is that of a wait for news, or of a client that reads a long response. */
    isLong?: boolean
  }
}

/**
 * Measures every request by route and logs failed and slow ones, or all at log level `debug`. Metrics and logs hold the
 * route pattern instead of the path, because a path can contain an invoice id, which is a credential.
 */
export function addRequestMetrics(app: App, log: Log, registry: Registry): void {
  const seconds = new Histogram({
    name: 'zatgate_http_request_seconds',
    help: 'Response time by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.05, 0.2, 1, 5],
    registers: [registry],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { url: route = 'none', config } = request.routeOptions
    const ms = reply.elapsedTime
    seconds.labels(request.method, route, String(reply.statusCode)).observe(ms / 1000)
    const { id: requestId, method } = request
    const details = { requestId, method, route, status: reply.statusCode, ms: Math.round(ms) }
    if (reply.statusCode >= 500 && !config.probe) log.warn(details, 'request failed')
    else if (ms > SLOW_MS && !config.isLong) log.warn(details, 'slow request')
    else log.debug(details, 'request completed')
    done()
  })
}

/**
 * Serves GET /metrics to requests with the token of the setting METRICS_TOKEN, and 404 if the setting is unset.
 * Restricting it to loopback would not protect it: behind a local proxy every request comes from there.
 */
export function addMetricsRoute(app: App, registry: Registry, token: string | null): void {
  const expected = token === null ? null : digest(`Bearer ${token}`)
  app.get('/metrics', { config: { rate: 'unlimited', access: 'metrics-token' } }, async (request, reply) => {
    if (expected === null) throw new AppError('not_found')
    if (!timingSafeEqual(expected, digest(request.headers.authorization ?? ''))) throw new AppError('bad_metrics_token')
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
