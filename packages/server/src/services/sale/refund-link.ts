import { AppError } from '../../domain/error.ts'
import { refundUpdatedEvent } from '../../domain/notify/event.ts'
import { isRefundPublic } from '../../domain/sale/public-access.ts'
import { type Refund, type RefundWithInvoice, withAddress } from '../../domain/sale/refund.ts'
import { DAY_SECS } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Outbox } from '../notify/outbox.ts'
import { findByPublicId } from '../public-id.ts'
import { invoiceOf } from '../with-invoice.ts'
import { type AddressRule, requireRefundAddress } from './refund-address.ts'

/** Refunds for their buyers. The secret in the link is the credential. */
export interface RefundLinks {
  /** @throws AppError `no_such_refund`, `refund_gone` */
  read(linkId: string): Promise<RefundWithInvoice>
  /** @throws AppError `no_such_refund`, `refund_gone`, `invalid_address`, `refund_address_fixed` */
  giveAddress(linkId: string, address: string): Promise<RefundWithInvoice>
}

export function createRefundLinks(
  deps: AddressRule & {
    readonly store: Store
    readonly outbox: Outbox
    readonly clock: Clock
    readonly publicInvoiceDays: number
  },
): RefundLinks {
  const { store, outbox, clock, publicInvoiceDays } = deps

  function find(tx: Tx, linkId: string): Promise<Refund> {
    return findByPublicId('no_such_refund', linkId, id => tx.refunds.byLink(id))
  }

  function read(linkId: string): Promise<RefundWithInvoice> {
    return store.read(async tx => {
      const refund = await find(tx, linkId)
      const invoice = await invoiceOf(tx, refund)
      if (!isRefundPublic(refund, invoice, nowSecs(clock), publicInvoiceDays * DAY_SECS))
        throw new AppError('refund_gone')
      return { refund, invoice }
    })
  }

  return {
    read,

    async giveAddress(linkId, text) {
      const { invoice } = await read(linkId)
      const address = requireRefundAddress(text, invoice, deps)
      return store.write(async tx => {
        const { id } = await find(tx, linkId)
        const [before] = await tx.refunds.lock([id])
        if (!before) throw new AppError('no_such_refund')
        const refund = withAddress(before, address, nowSecs(clock))
        if (refund === before) return { refund, invoice }
        await tx.refunds.update(refund)
        // A later address is no event, so that the holder of the link cannot fill the queue of deliveries.
        if (before.status !== refund.status) {
          await outbox.append(tx, [refundUpdatedEvent(refund, invoice, refund.updatedAt)])
          await outbox.invoicesChanged(tx, [invoice.id], refund.updatedAt)
        }
        return { refund, invoice }
      })
    },
  }
}
