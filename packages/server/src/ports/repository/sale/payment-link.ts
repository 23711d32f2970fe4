import type { Zat } from '../../../domain/money.ts'
import type { LinkSource, LinkTerms, OpenInvoices, PaymentLink } from '../../../domain/sale/payment-link.ts'
import type { Page } from '../page.ts'

/** A payment link to insert. */
export type NewPaymentLink = LinkTerms & Pick<PaymentLink, 'publicId' | 'accountId' | 'createdAt' | 'updatedAt'>

/** Payment links, and how their invoices came about. */
export interface PaymentLinkRepository {
  insert(link: NewPaymentLink): Promise<PaymentLink>
  /** A link of any account: the id is the access token of the page. */
  byPublicId(publicId: string): Promise<PaymentLink | null>
  byKeypad(hash: Uint8Array): Promise<PaymentLink | null>
  /** Newest first. */
  list(accountId: number, page: Page): Promise<PaymentLink[]>
  count(accountId: number): Promise<number>
  /** Writes the terms, `pausedAt`, `keypadHash` and `updatedAt`. */
  update(link: PaymentLink): Promise<void>

  /** The units that are sold and those that open invoices hold, in one snapshot. */
  heldUnits(link: Pick<PaymentLink, 'id' | 'accountId' | 'publicId'>): Promise<number>
  /**
   * The open invoices without a payment: of a source, of the link and of all of the account.
   * @param since of those of the client, in Unix seconds
   */
  countOpen(
    link: Pick<PaymentLink, 'accountId' | 'publicId'>,
    source: LinkSource,
    client: Uint8Array | null,
    since: number,
  ): Promise<OpenInvoices>
  /** Records how an invoice came about, and forgets the clients of those from before `since`. */
  addInvoice(invoice: {
    readonly invoiceId: number
    readonly accountId: number
    readonly source: LinkSource
    readonly client: Uint8Array | null
    /** Unix seconds. Null: not counted in the plan yet. */
    readonly countedAt: number | null
    readonly since: number
  }): Promise<void>
  /** Marks an invoice as counted in the plan. False when it was before. @param at Unix seconds */
  markCounted(invoiceId: number, at: number): Promise<boolean>
  /** Adds to the figures of links, in the order of their ids. */
  addPaid(changes: readonly { readonly linkId: string; readonly count: number; readonly zat: Zat }[]): Promise<void>
}
