import { createHash, timingSafeEqual } from 'node:crypto'
import { Histogram, type Registry } from 'prom-client'
import { Fault } from '../domain/error.ts'
import type { Log } from '../ports.ts'
import type { App } from './app.ts'
import { notFound } from './errors.ts'

const SLOW_MS = 1_000

/**
 * Measures every request by its route, and logs those that failed or were slow; at the level `debug` all. The
 * route's pattern stands for the path, which may hold an invoice id.
 */
export function addObservation(app: App, log: Log, registry: Registry): void {
  const seconds = new Histogram({
    name: 'zatgate_http_request_seconds',
    help: 'Time to answer, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.05, 0.2, 1, 5],
    registers: [registry],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const ms = reply.elapsedTime
    seconds.labels(request.method, route, String(reply.statusCode)).observe(ms / 1000)
    const details = { method: request.method, route, status: reply.statusCode, ms: Math.round(ms) }
    if (reply.statusCode >= 500) log.warn(details, 'request failed')
    else if (ms > SLOW_MS) log.warn(details, 'request was slow')
    else log.debug(details, 'request answered')
    done()
  })
}

/**
 * GET /metrics for whoever has the token of the setting METRICS_TOKEN; without the setting there is no such path.
 * Not "for loopback only": behind a proxy every request comes from there.
 */
export function addMetrics(app: App, registry: Registry, token: string | null): void {
  const expected = token === null ? null : digest(`Bearer ${token}`)
  app.get('/metrics', { config: { rateLimit: false } }, async (request, reply) => {
    if (expected === null) throw notFound()
    if (!timingSafeEqual(expected, digest(request.headers.authorization ?? '')))
      throw new Fault('unauthenticated', 'bad_metrics_token', 'bad metrics token')
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
