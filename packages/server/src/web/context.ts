import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'
import type { JsonObject } from '../http/openapi/shared-schemas.ts'
import type { RateClass, RateLimits } from '../http/rate-limit.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { Rates } from '../ports/rate.ts'
import type { Accounts } from '../services/account/account.ts'
import type { AccountDeletions } from '../services/account/account-deletion.ts'
import type { ApiKeys } from '../services/account/api-key.ts'
import type { AuditLog } from '../services/account/audit.ts'
import type { Billing } from '../services/account/billing.ts'
import type { EmailChanges } from '../services/account/email-change.ts'
import type { Sessions } from '../services/account/session.ts'
import type { SignIn } from '../services/account/sign-in.ts'
import type { SignInLinks } from '../services/account/sign-in-link.ts'
import type { StoreProfiles } from '../services/account/store-profile.ts'
import type { ViewingKeys } from '../services/account/viewing-key.ts'
import type { Backups } from '../services/backup.ts'
import type { BlockSpacing } from '../services/chain/block-spacing.ts'
import type { Endpoints } from '../services/notify/endpoint.ts'
import type { EventLog } from '../services/notify/event-log.ts'
import type { ReceiptMails } from '../services/notify/receipt-mail.ts'
import type { Webhooks } from '../services/notify/webhook.ts'
import type { Withdrawals } from '../services/payout/withdrawal.ts'
import type { Readiness } from '../services/readiness.ts'
import type { Dashboard } from '../services/sale/dashboard.ts'
import type { Exports } from '../services/sale/export.ts'
import type { Invoices } from '../services/sale/invoice.ts'
import type { InvoiceCancellations } from '../services/sale/invoice-cancellation.ts'
import type { PaymentLinks } from '../services/sale/payment-link.ts'
import type { LinkSales } from '../services/sale/payment-link-sale.ts'
import type { PublicInvoices } from '../services/sale/public-invoice.ts'
import type { Receipts } from '../services/sale/receipt.ts'
import type { Refunds } from '../services/sale/refund.ts'
import type { RefundLinks } from '../services/sale/refund-link.ts'
import type { Swaps } from '../services/sale/swap.ts'
import type { SetAsides } from '../services/set-aside.ts'
import type { AuthenticatedUser } from './auth.ts'
import type { PageUser } from './components/layout.ts'
import type { FormFields } from './forms.ts'
import type { Html } from './html.ts'

/** Tools of the simulated network for trying the service. */
export interface SandboxTools {
  /** Address of the page that shows sent emails. */
  readonly mailboxUrl: string
  /** The viewing key of the demo wallet. */
  readonly viewingKey: string
  /** Pays a ZIP 321 request from the simulated wallet. */
  pay(uri: string): Promise<void>
}

export interface SiteDeps {
  readonly accounts: Accounts
  readonly accountDeletions: AccountDeletions
  readonly apiKeys: ApiKeys
  readonly auditLog: AuditLog
  readonly billing: Billing
  readonly blockSpacing: BlockSpacing
  readonly cancellations: InvoiceCancellations
  readonly dashboard: Dashboard
  readonly emailChanges: EmailChanges
  readonly endpoints: Endpoints
  readonly eventLog: EventLog
  readonly exports: Exports
  readonly invoices: Invoices
  readonly linkSales: LinkSales
  readonly paymentLinks: PaymentLinks
  readonly publicInvoices: PublicInvoices
  readonly rates: Rates
  readonly receiptMails: ReceiptMails
  readonly receipts: Receipts
  readonly refunds: Refunds
  readonly refundLinks: RefundLinks
  readonly sessions: Sessions
  readonly setAsides: Pick<SetAsides, 'countByKindOf'>
  readonly signIn: SignIn
  readonly signInLinks: SignInLinks
  readonly storeProfiles: StoreProfiles
  readonly swaps: Swaps
  readonly viewingKeys: ViewingKeys
  readonly webhooks: Webhooks
  readonly withdrawals: Withdrawals
  readonly network: 'main' | 'test' | 'regtest'
  /** Null outside the sandbox. */
  readonly sandboxTools: SandboxTools | null
  readonly publicUrl: () => string
  /** The OpenAPI document, once the server listens. */
  readonly apiDocument: () => JsonObject
  readonly rateLimits: RateLimits
  readonly backups: Backups
  readonly readiness: Pick<Readiness, 'isChainSeen'>
  readonly keyedHash: KeyedHash
  readonly random: Random
  readonly clock: Clock
  readonly log: Log
}

/** Handles a page request. Returns the page, or `reply` if the handler has already responded. */
type SignedInHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  user: AuthenticatedUser,
) => Promise<Html | FastifyReply>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The sites that the account of the invoice or payment link `:id` allows may show this page in a frame. Only for pages that read no cookie. */
    embedded?: boolean
    /** The form of the page has a file. */
    takesFile?: boolean
  }
}

/** The path of a page, and the class of its rate limits if it is not `page`. */
interface PageRoute {
  readonly path: string
  readonly rate?: RateClass
  /** Its form has a file: see `fileField`. */
  readonly takesFile?: boolean
}

/** A page of the invoice or payment link `:id` that other sites may show in a frame, if `embedded`. */
export interface PublicPageRoute extends PageRoute {
  readonly embedded?: boolean
}

/** Passed to the page routes. */
export interface Site {
  readonly app: App
  readonly deps: SiteDeps
  /** Adds a page for signed-in accounts. Others get 401 and the sign-in form. */
  page(method: 'GET' | 'POST', path: string | PageRoute, handler: SignedInHandler): void
  /** Adds a public page. */
  publicPage(
    method: 'GET' | 'POST',
    path: string | PublicPageRoute,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<Html | FastifyReply>,
  ): void
  /** The user that a page is rendered for. */
  pageUser(user: AuthenticatedUser): PageUser
  /** Runs a sensitive change if the user entered a code recently. Otherwise shows a page that asks for a code first. */
  requireRecentAuth(step: SensitiveAction, change: () => Promise<Html | FastifyReply>): Promise<Html | FastifyReply>
}

/** Address of the sandbox page with the emails sent to an address, or to all; null outside the sandbox. */
export function sandboxMailboxUrl({ sandboxTools }: SiteDeps, email?: string): string | null {
  if (!sandboxTools) return null
  return email === undefined ? sandboxTools.mailboxUrl : `${sandboxTools.mailboxUrl}?to=${encodeURIComponent(email)}`
}

interface SensitiveAction {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly user: AuthenticatedUser
  readonly form: FormFields
  /** Path of the menu item of the page with the form. */
  readonly menuPath: string
}
