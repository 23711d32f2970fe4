import type { FastifyInstance } from 'fastify'

/**
 * Search engines may read every page: only so do they see `noindex`, and a page that they may not read can be listed by
 * its address. Archives publish addresses, and do not follow `noindex`.
 */
const ROBOTS = `User-agent: *
Allow: /

User-agent: archive.org_bot
User-agent: ia_archiver
User-agent: CCBot
Disallow: /i/
Disallow: /l/
Disallow: /pos/
Disallow: /v1/
`

export function robotsRoute(app: FastifyInstance): void {
  app.get('/robots.txt', { config: { rate: 'read', access: 'public' } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('text/plain; charset=utf-8').send(ROBOTS),
  )
}
