import rateLimit from '@fastify/rate-limit'
import { AppError } from '../domain/error.ts'
import type { App } from './app.ts'

/**
 * Limits requests per client address, before any other work. Rejected requests and unknown paths count too. Routes opt
 * out with `config: { rateLimit: false }`.
 */
export async function addRateLimit(app: App, perMinute: number): Promise<void> {
  if (perMinute === 0) return
  const noHeaders = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
  await app.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: 60_000,
    cache: 20_000,
    ipv6Subnet: 64,
    addHeaders: noHeaders,
    addHeadersOnExceeding: noHeaders,
    errorResponseBuilder: (_request, { ttl }) =>
      new AppError('too_many', 'too_many_requests', 'too many requests', { retryAfterSecs: Math.ceil(ttl / 1000) }),
  })
  const limit = app.rateLimit()
  app.addHook('onRequest', async function (request, reply) {
    if (request.routeOptions.config?.rateLimit !== false) await limit.call(this, request, reply)
  })
}
