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

/** What a simulated network offers to those who try the service. */
export interface Playground {
  /** Where it shows what was mailed. */
  readonly mailboxUrl: string
  /** The viewing key of its wallet. */
  readonly viewingKey: string
  /** Has its wallet pay a ZIP 321 request. */
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
  /** Null where the money is real. */
  readonly playground: Playground | null
  readonly publicUrl: () => string
  readonly clock: Clock
  readonly log: Log
}

/** A page's handler: who asks, and the answer as a page or as what `reply` was told. */
type SignedInHandler = (request: FastifyRequest, reply: FastifyReply, who: SignedIn) => Promise<Html | FastifyReply>

/** What the pages' routes are made with. */
export interface Site {
  readonly app: App
  readonly deps: SiteDeps
  /** A page for signed-in accounts; others get 401 and the form to sign in. */
  page(method: 'GET' | 'POST', path: string, handler: SignedInHandler): void
  /** A page for anyone. */
  open(
    method: 'GET' | 'POST',
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<Html | FastifyReply>,
  ): void
  viewer(who: SignedIn): Viewer
  /** Does what only the owner should, once a code was entered shortly before; else asks for one and then does it. */
  fresh(step: FreshStep, change: () => Promise<Html | FastifyReply>): Promise<Html | FastifyReply>
}

export interface FreshStep {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly who: SignedIn
  readonly form: Fields
  /** The page of the menu that the form is on. */
  readonly at: string
}

/** The dashboard and the buyers' page. Add after the API's routes. */
export function addSite(root: App, deps: SiteDeps): void {
  root.register(async app => {
    acceptForms(app)
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(PAGE_HEADERS)
      refuseCrossSite(request, deps.publicUrl())
    })
    app.setErrorHandler((error, request, reply) => answerFault(error, request, reply, deps))
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
  const viewer = ({ account }: SignedIn): Viewer => ({ email: account.email, sandbox: deps.playground !== null })

  const site: Site = {
    app,
    deps,
    viewer,

    open(method, path, handler) {
      app.route({
        method,
        url: path,
        schema: { hide: true },
        handler: async (request, reply) => send(reply, await handler(request, reply)),
      })
    },

    page(method, path, handler) {
      // Before the body is looked at: who is nobody learns nothing of what the form should hold.
      const asking = new WeakMap<FastifyRequest, SignedIn>()
      app.route({
        method,
        url: path,
        schema: { hide: true },
        onRequest: async request => {
          asking.set(request, await signedIn(request, deps.credentials))
        },
        handler: async (request, reply) => send(reply, await handler(request, reply, asking.get(request) as SignedIn)),
      })
    },

    async fresh({ request, reply, who, form, at }, change) {
      const { code, ...fields } = form
      let error: string | undefined
      try {
        if (code !== undefined) await deps.signIn.confirm(who.session, code)
      } catch (fault) {
        error = sentence(fault)
      }
      if (error === undefined && (await deps.signIn.isFresh(who.session))) return change()
      await deps.signIn.askAgain(who.account, who.session, request.ip)
      reply.code(403)
      const mailboxUrl = mailboxOf(deps, who.account.email)
      return confirmPage(viewer(who), { action: request.url, fields, at, mailboxUrl, ...(error ? { error } : {}) })
    },
  }
  return site
}

function send(reply: FastifyReply, answer: Html | FastifyReply): FastifyReply {
  return answer === reply ? reply : reply.type('text/html; charset=utf-8').send(String(answer))
}

/** Where the sandbox shows an address's mail. */
export function mailboxOf({ playground }: SiteDeps, email?: string): string | null {
  if (!playground) return null
  return email === undefined ? playground.mailboxUrl : `${playground.mailboxUrl}?to=${encodeURIComponent(email)}`
}

/** A fault in the words of a page; what is no fault is thrown on. */
export function sentence(error: unknown): string {
  if (!(error instanceof Fault) || error.kind === 'internal') throw error
  const { detail } = error.extra
  const message = error.code.startsWith('invalid_') ? readable(error.message) : error.message
  const text = detail === undefined ? message : `${message}: ${detail}`
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** `invalid amount_zat` → `invalid amount`: the API's fields as a page calls them. */
function readable(message: string): string {
  return message.replace(/_(zat|secs)$/, '').replaceAll('_', ' ')
}

const TITLES: Partial<Record<Fault['kind'], string>> = {
  not_found: 'There is nothing here',
  too_many: 'Too many requests',
  forbidden: 'Refused',
  internal: 'Something went wrong on our side',
  unavailable: 'Not available right now',
}

/** A page for a browser that asks for what is not there; a program, and whoever asks the API, gets the API's answer. */
export function strayPage(fault: Fault, request: FastifyRequest, reply: FastifyReply): boolean {
  const browsing = request.method === 'GET' && request.headers.accept?.includes('text/html')
  if (!browsing || fault.kind !== 'not_found' || request.url.startsWith('/v1/')) return false
  send(reply.headers(PAGE_HEADERS).code(404), faultPage(TITLES.not_found as string, 'No page has this address.'))
  return true
}

function answerFault(error: unknown, request: FastifyRequest, reply: FastifyReply, { log, playground }: SiteDeps) {
  const fault = toFault(error)
  if (fault.kind === 'internal')
    log.error({ method: request.method, route: request.routeOptions.url, err: fault.cause ?? fault }, 'internal error')
  if (fault.retryAfterSecs !== undefined) reply.header('retry-after', fault.retryAfterSecs)
  const page =
    fault.kind === 'unauthenticated'
      ? signInPage({ sandbox: playground !== null })
      : faultPage(
          TITLES[fault.kind] ?? 'That did not work',
          fault.kind === 'internal' ? 'It is noted. Please try again.' : sentence(fault),
        )
  return send(reply.code(statusOf(fault)), page)
}
