import type { FastifyRequest } from 'fastify'
import type { Account } from '../../domain/account/account.ts'
import type { ApiKey } from '../../domain/account/api-key.ts'
import type { Permission } from '../../domain/account/permission.ts'
import { RawJson, stringify } from '../../domain/raw-json.ts'
import type { Log } from '../../ports/log.ts'
import type { AnyRequest, App } from '../app.ts'
import { accountOf, scopedKeyOf, sentCredential } from '../auth.ts'
import { invalidJson, toAppError } from '../error.ts'
import { logError } from '../error-handler.ts'
import type { RateClass } from '../rate-limit.ts'
import { FieldErrors, GreenfieldError, sendFieldErrors, sendGreenfieldError } from './error.ts'
import { type Members, membersOf } from './read.ts'

/** A request of an authenticated route. */
export interface GreenfieldRequest {
  /** That of the key, and of `:storeId` if the path has one. */
  readonly account: Account
  readonly key: ApiKey
  /** The key as it was sent. */
  readonly keyText: string
  readonly params: Readonly<Record<string, string>>
  /** Each parameter with its values in their order. */
  readonly query: Readonly<Record<string, readonly string[]>>
  readonly body: Members
  /** The text of the body, of which numbers and metadata are taken as they were written. Empty without one. */
  readonly text: string
  readonly raw: FastifyRequest
}

/** @returns what is sent as JSON, in which a `RawJson` keeps its bytes. Undefined: an empty 200 */
type Handler = (request: GreenfieldRequest) => Promise<object | string | undefined>

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

interface RouteOptions {
  /** One of them suffices; of none: any key with a permission. */
  readonly permissions: readonly Permission[]
  readonly rate: RateClass
}

const texts = new WeakMap<FastifyRequest, string>()

/** Adds routes of BTCPay's API. */
export function route(
  app: App,
  method: Method,
  paths: string | readonly string[],
  options: RouteOptions,
  handler: Handler,
): void {
  const config = { rate: options.rate, access: { permissions: options.permissions }, cors: 'with-api-key' } as const
  for (const url of urlsOf(paths))
    app.route({
      method,
      url,
      config,
      handler: async (request, reply) => {
        const account = accountOf(request)
        const params = request.params as Record<string, string>
        if (params.storeId !== undefined && params.storeId.toLowerCase() !== account.publicId)
          throw new GreenfieldError('store-not-found')
        const answer = await handler({
          account,
          key: scopedKeyOf(request),
          keyText: sentCredential(request) ?? '',
          params,
          query: queryOf(request),
          body: membersOf(request.body),
          text: texts.get(request) ?? '',
          raw: request,
        })
        // Clients parse every body that says it is JSON, so an empty one must not.
        if (answer === undefined) return reply.code(200).send()
        reply.type('application/json; charset=utf-8')
        return reply.serializer(payload => payload as string).send(textOf(answer))
      },
    })
}

/** Adds a route for everyone, whose handler gets the parameters of its path and nothing else. */
export function publicRoute(
  app: App,
  paths: string | readonly string[],
  handler: (params: Readonly<Record<string, string>>) => Promise<object>,
): void {
  for (const url of urlsOf(paths))
    app.route({
      method: 'GET',
      url,
      config: { rate: 'read', access: 'public', cors: 'with-api-key' },
      handler: async (request, reply) => {
        reply.type('application/json; charset=utf-8')
        return reply.send(textOf(await handler(request.params as Record<string, string>)))
      },
    })
}

/** Each path, also with a slash at its end. */
function urlsOf(paths: string | readonly string[]): string[] {
  return [paths].flat().flatMap(path => [path, `${path}/`])
}

function textOf(answer: object | string): string {
  if (answer instanceof RawJson) return answer.text
  return typeof answer === 'string' ? JSON.stringify(answer) : stringify(answer)
}

function queryOf(request: FastifyRequest): Record<string, string[]> {
  const given = request.query as Readonly<Record<string, string | string[]>>
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.replace(/\[\]$/, ''), [value].flat()]))
}

const MAX_LOGGED_PATHS = 200

/**
 * BTCPay's Greenfield API. It takes its clients' requests as they come: a body on GET, a Content-Type without a body, any
 * query. All other paths below `/api/` get a 404 that says so.
 * @param addRoutes adds routes to the app that it is given
 */
export function addGreenfield(app: App, log: Log, addRoutes: (scope: App) => void): void {
  app.register(async instance => {
    const scope = instance as unknown as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
      const text = (body as string).trim()
      texts.set(request, text)
      if (text === '') return done(null, undefined)
      try {
        done(null, JSON.parse(text))
      } catch {
        done(invalidJson(), undefined)
      }
    })
    scope.setErrorHandler((thrown, request, reply) => {
      if (thrown instanceof GreenfieldError)
        return reply.code(thrown.status).send({ code: thrown.code, message: thrown.message })
      if (thrown instanceof FieldErrors) return sendFieldErrors(reply, thrown.fields)
      const error = toAppError(thrown, request)
      logError(log, error, request)
      sendGreenfieldError(request, reply, error)
    })
    addRoutes(scope)
    addUnknownPaths(scope, log)
  })
}

/** Paths of BTCPay that this service lacks: each is logged once, so that the operator learns what a plugin asks for. */
function addUnknownPaths(scope: App, log: Log): void {
  const logged = new Set<string>()
  scope.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/api/*',
    config: { rate: 'read', access: 'public', cors: 'with-api-key' },
    handler: (request: AnyRequest) => {
      const path = `${request.method} ${withoutIds(request.url)}`
      if (!logged.has(path) && logged.size < MAX_LOGGED_PATHS) {
        logged.add(path)
        log.info({ path }, "a path of BTCPay's API was asked for that this service does not have")
      }
      const message = `${path} is not part of this service. It answers the part of BTCPay's Greenfield API that shop plugins use.`
      throw new GreenfieldError('not-available', message)
    },
  })
}

/** The path with a placeholder for each part that may be an id. */
function withoutIds(url: string): string {
  const [path = ''] = url.split('?', 1)
  const parts = path.slice(0, 200).split('/')
  return parts.map(part => (/^[a-z0-9.]{0,3}$|^[A-Za-z-]{1,24}$/.test(part) ? part : '{id}')).join('/')
}
