import type { Account } from '../../domain/account/account.ts'
import type { Actor, AuditKind } from '../../domain/account/audit.ts'
import { SERVICE } from '../../domain/account/audit.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import { formatZec, type Zat } from '../../domain/money.ts'
import { refundUpdatedEvent } from '../../domain/notify/event.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { confirmedThrough } from '../../domain/sale/payment.ts'
import {
  canceled,
  MAX_REFUNDS,
  type Refund,
  type RefundStatus,
  refundAmount,
  refundableZat,
  seen,
  sent,
} from '../../domain/sale/refund.ts'
import { requirePrintableLine } from '../../domain/text.ts'
import { startOfDay } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Rates } from '../../ports/rate.ts'
import type { Page } from '../../ports/repository/page.ts'
import type { RefundRequestKey } from '../../ports/repository/sale/refund.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { recordChange } from '../account/audit.ts'
import type { Outbox } from '../notify/outbox.ts'
import { findByPublicId, sameRow } from '../public-id.ts'
import { priced } from './invoice-request.ts'
import { readTips } from './invoice-state.ts'
import { type AddressRule, requireRefundAddress } from './refund-address.ts'
import { type RefundRequest, repeatOf, requestKey } from './refund-request.ts'

/** A refund with its invoice. */
export interface RefundWithInvoice {
  readonly refund: Refund
  readonly invoice: Invoice
}

/** What an invoice leaves to refund. */
export interface InvoiceRefunds {
  readonly leftZat: Zat
  /** Newest first, at most `MAX_SHOWN`. */
  readonly refunds: readonly Refund[]
}

export interface Refunds {
  /**
   * Creates an order to refund a part of what an invoice received, or all that is left. A repeated idempotency key returns
   * the first one.
   * @throws AppError `no_such_invoice`, `invalid_<field>`, `rate_unavailable`, `refund_exceeds_received`,
   * `idempotency_key_reused`, `account_being_deleted`, `too_many_changes`
   */
  create(account: Account, invoiceId: string, request: RefundRequest, actor?: Actor): Promise<RefundWithInvoice>
  /** The refunds of an invoice. @throws AppError `no_such_invoice` */
  ofInvoice(
    account: Account,
    invoiceId: string,
    addresses?: Addresses,
  ): Promise<InvoiceRefunds & { readonly invoice: Invoice }>
  /** Newest first. */
  list(account: Account, page: Page, status?: RefundStatus, addresses?: Addresses): Promise<RefundWithInvoice[]>
  /** The address is seen. @throws AppError `no_such_refund` */
  read(account: Account, id: string): Promise<RefundWithInvoice>
  /**
   * Refunds that are ready, for one payment request.
   * @throws AppError `no_such_refund`; `refund_closed` when one is not ready
   */
  ready(account: Account, ids: readonly string[]): Promise<RefundWithInvoice[]>
  /** Repeating it returns the refund. @throws AppError `no_such_refund`, `refund_closed` */
  cancel(account: Account, id: string, actor?: Actor): Promise<RefundWithInvoice>
  /**
   * Notes that the merchant's wallet has paid it. Repeating it returns the refund.
   * @throws AppError `no_such_refund`, `invalid_txid`, `refund_closed`
   */
  markSent(account: Account, id: string, txid: string, actor?: Actor): Promise<RefundWithInvoice>
}

/** Whether addresses are shown, and so seen, or hidden until they are. Default: shown. */
type Addresses = 'shown' | 'hidden'

/** The most refunds of one invoice that its page shows, canceled ones included. */
const MAX_SHOWN = 200
const TXID = /^[0-9a-f]{64}$/i

export function createRefunds(
  deps: AddressRule & {
    readonly store: Store
    readonly outbox: Outbox
    readonly clock: Clock
    readonly random: Random
    readonly rates: Rates
  },
): Refunds {
  const { store, outbox, clock, random, rates } = deps

  /** @throws AppError `no_such_invoice`, also for one of another account */
  async function findInvoice(account: Account, id: string): Promise<Invoice> {
    const invoice = await findByPublicId('no_such_invoice', id, publicId => store.lookup.invoice(publicId))
    if (invoice.accountId !== account.id || invoice.purpose !== 'sale') throw new AppError('no_such_invoice')
    return invoice
  }

  const event = (tx: Tx, refund: Refund, invoice: Invoice) =>
    outbox.append(tx, [refundUpdatedEvent(refund, invoice, refund.updatedAt)])

  /** The merchant is shown these refunds: from now on no address of them changes. The only way to show one. */
  async function show(refunds: readonly Refund[]): Promise<Refund[]> {
    const now = nowSecs(clock)
    const unseen = refunds.filter(refund => seen(refund, now) !== refund)
    if (unseen.length === 0) return [...refunds]
    const shown = await store.write(async tx => {
      const locked = await tx.refunds.lock(unseen.map(({ id }) => id))
      const after = locked.map(refund => seen(refund, now))
      for (const refund of after) await tx.refunds.update(refund)
      return new Map(after.map(refund => [refund.publicId, refund]))
    })
    return refunds.map(refund => shown.get(refund.publicId) ?? refund)
  }

  /** The same for a page without addresses, on which the buyer can still change them. */
  function hide(refunds: readonly Refund[]): Refund[] {
    const now = nowSecs(clock)
    return refunds.map(refund => (seen(refund, now) === refund ? refund : { ...refund, address: null }))
  }

  async function showWithInvoices(
    refunds: readonly Refund[],
    addresses: Addresses = 'shown',
  ): Promise<RefundWithInvoice[]> {
    const shown = addresses === 'shown' ? await show(refunds) : hide(refunds)
    const invoices = await store.read(tx => tx.invoices.byIds(shown.map(({ invoiceId }) => invoiceId)))
    const byId = new Map(invoices.map(invoice => [invoice.id, invoice]))
    return shown.map(refund => ({ refund, invoice: byId.get(refund.invoiceId)! }))
  }

  const find = (account: Account, id: string) =>
    findByPublicId('no_such_refund', id, publicId => store.query(tx => tx.refunds.byPublicId(account.id, publicId)))

  /** Takes a step of the merchant under the lock of the invoice, and writes it with its event and audit entry. */
  async function step(
    account: Account,
    id: string,
    { kind, actor, take }: { kind: AuditKind; actor: Actor; take(refund: Refund, now: number): Refund },
  ): Promise<RefundWithInvoice> {
    const found = await find(account, id)
    return store.write(async tx => {
      const now = nowSecs(clock)
      const [invoice] = await tx.invoices.lock([found.invoiceId])
      const [locked] = await tx.refunds.lock([found.id])
      const before = sameRow(locked, found)
      if (!before || !invoice) throw new AppError('no_such_refund')
      const refund = take(before, now)
      if (refund === before) return { refund, invoice }
      await tx.refunds.update(refund)
      const after = refund.status === 'sent' ? await countSent(tx, refund, invoice) : invoice
      await event(tx, refund, after)
      await recordChange(tx, account, actor, { kind, at: now, detail: describe(refund) })
      return { refund, invoice: after }
    })
  }

  /** The sum of the invoice and that of the day. */
  async function countSent(tx: Tx, { amountZat, updatedAt }: Refund, invoice: Invoice): Promise<Invoice> {
    const { sentZat } = await tx.refunds.sums(invoice.id)
    await tx.invoices.setRefunded(invoice.id, sentZat)
    const { accountId } = invoice
    const day = startOfDay(updatedAt)
    await tx.dashboard.addToDailyTotals([{ accountId, day, receivedZat: 0n, refundedZat: amountZat, invoices: 0 }])
    return { ...invoice, refundedZat: sentZat }
  }

  return {
    async create(account, invoiceId, request, actor = SERVICE) {
      const found = await findInvoice(account, invoiceId)
      const { amountZat, price, reason } = request
      if (price && amountZat !== undefined) throw invalidField('price', 'give either price or amount_zat')
      if (reason !== undefined) requirePrintableLine('reason', reason, 200)
      const address = request.address === undefined ? null : requireRefundAddress(request.address, found, deps)
      const key = requestKey(found, request)
      const earlier = await findRepeat(store.query, account, key)
      if (earlier) return store.read(tx => withInvoiceOf(tx, earlier))
      const { amountZat: asked, rate } = price ? await priced(rates, { price }) : { amountZat, rate: undefined }
      return store.write(async tx => {
        const now = nowSecs(clock)
        const [locked] = await tx.invoices.lock([found.id])
        const invoice = sameRow(locked, found)
        if (!invoice) throw new AppError('no_such_invoice')
        await tx.accounts.lock(account.id)
        const repeat = await findRepeat(work => work(tx), account, key)
        if (repeat) return withInvoiceOf(tx, repeat)
        const { heldZat, count } = await tx.refunds.sums(invoice.id)
        if (count >= MAX_REFUNDS) throw new AppError('refund_exceeds_received', { detail: `it has ${count} refunds` })
        const leftZat = refundableZat(await confirmedZat(tx, invoice), heldZat)
        const refund = await tx.refunds.insert(
          {
            publicId: random.uuid(),
            linkId: random.uuid(),
            accountId: account.id,
            invoiceId: invoice.id,
            status: address === null ? 'awaiting_address' : 'ready',
            amountZat: refundAmount(asked, leftZat),
            ...(price && { price }),
            ...(rate && { rate }),
            ...(reason !== undefined && { reason }),
            address,
            addressFromBuyer: false,
            createdAt: now,
            updatedAt: now,
          },
          key,
        )
        await event(tx, refund, invoice)
        await recordChange(tx, account, actor, { kind: 'refund_created', at: now, detail: describe(refund) })
        return { refund, invoice }
      })

      function findRepeat(query: Store['query'], { id }: Account, wanted: RefundRequestKey | null) {
        return repeatOf(query, id, wanted, nowSecs(clock))
      }
    },

    async ofInvoice(account, invoiceId, addresses = 'shown') {
      const invoice = await findInvoice(account, invoiceId)
      const { refunds, leftZat } = await store.read(async tx => {
        const { heldZat } = await tx.refunds.sums(invoice.id)
        const refunds = await tx.refunds.ofInvoice(invoice.id, MAX_SHOWN)
        return { refunds, leftZat: refundableZat(await confirmedZat(tx, invoice), heldZat) }
      })
      return { invoice, leftZat, refunds: addresses === 'shown' ? await show(refunds) : hide(refunds) }
    },

    async list(account, page, status, addresses) {
      return showWithInvoices(await store.read(tx => tx.refunds.list(account.id, page, status)), addresses)
    },

    async read(account, id) {
      return (await showWithInvoices([await find(account, id)]))[0]!
    },

    async ready(account, ids) {
      const found: Refund[] = []
      for (const id of new Set(ids.map(text => text.toLowerCase()))) found.push(await find(account, id))
      const shown = await showWithInvoices(found)
      if (shown.some(({ refund }) => refund.status !== 'ready'))
        throw new AppError('refund_closed', { detail: 'only refunds that are ready can be paid' })
      return shown
    },

    cancel: (account, id, actor = SERVICE) => step(account, id, { kind: 'refund_canceled', actor, take: canceled }),

    async markSent(account, id, txid, actor = SERVICE) {
      if (!TXID.test(txid)) throw invalidField('txid', '64 hexadecimal digits')
      const take = (refund: Refund, now: number) => sent(refund, txid.toLowerCase(), now)
      return step(account, id, { kind: 'refund_sent', actor, take })
    },
  }
}

/** The refund with its invoice. */
export async function withInvoiceOf(tx: Pick<Tx, 'invoices'>, refund: Refund): Promise<RefundWithInvoice> {
  const [invoice] = await tx.invoices.byIds([refund.invoiceId])
  if (!invoice) throw new Error('the invoice of a refund does not exist')
  return { refund, invoice }
}

/** What the invoice has received for good, by what is confirmed now. */
async function confirmedZat(tx: Tx, { id, confirmations }: Invoice): Promise<Zat> {
  const { confirmedTip } = await readTips(tx)
  const sums = await tx.payments.summaries([{ id, confirmedThrough: confirmedThrough(confirmations, confirmedTip) }])
  return sums.get(id)?.confirmedZat ?? 0n
}

function describe({ publicId, amountZat }: Refund): string {
  return `${publicId.slice(0, 8)}, ${formatZec(amountZat)} ZEC`
}
