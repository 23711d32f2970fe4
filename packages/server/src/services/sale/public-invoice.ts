import { AppError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { isPublic } from '../../domain/sale/public-access.ts'
import { DAY_SECS } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Invoices } from './invoice.ts'

/** Invoices for those who know nothing but the id. */
export interface PublicInvoices {
  /** @throws AppError `no_such_invoice`, `invoice_gone` */
  read(publicId: string): Promise<Invoice>
  isPublic(invoice: Invoice): boolean
}

export function createPublicInvoices(deps: {
  readonly invoices: Pick<Invoices, 'read'>
  readonly clock: Clock
  readonly publicInvoiceDays: number
}): PublicInvoices {
  const { invoices, clock, publicInvoiceDays } = deps

  const isPublicNow = (invoice: Invoice) => isPublic(invoice, nowSecs(clock), publicInvoiceDays * DAY_SECS)

  return {
    isPublic: isPublicNow,

    async read(publicId) {
      const invoice = await invoices.read(publicId)
      if (!isPublicNow(invoice)) throw new AppError('invoice_gone')
      return invoice
    },
  }
}
