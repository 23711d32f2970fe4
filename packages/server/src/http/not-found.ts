import { AppError } from '../domain/error.ts'
import type { App } from './app.ts'

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/**
 * Rejects requests that match no route: 405 with `Allow` if the path has other methods, otherwise 404.
 * Call before adding routes.
 */
export function addUnknownRouteHandler(app: App): void {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const name of [method].flat()) known.methods.add(name)
    paths.set(url, known)
  })
  // In the first hook rather than in the handler, so the body is not read.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const path = request.raw.url?.split('?', 1)[0] ?? ''
    const known = [...paths.values()].find(({ pattern }) => pattern.test(path))
    if (!known) return done(new AppError('not_found'))
    reply.header('allow', [...known.methods].sort().join(', '))
    done(new AppError('method_not_allowed'))
  })
}

/** A pattern for every path that matches a route such as `/v1/invoices/:id`. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map(part => {
    if (part.startsWith(':')) return '[^/]+'
    return part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
