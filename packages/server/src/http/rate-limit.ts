import type { FastifyRequest } from 'fastify'
import type { Account } from '../domain/account/account.ts'
import { AppError } from '../domain/error.ts'
import type { Clock } from '../ports/clock.ts'
import type { App } from './app.ts'
import { clientPrefix } from './client-prefix.ts'
import { type Limit, RateLimiter } from './rate-limiter.ts'

export interface ClassLimits {
  readonly routes: string
  readonly client?: Limit
  readonly account?: Limit
}

/**
 * Classes of routes by the cost of a request, with their limits by client address and by account. Each is counted for
 * itself. RATE_LIMIT bounds all requests of a client as well. One session or scoped API key may use half of its account's
 * limit, so that a stolen one cannot use up what the owner needs to end it. `routes` names the routes in docs/settings.md.
 */
export const RATE_CLASSES = {
  /** Not even RATE_LIMIT applies. */
  unlimited: { routes: 'health checks and metrics' },
  /** Cheap: only RATE_LIMIT applies. */
  read: { routes: 'all others' },
  create: { routes: 'create an invoice with an API key', account: { perMinute: 60_000, atOnce: 6_000 } },
  session: {
    routes: 'account operations with a session token or a scoped API key',
    client: { perMinute: 3_000, atOnce: 300 },
    account: { perMinute: 1_200, atOnce: 200 },
  },
  list: {
    routes: 'lists of invoices, refunds, payment links, deliveries, endpoints, withdrawals, API keys and sessions',
    client: { perMinute: 1_200, atOnce: 100 },
    account: { perMinute: 300, atOnce: 60 },
  },
  export: { routes: 'exports', client: { perMinute: 60, atOnce: 10 }, account: { perMinute: 12, atOnce: 6 } },
  'viewing-key': {
    routes: 'set a viewing key, set a logo',
    client: { perMinute: 30, atOnce: 10 },
    account: { perMinute: 10, atOnce: 5 },
  },
  swap: { routes: 'start a swap, give the address of a refund', client: { perMinute: 120, atOnce: 30 } },
  'receipt-mail': { routes: 'mail a receipt', client: { perMinute: 12, atOnce: 6 } },
  link: { routes: 'pay on a payment link or a keypad', client: { perMinute: 60, atOnce: 20 } },
  websocket: { routes: 'open a WebSocket', client: { perMinute: 6_000, atOnce: 500 } },
  page: { routes: 'pages', client: { perMinute: 1_200, atOnce: 100 }, account: { perMinute: 1_200, atOnce: 100 } },
  'sign-in': { routes: 'forms of the sign-in', client: { perMinute: 60, atOnce: 20 } },
} as const satisfies Record<string, ClassLimits>

export type RateClass = keyof typeof RATE_CLASSES

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route declares its class. Requests of unknown paths are in class `read`. */
    rate?: RateClass
  }
}

export interface RateLimits {
  /** Counts a request of a route for an account. @throws AppError `too_many_requests` */
  countForAccount(request: FastifyRequest, account: Account): void
  /**
   * Counts it for a session or a scoped API key and, if that is within its limit, for its account.
   * @throws AppError `too_many_requests`
   */
  countForCredential(request: FastifyRequest, account: Account, credential: { readonly publicId: string }): void
}

/**
 * Limits requests by client before any other work, rejected ones and unknown paths too, and by account after the
 * authentication. Call before adding routes. @param perMinute of one client on all routes; 0: no limits at all
 */
export function addRateLimits(app: App, perMinute: number, clock: Clock): RateLimits {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.rate === undefined) throw new Error(`the route ${method} ${url} declares no rate class`)
  })
  if (perMinute === 0) return { countForAccount() {}, countForCredential() {} }

  const overall = new RateLimiter({ perMinute, atOnce: perMinute }, clock)
  const byClient = limiters(({ client }) => client, clock)
  const byAccount = limiters(({ account }) => account, clock)
  const byCredential = limiters(({ account }) => account && half(account), clock)

  app.addHook('onRequest', (request, _reply, done) => {
    const rate = classOf(request)
    if (rate === 'unlimited') return done()
    const client = clientPrefix(request.ip)
    const waitMs = overall.count(client) || byClient.get(rate)?.count(client)
    done(waitMs ? tooMany(waitMs) : undefined)
  })

  function countForAccount(request: FastifyRequest, account: Account): void {
    const waitMs = byAccount.get(classOf(request))?.count(account.publicId)
    if (waitMs) throw tooMany(waitMs)
  }

  return {
    countForAccount,

    countForCredential(request, account, { publicId }) {
      const waitMs = byCredential.get(classOf(request))?.count(publicId)
      if (waitMs) throw tooMany(waitMs)
      countForAccount(request, account)
    },
  }
}

function classOf(request: FastifyRequest): RateClass {
  return request.routeOptions.config?.rate ?? 'read'
}

function limiters(limitOf: (limits: ClassLimits) => Limit | undefined, clock: Clock): Map<RateClass, RateLimiter> {
  const classes = Object.entries(RATE_CLASSES) as [RateClass, ClassLimits][]
  return new Map(
    classes.flatMap(([name, limits]) => {
      const limit = limitOf(limits)
      return limit ? [[name, new RateLimiter(limit, clock)]] : []
    }),
  )
}

function half({ perMinute, atOnce }: Limit): Limit {
  return { perMinute: perMinute / 2, atOnce: Math.ceil(atOnce / 2) }
}

function tooMany(waitMs: number): AppError {
  return new AppError('too_many_requests', {
    retryAfterSecs: Math.ceil(waitMs / 1000),
  })
}
