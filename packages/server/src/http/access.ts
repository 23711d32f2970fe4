import type { FastifyRequest } from 'fastify'
import type { Scope } from '../domain/account/api-key.ts'
import type { Permission } from '../domain/account/permission.ts'
import type { ApiErrorName } from '../domain/error-table.ts'
import type { App } from './app.ts'

/** A scoped API key that has one of the scopes, or someone else. */
export interface ScopedAccess {
  readonly scopes: readonly [Scope, ...Scope[]]
  /**
   * `api-key`: a key without scopes. `session`, `recent-session`: as below. `public`: everyone; the key and a session token are shown
   * more, and other credentials are ignored.
   */
  readonly or: 'api-key' | 'session' | 'recent-session' | 'public'
}

/** A scoped API key that has one of the permissions; of none: any permission. Routes of BTCPay's API have it. */
export interface PermissionAccess {
  readonly permissions: readonly Permission[]
}

/**
 * The credentials that a route takes. `recent-session`: a session token; one of a browser must also have entered a code
 * recently, as the dashboard requires it for the same change. `cookie`: the session of a page. `metrics-token`: METRICS_TOKEN.
 */
export type Access =
  | 'public'
  | 'session'
  | 'recent-session'
  | 'cookie'
  | 'metrics-token'
  | ScopedAccess
  | PermissionAccess

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route declares it. The authentication and the API document follow from it. */
    access?: Access
  }
}

/**
 * Refuses routes that declare no access. Call before adding routes.
 * @returns the access of each route, such as `GET /v1/account`, as the routes are added
 */
export function requireAccess(app: App): ReadonlyMap<string, Access> {
  const declared = new Map<string, Access>()
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`the route ${method} ${url} declares no access`)
    for (const name of [method].flat()) declared.set(`${name} ${url}`, config.access)
  })
  return declared
}

/** Who may send a request. Unknown paths are public. */
export function accessOf(request: FastifyRequest): Access {
  return request.routeOptions.config?.access ?? 'public'
}

/** The `security` of an operation in the API document. Each requirement is one way to be let in. */
export function securityOf(access: Access): Record<string, readonly string[]>[] {
  if (access === 'session' || access === 'recent-session') return [{ sessionAuth: [] }]
  if (typeof access === 'string' || 'permissions' in access) return []
  const scoped = access.scopes.map(scope => ({ apiKeyAuth: [scope] }))
  if (access.or === 'api-key') return [{ apiKeyAuth: [] }]
  return [...(access.or === 'public' ? [{}] : []), { sessionAuth: [] }, ...scoped]
}

/** The errors of a route that follow from its access, in the order of the judgement. */
export function errorsOfAccess(access: Access): readonly ApiErrorName[] {
  const session = ['missing_session_token', 'bad_session_token'] as const
  if (access === 'session') return session
  if (access === 'recent-session') return [...session, 'recent_sign_in_required']
  if (typeof access === 'string' || 'permissions' in access) return []
  if (access.or === 'public') return ['bad_api_key', 'address_not_allowed', 'bad_session_token']
  const others = access.or === 'api-key' ? (['missing_api_key'] as const) : session
  const recent = access.or === 'recent-session' ? (['recent_sign_in_required'] as const) : []
  return [...others, 'bad_api_key', 'address_not_allowed', 'missing_scope', ...recent]
}
