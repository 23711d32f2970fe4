import type { Account } from '../../domain/account/account.ts'
import { credentialHash } from '../../domain/account/credential.ts'
import type { Plan } from '../../domain/account/plan.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import { formatZec } from '../../domain/money.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { linkMetadata } from '../../domain/sale/link-field.ts'
import {
  countsNow,
  exceedsOpen,
  KEYPAD_EXPIRY_SECS,
  LINK_EXPIRY_SECS,
  type LinkClosure,
  type LinkSource,
  linkPrice,
  MIN_LINK_ZAT,
  OPEN_LIMITS,
  type PaymentLink,
  paidChange,
  whyClosed,
} from '../../domain/sale/payment-link.ts'
import { isUuid } from '../../domain/uuid.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { countPaid, refuseBeyondLimit } from '../account/plan-limit.ts'
import { findByPublicId } from '../public-id.ts'
import type { Invoices } from './invoice.ts'
import type { InvoiceHooks } from './invoice-state.ts'

/** How long a busy page asks its buyer to wait. */
const RETRY_SECS = 300
const CONTEXT = 'link-client'

/** A link as its buyers see it. */
export interface OpenLink {
  readonly link: PaymentLink
  /** Null: it sells. */
  readonly closed: LinkClosure | null
}

/** The form that a buyer sends from the page of a link. */
export interface LinkOrder {
  /** The amount that the buyer chose; unused for a link with a fixed amount. */
  readonly amount: string
  /** In the order of the fields of the link. */
  readonly answers: readonly string[]
  /** UUID of the form. Sent again with the same content it returns the same invoice. */
  readonly formId: string
  /** The address of the client, see `clientPrefix`. */
  readonly client: string
  readonly locale: string | null
}

/** The sales of payment links. */
export interface LinkSales {
  /** @throws AppError `no_such_payment_link` */
  read(publicId: string): Promise<OpenLink>
  /**
   * Creates an invoice. It counts in the plan of the account when its amount has arrived.
   * @throws AppError `no_such_payment_link`, `payment_link_closed`, `payment_link_busy`, `invalid_<field>`, and those of
   * `Invoices.create`
   */
  order(publicId: string, order: LinkOrder): Promise<Invoice>
  /** @throws AppError `no_such_keypad` */
  readKeypad(secret: string): Promise<OpenLink>
  /**
   * Creates an invoice at the counter, which counts in the plan at once.
   * @throws AppError `no_such_keypad`, and those of `order`
   */
  ring(secret: string, sale: Pick<LinkOrder, 'amount' | 'formId'>): Promise<Invoice>
  /** The invoice of a sale at this keypad. @throws AppError `no_such_keypad`, `no_such_invoice` */
  readSale(secret: string, invoiceId: string): Promise<Invoice>
}

interface LinkOfAccount {
  readonly link: PaymentLink
  readonly account: Account
}

export function createLinkSales(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly keyedHash: KeyedHash
  readonly plans: readonly Plan[]
  readonly invoices: Pick<Invoices, 'createOfLink' | 'read'>
}): LinkSales {
  const { store, clock, keyedHash, plans, invoices } = deps

  /** Reads a link and what its row ids lead to in one snapshot. */
  const byId = <T>(publicId: string, readMore: (tx: Tx, link: PaymentLink) => Promise<T>): Promise<T> =>
    store.read(async tx => {
      const find = (id: string) => tx.paymentLinks.byPublicId(id)
      return readMore(tx, await findByPublicId('no_such_payment_link', publicId, find))
    })

  /** The same for that of a keypad. */
  const byKeypad = <T>(secret: string, readMore: (tx: Tx, link: PaymentLink) => Promise<T>): Promise<T> =>
    store.read(async tx => {
      const link = await tx.paymentLinks.byKeypad(credentialHash(secret))
      if (!link) throw new AppError('no_such_keypad')
      return readMore(tx, link)
    })

  async function opened(tx: Tx, link: PaymentLink): Promise<OpenLink> {
    return { link, closed: whyClosed(link, await tx.paymentLinks.heldUnits(link), nowSecs(clock)) }
  }

  async function withAccount(tx: Tx, link: PaymentLink): Promise<LinkOfAccount> {
    const account = await tx.accounts.byId(link.accountId)
    if (!account) throw new AppError('no_such_payment_link')
    return { link, account }
  }

  async function sell(
    { link, account }: LinkOfAccount,
    source: LinkSource,
    order: Omit<LinkOrder, 'client'>,
    client: Uint8Array | null,
  ) {
    if (!isUuid(order.formId)) throw invalidField('form', 'open the page again')
    const { title, publicId, successUrl } = link
    const metadata = linkMetadata(link.fields, order.answers)
    const price = linkPrice(link, order.amount)
    const isCounted = source === 'keypad'
    const request = {
      price,
      description: title,
      linkId: publicId,
      expiresInSecs: isCounted ? KEYPAD_EXPIRY_SECS : LINK_EXPIRY_SECS,
      ...(successUrl !== null && { successUrl }),
      ...(metadata !== null && { metadata }),
      ...(order.locale !== null && { locale: order.locale }),
    }
    const content = credentialHash(JSON.stringify([price, metadata]))
    const idempotencyKey = `link ${publicId} ${order.formId} ${Buffer.from(content).toString('base64url')}`

    /** Under the lock of the account, so that of buyers at the same time only as many get one as may. */
    async function check(tx: Tx, invoice: Invoice): Promise<void> {
      const { id: invoiceId, accountId, createdAt, amountZat } = invoice
      const current = await tx.paymentLinks.byPublicId(publicId)
      if (!current || (isCounted && !isSameHash(current.keypadHash, link.keypadHash)))
        throw new AppError('no_such_payment_link')
      if (!isCounted && amountZat < MIN_LINK_ZAT)
        throw invalidField('amount', `at least ${formatZec(MIN_LINK_ZAT)} ZEC`)
      // Without the unit of this invoice.
      const held = (await tx.paymentLinks.heldUnits(current)) - 1
      const closed = whyClosed(current, held, createdAt)
      if (closed !== null) throw new AppError('payment_link_closed', { detail: closed })
      const since = createdAt - OPEN_LIMITS.client.windowSecs
      const countedAt = isCounted ? createdAt : null
      await tx.paymentLinks.addInvoice({ invoiceId, accountId, source, client, countedAt, since })
      if (exceedsOpen(source, await tx.paymentLinks.countOpen(current, source, client, since)))
        throw new AppError('payment_link_busy', { retryAfterSecs: RETRY_SECS })
      if (!isCounted) await refuseBeyondLimit(tx, plans, account, createdAt)
    }

    return invoices.createOfLink(account, { ...request, idempotencyKey }, { isCounted, check })
  }

  return {
    read: publicId => byId(publicId, opened),

    async order(publicId, { client, ...order }) {
      return sell(await byId(publicId, withAccount), 'page', order, keyedHash.hash(CONTEXT, client))
    },

    readKeypad: secret => byKeypad(secret, opened),

    async ring(secret, { amount, formId }) {
      const { link, account } = await byKeypad(secret, withAccount)
      // The fields of the page are for buyers.
      return sell(
        { link: { ...link, fields: [], minAmount: null }, account },
        'keypad',
        { amount, formId, answers: [], locale: null },
        null,
      )
    },

    async readSale(secret, invoiceId) {
      const { link } = await byKeypad(secret, withAccount)
      const invoice = await invoices.read(invoiceId)
      if (invoice.linkId !== link.publicId) throw new AppError('no_such_invoice')
      return invoice
    },
  }
}

function isSameHash(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && Buffer.compare(a, b) === 0
}

/** Counts invoices of links in the plans of their accounts, and in the figures of their links. */
export function applyLinkChanges(plans: readonly Plan[]): NonNullable<InvoiceHooks['applyLinkChanges']> {
  return async (tx, changes, now) => {
    const counted: number[] = []
    for (const { before, after } of changes)
      if (countsNow(before, after) && (await tx.paymentLinks.markCounted(after.id, now))) counted.push(after.accountId)
    await countPaid(tx, plans, counted, now)
    await tx.paymentLinks.addPaid(changes.flatMap(({ before, after }) => paidChange(before, after) ?? []))
  }
}
