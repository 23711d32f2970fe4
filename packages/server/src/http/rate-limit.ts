import type { FastifyRequest } from 'fastify'
import type { Account } from '../domain/account.ts'
import { AppError } from '../domain/error.ts'
import type { Clock } from '../ports/clock.ts'
import type { App } from './app.ts'
import { clientPrefix } from './client-prefix.ts'
import { type Limit, RateLimiter } from './rate-limiter.ts'

/**
 * Classes of routes by the cost of a request, with their limits by client address and by account. Each is counted for
 * itself. RATE_LIMIT bounds all requests of a client as well. The README lists them.
 */
const CLASSES = {
  /** Not even RATE_LIMIT applies. */
  unlimited: {},
  /** Cheap: only RATE_LIMIT applies. */
  read: {},
  create: { account: { perMinute: 60_000, atOnce: 6_000 } },
  session: { client: { perMinute: 3_000, atOnce: 300 }, account: { perMinute: 1_200, atOnce: 200 } },
  list: { client: { perMinute: 1_200, atOnce: 100 }, account: { perMinute: 300, atOnce: 60 } },
  export: { client: { perMinute: 60, atOnce: 10 }, account: { perMinute: 12, atOnce: 6 } },
  'viewing-key': { client: { perMinute: 30, atOnce: 10 }, account: { perMinute: 10, atOnce: 5 } },
  swap: { client: { perMinute: 120, atOnce: 30 } },
  websocket: { client: { perMinute: 6_000, atOnce: 500 } },
  page: { client: { perMinute: 1_200, atOnce: 100 }, account: { perMinute: 1_200, atOnce: 100 } },
  'sign-in': { client: { perMinute: 60, atOnce: 20 } },
} as const satisfies Record<string, { readonly client?: Limit; readonly account?: Limit }>

export type RateClass = keyof typeof CLASSES

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route declares its class. Requests of unknown paths are in class `read`. */
    rate?: RateClass
  }
}

export interface RateLimits {
  /** Counts a request of a route for the account that it has authenticated. @throws AppError `too_many_requests` */
  countForAccount(request: FastifyRequest, account: Account): void
}

/**
 * Limits requests by client before any other work, rejected ones and unknown paths too, and by account after the
 * authentication. Call before adding routes. @param perMinute of one client on all routes; 0: no limits at all
 */
export function addRateLimits(app: App, perMinute: number, clock: Clock): RateLimits {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.rate === undefined) throw new Error(`the route ${method} ${url} declares no rate class`)
  })
  if (perMinute === 0) return { countForAccount() {} }

  const overall = new RateLimiter({ perMinute, atOnce: perMinute }, clock)
  const byClient = limiters('client', clock)
  const byAccount = limiters('account', clock)

  app.addHook('onRequest', (request, _reply, done) => {
    const rate = classOf(request)
    if (rate === 'unlimited') return done()
    const client = clientPrefix(request.ip)
    const waitMs = overall.count(client) || byClient.get(rate)?.count(client)
    done(waitMs ? tooMany(waitMs) : undefined)
  })

  return {
    countForAccount(request, account) {
      const waitMs = byAccount.get(classOf(request))?.count(String(account.id))
      if (waitMs) throw tooMany(waitMs)
    },
  }
}

function classOf(request: FastifyRequest): RateClass {
  return request.routeOptions.config?.rate ?? 'read'
}

function limiters(by: 'client' | 'account', clock: Clock): Map<RateClass, RateLimiter> {
  const classes = Object.entries(CLASSES) as [RateClass, { client?: Limit; account?: Limit }][]
  return new Map(classes.flatMap(([name, { [by]: limit }]) => (limit ? [[name, new RateLimiter(limit, clock)]] : [])))
}

function tooMany(waitMs: number): AppError {
  return new AppError('too_many', 'too_many_requests', 'too many requests', {
    retryAfterSecs: Math.ceil(waitMs / 1000),
  })
}
