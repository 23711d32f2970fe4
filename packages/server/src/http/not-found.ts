import { Fault } from '../domain/error.ts'
import type { App } from './app.ts'
import { notFound } from './errors.ts'

interface Known {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/**
 * What to say where no route answers: 405 with `Allow` for a path that other methods have, else 404.
 * Add before the routes.
 */
export function addNotFound(app: App): void {
  const routes = new Map<string, Known>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) known.methods.add(one)
    routes.set(url, known)
  })
  // In the first hook and not in the handler: what is sent to nowhere is not read.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const path = request.raw.url?.split('?', 1)[0] ?? ''
    const known = [...routes.values()].find(({ pattern }) => pattern.test(path))
    if (!known) return done(notFound())
    reply.header('allow', [...known.methods].sort().join(', '))
    done(new Fault('method_not_allowed', 'method_not_allowed', 'method not allowed'))
  })
}

/** `/v1/invoices/:id` → every path that it means. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map(part => {
    if (part.startsWith(':')) return '[^/]+'
    return part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
