import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Fault } from '../domain/error.ts'
import type { App } from '../http/app.ts'
import { statusOf, toFault } from '../http/errors.ts'
import { assetRoutes } from './assets.ts'
import { mailboxOf, type Site, type SiteDeps } from './context.ts'
import { ERROR_TITLES, sentence } from './error-text.ts'
import { acceptForms } from './forms.ts'
import { PAGE_HEADERS, refuseCrossSite, type SignedIn, signedIn } from './guard.ts'
import type { Html } from './html.ts'
import type { Viewer } from './page-user.ts'
import { confirmPage } from './pages/confirm.ts'
import { faultPage } from './pages/error.ts'
import { signInPage } from './pages/sign-in.ts'
import { apiKeyPages } from './routes/api-key.ts'
import { billingPages } from './routes/billing.ts'
import { checkoutPages } from './routes/checkout.ts'
import { exportPages } from './routes/export.ts'
import { invoicePages } from './routes/invoice.ts'
import { overviewPages } from './routes/overview.ts'
import { sessionPages } from './routes/session.ts'
import { signInPages } from './routes/sign-in.ts'
import { swapPages } from './routes/swap.ts'
import { viewingKeyPages } from './routes/viewing-key.ts'
import { webhookPages } from './routes/webhook.ts'
import { withdrawalPages } from './routes/withdrawal.ts'

/** Adds the dashboard and the checkout pages. Call after adding the API routes. */
export function addSite(root: App, deps: SiteDeps): void {
  root.register(async app => {
    acceptForms(app)
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(PAGE_HEADERS)
      refuseCrossSite(request, deps.publicUrl())
    })
    app.setErrorHandler((error, request, reply) => sendErrorPage(error, request, reply, deps))
    const site = createSite(app, deps)
    assetRoutes(app)
    signInPages(site)
    overviewPages(site)
    invoicePages(site)
    apiKeyPages(site)
    viewingKeyPages(site)
    webhookPages(site)
    billingPages(site)
    withdrawalPages(site)
    sessionPages(site)
    exportPages(site)
    checkoutPages(site)
    swapPages(site)
  })
}

function createSite(app: App, deps: SiteDeps): Site {
  const pageUser = ({ account }: SignedIn): Viewer => ({ email: account.email, sandbox: deps.playground !== null })

  const site: Site = {
    app,
    deps,
    pageUser,

    open(method, path, handler) {
      app.route({
        method,
        url: path,
        schema: { hide: true },
        handler: async (request, reply) => send(reply, await handler(request, reply)),
      })
    },

    page(method, path, handler) {
      // Authenticates before the body is parsed, so unauthenticated clients learn nothing about the form.
      const users = new WeakMap<FastifyRequest, SignedIn>()
      app.route({
        method,
        url: path,
        schema: { hide: true },
        onRequest: async request => {
          users.set(request, await signedIn(request, deps.credentials))
        },
        handler: async (request, reply) => send(reply, await handler(request, reply, users.get(request) as SignedIn)),
      })
    },

    async requireRecentAuth({ request, reply, user, form, menuPath }, change) {
      const { code, ...fields } = form
      let problem: string | undefined
      try {
        if (code !== undefined) await deps.signIn.confirm(user.session, code)
      } catch (error) {
        problem = sentence(error)
      }
      if (problem === undefined && (await deps.signIn.isFresh(user.session))) return change()
      await deps.signIn.askAgain(user.account, user.session, request.ip)
      reply.code(403)
      const mailboxUrl = mailboxOf(deps, user.account.email)
      return confirmPage(pageUser(user), {
        action: request.url,
        fields,
        menuPath,
        mailboxUrl,
        ...(problem ? { error: problem } : {}),
      })
    },
  }
  return site
}

function send(reply: FastifyReply, result: Html | FastifyReply): FastifyReply {
  return result === reply ? reply : reply.type('text/html; charset=utf-8').send(String(result))
}

/** Sends a 404 page to browsers. Returns false for other clients and for paths of the API. */
export function strayPage(error: Fault, request: FastifyRequest, reply: FastifyReply): boolean {
  const isBrowser = request.method === 'GET' && request.headers.accept?.includes('text/html')
  if (!isBrowser || error.kind !== 'not_found' || request.url.startsWith('/v1/')) return false
  send(
    reply.headers(PAGE_HEADERS).code(404),
    faultPage(ERROR_TITLES.not_found as string, 'There is no page at this address.'),
  )
  return true
}

function sendErrorPage(thrown: unknown, request: FastifyRequest, reply: FastifyReply, { log, playground }: SiteDeps) {
  const error = toFault(thrown)
  if (error.kind === 'internal')
    log.error({ method: request.method, route: request.routeOptions.url, err: error.cause ?? error }, 'internal error')
  if (error.retryAfterSecs !== undefined) reply.header('retry-after', error.retryAfterSecs)
  const page =
    error.kind === 'unauthenticated'
      ? signInPage({ sandbox: playground !== null })
      : faultPage(
          ERROR_TITLES[error.kind] ?? 'Request failed',
          error.kind === 'internal' ? 'The error has been logged. Please try again.' : sentence(error),
        )
  return send(reply.code(statusOf(error)), page)
}
