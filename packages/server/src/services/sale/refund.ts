import type { Account } from '../../domain/account/account.ts'
import type { Actor, AuditKind } from '../../domain/account/audit.ts'
import { SERVICE } from '../../domain/account/audit.ts'
import { MAX_TOTALLED } from '../../domain/count.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import { formatZec, type Zat } from '../../domain/money.ts'
import { refundUpdatedEvent } from '../../domain/notify/event.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { confirmedThrough } from '../../domain/sale/payment.ts'
import {
  canceled,
  isUnseen,
  MAX_LISTED_REFUNDS,
  MAX_REFUNDS,
  REFUND_FIELDS,
  type Refund,
  type RefundStatus,
  type RefundWithInvoice,
  refundAmount,
  refundableExcess,
  refundableZat,
  seen,
  sent,
  withoutUnseenAddress,
} from '../../domain/sale/refund.ts'
import { requirePrintableLine } from '../../domain/text.ts'
import { startOfDay } from '../../domain/time.ts'
import { isUuid } from '../../domain/uuid.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Rates } from '../../ports/rate.ts'
import type { Page, Totals } from '../../ports/repository/page.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { recordChange } from '../account/audit.ts'
import type { Outbox } from '../notify/outbox.ts'
import { findByPublicId } from '../public-id.ts'
import { invoiceOf, refundsWithInvoices } from '../with-invoice.ts'
import { findSale, lockFound } from './found-invoice.ts'
import { priced } from './invoice-request.ts'
import { readTips } from './invoice-state.ts'
import { type AddressRule, requireRefundAddress } from './refund-address.ts'
import { type RefundRequest, repeatOf, requestKey } from './refund-request.ts'

/** An invoice with its refundable amount. */
export interface Refundable {
  readonly invoice: Invoice
  readonly leftZat: Zat
  /** The part of an overpayment that no refund covers yet. */
  readonly excessZat: Zat
}

export interface InvoiceRefunds extends Refundable {
  /** Newest first, at most `MAX_LISTED_REFUNDS`. */
  readonly refunds: readonly RefundWithInvoice[]
}

export interface Refunds {
  /**
   * Creates an order to refund a part of what an invoice received, or all that is left. A repeated idempotency key returns
   * the first one, whose address is then seen.
   * @throws AppError `no_such_invoice`, `invalid_<field>`, `rate_unavailable`, `refund_exceeds_received`,
   * `idempotency_key_reused`, `account_being_deleted`, `too_many_changes`
   */
  create(account: Account, invoiceId: string, request: RefundRequest, actor?: Actor): Promise<RefundWithInvoice>
  /** @throws AppError `no_such_invoice` */
  refundable(account: Account, invoiceId: string): Promise<Refundable>
  /** The addresses are seen. @throws AppError `no_such_invoice` */
  ofInvoice(account: Account, invoiceId: string): Promise<InvoiceRefunds>
  /** Newest first. */
  list(account: Account, page: Page, status?: RefundStatus, addresses?: Addresses): Promise<RefundWithInvoice[]>
  /** The amounts of the newest refunds, of at most `MAX_TOTALLED` and one. @param status default: of all */
  totals(account: Account, status?: RefundStatus): Promise<Totals>
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

  const findInvoice = (tx: Tx, account: Account, id: string): Promise<Invoice> =>
    findSale(account, id, publicId => tx.invoices.byPublicId(publicId))

  const find = (tx: Tx, account: Account, id: string): Promise<Refund> =>
    findByPublicId('no_such_refund', id, publicId => tx.refunds.byPublicId(account.id, publicId))

  /** Refunds with their invoices, in one snapshot. */
  const readAll = (list: (tx: Tx) => Promise<Refund[]>): Promise<RefundWithInvoice[]> =>
    store.read(async tx => refundsWithInvoices(tx, await list(tx)))

  async function event(tx: Tx, refund: Refund, invoice: Invoice): Promise<void> {
    await outbox.append(tx, [refundUpdatedEvent(refund, invoice, refund.updatedAt)])
    await outbox.invoicesChanged(tx, [invoice.id], refund.updatedAt)
  }

  /**
   * The merchant is shown these refunds: from now on no address of them changes. The only way to show an address that the
   * buyer gave.
   */
  async function show(found: readonly RefundWithInvoice[]): Promise<RefundWithInvoice[]> {
    const unseen = new Map(found.flatMap(({ refund }) => (isUnseen(refund) ? [[refund.publicId, refund.id]] : [])))
    if (unseen.size === 0) return [...found]
    const shown = await store.write(async tx => {
      const now = nowSecs(clock)
      const locked = await tx.refunds.lock([...unseen.values()])
      const same = locked.filter(refund => unseen.has(refund.publicId))
      await tx.refunds.markSeen(
        same.map(({ id }) => id),
        now,
      )
      return new Map(same.map(refund => [refund.publicId, seen(refund, now)]))
    })
    return found.map(({ refund, invoice }) => {
      return { refund: shown.get(refund.publicId) ?? withoutUnseenAddress(refund), invoice }
    })
  }

  const showOne = async (found: RefundWithInvoice): Promise<RefundWithInvoice> => (await show([found]))[0]!

  async function refundable(tx: Tx, account: Account, id: string): Promise<Refundable> {
    const invoice = await findInvoice(tx, account, id)
    const { heldZat } = await tx.refunds.sums(invoice.id)
    const leftZat = refundableZat(await confirmedZat(tx, invoice), heldZat)
    return { invoice, leftZat, excessZat: refundableExcess(invoice, heldZat, leftZat) }
  }

  /** Takes a step of the merchant under the lock of the invoice, and writes it with its event and audit entry. */
  async function step(
    account: Account,
    id: string,
    { kind, actor, take }: { kind: AuditKind; actor: Actor; take(refund: Refund, now: number): Refund },
  ): Promise<RefundWithInvoice> {
    return store.write(async tx => {
      const now = nowSecs(clock)
      const found = await find(tx, account, id)
      const [invoice] = await tx.invoices.lock([found.invoiceId])
      const [before] = await tx.refunds.lock([found.id])
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
      const found = await store.read(tx => findInvoice(tx, account, invoiceId))
      const { amountZat, converted, reason } = request
      const price = request.price ?? converted?.price
      if (price && amountZat !== undefined) throw invalidField('price', 'give either price or amount_zat')
      if (reason !== undefined) requirePrintableLine('reason', reason, REFUND_FIELDS.reason.request.maxLength)
      const address = request.address === undefined ? null : requireRefundAddress(request.address, found, deps)
      const key = requestKey(found, request)
      const earlier = await store.read(tx => repeatOf(tx, account.id, key, nowSecs(clock)))
      if (earlier) return showOne(earlier)
      const { amountZat: asked, rate } =
        converted ?? (price ? await priced(rates, { price }) : { amountZat, rate: undefined })
      const created = await store.write(async tx => {
        const now = nowSecs(clock)
        const invoice = await lockFound(tx, found)
        await tx.accounts.lock(invoice.accountId)
        const repeat = await repeatOf(tx, invoice.accountId, key, now)
        if (repeat) return repeat
        const { heldZat, count } = await tx.refunds.sums(invoice.id)
        if (count >= MAX_REFUNDS) throw new AppError('refund_exceeds_received', { detail: `it has ${count} refunds` })
        const leftZat = refundableZat(await confirmedZat(tx, invoice), heldZat)
        const refund = await tx.refunds.insert(
          {
            publicId: random.uuid(),
            linkId: random.uuid(),
            accountId: invoice.accountId,
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
      return showOne(created)
    },

    refundable: (account, invoiceId) => store.read(tx => refundable(tx, account, invoiceId)),

    async ofInvoice(account, invoiceId) {
      const { refunds, ...left } = await store.read(async tx => {
        const left = await refundable(tx, account, invoiceId)
        return { ...left, refunds: await tx.refunds.ofInvoice(left.invoice.id, MAX_LISTED_REFUNDS) }
      })
      return { ...left, refunds: await show(refunds.map(refund => ({ refund, invoice: left.invoice }))) }
    },

    totals: (account, status) => store.query(tx => tx.refunds.totals(account.id, status, MAX_TOTALLED + 1)),

    async list(account, page, status, addresses = 'shown') {
      const found = await readAll(tx => tx.refunds.list(account.id, page, status))
      if (addresses === 'shown') return show(found)
      return found.map(({ refund, invoice }) => ({ refund: withoutUnseenAddress(refund), invoice }))
    },

    async read(account, id) {
      const found = await store.read(async tx => {
        const refund = await find(tx, account, id)
        return { refund, invoice: await invoiceOf(tx, refund) }
      })
      return showOne(found)
    },

    async ready(account, ids) {
      const wanted = [...new Set(ids.map(id => id.toLowerCase()))]
      const found = await readAll(tx => tx.refunds.byPublicIds(account.id, wanted.filter(isUuid)))
      if (found.length < wanted.length) throw new AppError('no_such_refund')
      const order = ({ refund }: RefundWithInvoice) => wanted.indexOf(refund.publicId)
      // One may be sent or canceled while they are shown, and must not be paid then.
      return allReady(await show(allReady(found))).sort((a, b) => order(a) - order(b))
    },

    cancel: (account, id, actor = SERVICE) => step(account, id, { kind: 'refund_canceled', actor, take: canceled }),

    async markSent(account, id, txid, actor = SERVICE) {
      if (!TXID.test(txid)) throw invalidField('txid', '64 hexadecimal digits')
      const take = (refund: Refund, now: number) => sent(refund, txid.toLowerCase(), now)
      return step(account, id, { kind: 'refund_sent', actor, take })
    },
  }
}

/** @throws AppError `refund_closed` when one is not ready */
function allReady(refunds: RefundWithInvoice[]): RefundWithInvoice[] {
  if (refunds.every(({ refund }) => refund.status === 'ready')) return refunds
  throw new AppError('refund_closed', { detail: 'only refunds that are ready can be paid' })
}

/** The sum of the payments that are confirmed now. */
async function confirmedZat(tx: Tx, { id, confirmations }: Invoice): Promise<Zat> {
  const { confirmedTip } = await readTips(tx)
  const sums = await tx.payments.summaries([{ id, confirmedThrough: confirmedThrough(confirmations, confirmedTip) }])
  return sums.get(id)?.confirmedZat ?? 0n
}

function describe({ publicId, amountZat }: Refund): string {
  return `${publicId.slice(0, 8)}, ${formatZec(amountZat)} ZEC`
}
