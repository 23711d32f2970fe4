import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../domain/error.ts'
import type { App } from '../http/app.ts'
import { statusOf, toFault } from '../http/errors.ts'
import type { Clock, Log, Rates } from '../ports.ts'
import type { Accounts } from '../services/account.ts'
import type { Billing } from '../services/billing.ts'
import type { BlockSpacing } from '../services/block-spacing.ts'
import type { Credentials } from '../services/credentials.ts'
import type { Dashboard } from '../services/dashboard.ts'
import type { Exports } from '../services/export.ts'
import type { Invoices } from '../services/invoice.ts'
import type { SignIn } from '../services/sign-in.ts'
import type { Swaps } from '../services/swap.ts'
import type { ViewingKeys } from '../services/viewing-key.ts'
import type { Webhooks } from '../services/webhook.ts'
import type { Withdrawals } from '../services/withdrawal.ts'
import { assetRoutes } from './assets.ts'
import { acceptForms, type Fields } from './forms.ts'
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

/** Tools of the simulated network for trying the service. */
export interface Playground {
  /** Address of the page that shows sent emails. */
  readonly mailboxUrl: string
  /** The viewing key of the demo wallet. */
  readonly viewingKey: string
  /** Pays a ZIP 321 request from the simulated wallet. */
  pay(uri: string): Promise<void>
}

export interface SiteDeps {
  readonly accounts: Accounts
  readonly billing: Billing
  readonly blockSpacing: BlockSpacing
  readonly credentials: Credentials
  readonly dashboard: Dashboard
  readonly exports: Exports
  readonly invoices: Invoices
  readonly rates: Rates
  readonly signIn: SignIn
  readonly swaps: Swaps
  readonly viewingKeys: ViewingKeys
  readonly webhooks: Webhooks
  readonly withdrawals: Withdrawals
  readonly network: 'main' | 'test' | 'regtest'
  /** Null outside the sandbox. */
  readonly playground: Playground | null
  readonly publicUrl: () => string
  readonly clock: Clock
  readonly log: Log
}

/** Handles a page request. Returns the page, or `reply` if the handler has already responded. */
type SignedInHandler = (request: FastifyRequest, reply: FastifyReply, user: SignedIn) => Promise<Html | FastifyReply>

/** Passed to the page routes. */
export interface Site {
  readonly app: App
  readonly deps: SiteDeps
  /** Adds a page for signed-in accounts. Others get 401 and the sign-in form. */
  page(method: 'GET' | 'POST', path: string, handler: SignedInHandler): void
  /** Adds a public page. */
  open(
    method: 'GET' | 'POST',
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<Html | FastifyReply>,
  ): void
  /** The user that a page is rendered for. */
  pageUser(user: SignedIn): Viewer
  /** Runs a sensitive change if the user entered a code recently. Otherwise shows a page that asks for a code first. */
  requireRecentAuth(step: SensitiveAction, change: () => Promise<Html | FastifyReply>): Promise<Html | FastifyReply>
}

export interface SensitiveAction {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly user: SignedIn
  readonly form: Fields
  /** Path of the menu item of the page with the form. */
  readonly menuPath: string
}

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

/** Address of the sandbox page with the emails sent to an address, or to all; null outside the sandbox. */
export function mailboxOf({ playground }: SiteDeps, email?: string): string | null {
  if (!playground) return null
  return email === undefined ? playground.mailboxUrl : `${playground.mailboxUrl}?to=${encodeURIComponent(email)}`
}

/** The error message as a sentence for a page. Rethrows internal and unknown errors. */
export function sentence(error: unknown): string {
  if (!(error instanceof Fault) || error.kind === 'internal') throw error
  const { detail } = error.extra
  const message = error.code.startsWith('invalid_') ? withoutUnits(error.message) : error.message
  const text = detail === undefined ? message : `${message}: ${detail}`
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Turns API field names into the names used on pages: `invalid amount_zat` → `invalid amount`. */
function withoutUnits(message: string): string {
  return message.replace(/_(zat|secs)$/, '').replaceAll('_', ' ')
}

const ERROR_TITLES: Partial<Record<Fault['kind'], string>> = {
  not_found: 'Not found',
  too_many: 'Too many requests',
  forbidden: 'Request refused',
  internal: 'Something went wrong',
  unavailable: 'Temporarily unavailable',
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
