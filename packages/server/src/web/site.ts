import fastifyCookie from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { deletionDueAt } from '../domain/account/account-deletion.ts'
import type { AppError } from '../domain/error.ts'
import type { Access } from '../http/access.ts'
import type { App } from '../http/app.ts'
import { clientPrefix } from '../http/client-prefix.ts'
import { httpStatusOf, toAppError } from '../http/error.ts'
import { logError } from '../http/error-handler.ts'
import { pageAfterSignIn } from './after-sign-in.ts'
import { assetRoutes } from './assets.ts'
import { type AuthenticatedUser, authenticate } from './auth.ts'
import { buyerView } from './buyer.ts'
import type { BuyerView } from './components/buyer/buyer-page.ts'
import { NO_SHOP } from './components/buyer/shop.ts'
import type { PageUser } from './components/layout.ts'
import { changedParts, liveTag } from './components/live.ts'
import { embeddingOf } from './components/sale/checkout-links.ts'
import { compressPages } from './compression.ts'
import { type PublicPageRoute, type Site, type SiteDeps, sandboxMailboxUrl } from './context.ts'
import { rejectCrossSiteRequest } from './csrf.ts'
import { ERROR_TITLES, errorSentence } from './error-text.ts'
import { acceptForms, idParam, queryFields } from './forms.ts'
import { greenfieldPages } from './greenfield.ts'
import { embedHeaders, PAGE_HEADERS } from './headers.ts'
import type { Html } from './html.ts'
import { reauthPage } from './pages/account/reauth.ts'
import { signInPage } from './pages/account/sign-in.ts'
import { buyerErrorPage, errorPage } from './pages/error.ts'
import { robotsRoute } from './robots.ts'
import { accountPages } from './routes/account/account.ts'
import { apiKeyPages } from './routes/account/api-key.ts'
import { activityPages } from './routes/account/audit.ts'
import { authorizePages } from './routes/account/authorize.ts'
import { billingPages } from './routes/account/billing.ts'
import { sessionPages } from './routes/account/session.ts'
import { signInPages } from './routes/account/sign-in.ts'
import { signInLinkPages } from './routes/account/sign-in-link.ts'
import { storePages } from './routes/account/store.ts'
import { viewingKeyPages } from './routes/account/viewing-key.ts'
import { endpointPages } from './routes/notify/endpoint.ts'
import { eventPages } from './routes/notify/event.ts'
import { webhookPages } from './routes/notify/webhook.ts'
import { overviewPages } from './routes/overview.ts'
import { withdrawalPages } from './routes/payout/withdrawal.ts'
import { referencePages } from './routes/reference.ts'
import { checkoutPages } from './routes/sale/checkout.ts'
import { exportPages } from './routes/sale/export.ts'
import { invoicePages } from './routes/sale/invoice.ts'
import { keypadPages } from './routes/sale/keypad.ts'
import { newInvoicePages } from './routes/sale/new-invoice.ts'
import { paymentLinkPages } from './routes/sale/payment-link.ts'
import { paymentLinkListPages } from './routes/sale/payment-link-list.ts'
import { receiptPages } from './routes/sale/receipt.ts'
import { refundPages } from './routes/sale/refund.ts'
import { refundLinkPages } from './routes/sale/refund-link.ts'
import { swapPages } from './routes/sale/swap.ts'
import { shopScriptRoutes } from './shop-script.ts'
import { storeAssetRoutes } from './store-assets.ts'
import { plain } from './text/dashboard.ts'
import { textFor } from './text/text.ts'

/** Adds the dashboard and the checkout pages. Call after adding the API routes. */
export function addSite(root: App, deps: SiteDeps): void {
  root.register(async app => {
    acceptForms(app)
    await app.register(fastifyCookie)
    app.addHook('onRequest', async (request, reply) => {
      setPageHeaders(request, reply)
      rejectCrossSiteRequest(request, deps.publicUrl())
      if (isEmbedded(request)) await limitFrames(request, reply, deps)
    })
    compressPages(app, isForBuyer)
    app.setErrorHandler((error, request, reply) => sendErrorPage(error, request, reply, deps))
    const site = createSite(app, deps)
    assetRoutes(app)
    storeAssetRoutes(app, deps.storeProfiles)
    robotsRoute(app)
    shopScriptRoutes(app)
    greenfieldPages(app)
    signInPages(site)
    signInLinkPages(site)
    overviewPages(site)
    invoicePages(site)
    newInvoicePages(site)
    apiKeyPages(site)
    authorizePages(site)
    viewingKeyPages(site)
    storePages(site)
    webhookPages(site)
    endpointPages(site)
    eventPages(site)
    billingPages(site)
    withdrawalPages(site)
    sessionPages(site)
    activityPages(site)
    refundPages(site)
    refundLinkPages(site)
    exportPages(site)
    accountPages(site)
    checkoutPages(site)
    receiptPages(site)
    swapPages(site)
    paymentLinkPages(site)
    paymentLinkListPages(site)
    keypadPages(site)
    referencePages(site)
  })
}

function createSite(app: App, deps: SiteDeps): Site {
  const pageUser = ({ account }: AuthenticatedUser): PageUser => ({
    email: account.email,
    sandbox: deps.sandboxTools !== null,
    deletionDueAt: deletionDueAt(account),
  })

  const site: Site = {
    app,
    deps,
    pageUser,

    publicPage(method, path, handler) {
      app.route({
        method,
        ...pageRoute(path, 'public'),
        handler: async (request, reply) => sendPage(request, reply, await handler(request, reply)),
      })
    },

    page(method, path, handler) {
      // Authenticates before the body is parsed, so unauthenticated clients learn nothing about the form.
      const users = new WeakMap<FastifyRequest, AuthenticatedUser>()
      app.route({
        method,
        ...pageRoute(path, 'cookie'),
        onRequest: async request => {
          const user = await authenticate(request, deps.sessions)
          deps.rateLimits.countForCredential(request, user.account, user.session)
          users.set(request, user)
        },
        handler: async (request, reply) =>
          sendPage(request, reply, await handler(request, reply, users.get(request) as AuthenticatedUser)),
      })
    },

    async requireRecentAuth({ request, reply, user, form, menuPath }, change) {
      const { code, ...fields } = form
      let problem: string | undefined
      try {
        if (code !== undefined) await deps.signIn.reauthenticate(user.session, code, user.actor)
      } catch (error) {
        problem = errorSentence(error)
      }
      if (problem === undefined && (await deps.signIn.isRecentlyAuthenticated(user.session))) return change()
      await deps.signIn.requestReauth(user.account, user.session, clientPrefix(request.ip))
      reply.code(403)
      const mailboxUrl = sandboxMailboxUrl(deps, user.account.email)
      return reauthPage(pageUser(user), {
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

function pageRoute(page: string | PublicPageRoute, access: Access) {
  const { path, rate = 'page', embedded = false, takesFile = false } = typeof page === 'string' ? { path: page } : page
  return { url: path, config: { rate, access, embedded, takesFile } }
}

/** The sites that may frame the response to a request: those of the invoice's account. */
const framesOfRequests = new WeakMap<FastifyRequest, readonly string[] | null>()

/**
 * Lets only the sites frame the page that the account of the invoice or payment link allows, whatever the response is.
 * @throws AppError `no_such_invoice`, `no_such_payment_link`
 */
async function limitFrames(
  request: FastifyRequest,
  reply: FastifyReply,
  { invoices, linkSales, storeProfiles }: SiteDeps,
): Promise<void> {
  const id = idParam(request)
  const { accountId } = request.url.startsWith('/l/') ? (await linkSales.read(id)).link : await invoices.read(id)
  const { frameOrigins } = await storeProfiles.ofAccountId(accountId)
  framesOfRequests.set(request, frameOrigins)
  setPageHeaders(request, reply)
}

/**
 * Until the account is known, any site may frame the page: it then shows an error and nothing else, with nothing to click.
 * So does a page beyond the rate limit, for which no account is looked up.
 */
function setPageHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const frames = framesOfRequests.get(request) ?? null
  if (isEmbedded(request)) reply.removeHeader('x-frame-options').headers(embedHeaders(frames))
  else reply.headers(PAGE_HEADERS)
}

function isEmbedded(request: FastifyRequest): boolean {
  return request.routeOptions.config.embedded === true
}

/** Sends a page. The script of an open page names its tag, and gets 304 or the live parts that have changed since. */
function sendPage(request: FastifyRequest, reply: FastifyReply, result: Html | FastifyReply): FastifyReply {
  if (result === reply) return reply
  const page = String(result)
  const tag = liveTag(page)
  if (tag === null) return send(reply, page)
  reply.header('etag', tag)
  const { 'if-none-match': shown = '', 'live-parts': wanted } = request.headers
  if (shown === tag) return reply.code(304).send()
  return send(reply, wanted === 'changed' ? changedParts(page, shown) : page)
}

function send(reply: FastifyReply, page: Html | string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(String(page))
}

/** Sends a 404 page to browsers. Returns false for other clients and for paths of the API. */
export function notFoundPage(
  error: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Pick<SiteDeps, 'network'>,
): boolean {
  const isBrowser = request.method === 'GET' && request.headers.accept?.includes('text/html')
  if (!isBrowser || error.kind !== 'not_found' || request.url.startsWith('/v1/')) return false
  const [title, text] = [ERROR_TITLES.not_found as string, plain('error_no_page')]
  const page = isForBuyer(request) ? buyerErrorPage(viewOf(request, deps), error.kind, text) : errorPage(title, text)
  send(reply.headers(PAGE_HEADERS).code(404), page)
  return true
}

async function sendErrorPage(thrown: unknown, request: FastifyRequest, reply: FastifyReply, deps: SiteDeps) {
  const error = toAppError(thrown, request)
  logError(deps.log, error, request)
  // A request beyond its rate limit is rejected before the pages set their headers.
  setPageHeaders(request, reply)
  if (error.retryAfterSecs !== undefined) reply.header('retry-after', error.retryAfterSecs)
  return send(reply.code(httpStatusOf(error)), await pageOf(error, request, deps))
}

async function pageOf(error: AppError, request: FastifyRequest, deps: SiteDeps): Promise<Html> {
  if (error.kind === 'unauthenticated') {
    const next = pageAfterSignIn(request.url)
    return signInPage({ sandbox: deps.sandboxTools !== null, next })
  }
  const title = ERROR_TITLES[error.kind] ?? plain('error_failed')
  const text = error.kind === 'internal' ? plain('error_internal_text') : errorSentence(error)
  if (!isForBuyer(request)) return errorPage(title, text)
  const view = (await viewOfInvoice(error, request, deps)) ?? viewOf(request, deps)
  return buyerErrorPage(view, error.kind, text)
}

/** The shop of an invoice that can be read, so that the buyer can ask it. Null: none. */
async function viewOfInvoice(error: AppError, request: FastifyRequest, deps: SiteDeps): Promise<BuyerView | null> {
  if (error.kind !== 'gone' && error.kind !== 'invalid') return null
  try {
    const { accountId, locale } = await deps.invoices.read(idParam(request))
    const query = queryFields(request)
    const embedding = isEmbedded(request) ? embeddingOf(query) : null
    return await buyerView(deps, request, { accountId, embedding, chosen: query.lang, given: locale })
  } catch {
    return null
  }
}

/** The buyer's view of a page that failed: language and embedding from the request, and no shop. */
function viewOf(request: FastifyRequest, { network }: Pick<SiteDeps, 'network'>): BuyerView {
  const chosen = queryFields(request).lang
  return {
    text: textFor({ chosen, accepted: request.headers['accept-language'] }),
    shop: NO_SHOP,
    embedding: isEmbedded(request) ? embeddingOf(queryFields(request)) : null,
    isTest: network !== 'main',
  }
}

/** Whether the page is for a buyer: that of an invoice or a payment link, or a wrong link to one. */
function isForBuyer({ url }: FastifyRequest): boolean {
  return /^\/[irl](?:[/?]|$)/.test(url)
}
