import type { FastifyReply } from 'fastify'
import type { AnyRequest, App } from './app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of any origin may call this: what a buyer's browser needs, and no credential of ours is sent along. */
    cors?: boolean
  }
}

/** Answers the browsers' questions for the routes that say `config: { cors: true }`. Add before the routes. */
export function addCors(app: App): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', route => {
    if (!route.config?.cors || route.method === 'OPTIONS') return
    const known = methods.get(route.url)
    const allowed = known ?? new Set<string>()
    for (const method of [route.method].flat()) allowed.add(method)
    if (known) return
    methods.set(route.url, allowed)
    app.options(route.url, { config: { cors: true } }, (_request, reply) =>
      reply
        .headers({
          'access-control-allow-methods': [...allowed].join(', '),
          'access-control-allow-headers': 'content-type',
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
