import { AppError } from '../../domain/error.ts'
import type { Zat } from '../../domain/money.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { LockedRate, Price } from '../../domain/sale/price.ts'
import type { RefundWithInvoice } from '../../domain/sale/refund.ts'
import type { RefundRequestKey } from '../../ports/repository/sale/refund.ts'
import type { Tx } from '../../ports/store.ts'
import { hashOf, oldestValid } from '../idempotency.ts'
import { invoiceOf } from '../with-invoice.ts'

/** A price, and what it is at a rate. Null: the price is in ZEC. */
export interface ConvertedPrice {
  readonly price: Price
  readonly rate: LockedRate | null
  readonly amountZat: Zat
}

export interface RefundRequest {
  /** Undefined, without a price: all that is left. */
  readonly amountZat?: Zat | undefined
  /** Converted once, now. */
  readonly price?: Price | undefined
  /** In place of a price: one that the caller has converted at the rate of the invoice. */
  readonly converted?: ConvertedPrice | undefined
  /** Undefined: the buyer gives it. */
  readonly address?: string | undefined
  /** 1 to 200 printable characters, for the merchant alone. */
  readonly reason?: string | undefined
  /** 1 to 255 printable characters. */
  readonly idempotencyKey: string | undefined
}

/** Identifies the repeats of a request. Null without a key. */
export function requestKey(invoice: Invoice, request: RefundRequest): RefundRequestKey | null {
  const { amountZat = null, price = null, converted, address = null, reason = null, idempotencyKey: key } = request
  if (key === undefined) return null
  const body = JSON.stringify([
    invoice.publicId,
    amountZat?.toString() ?? null,
    price ?? converted?.price ?? null,
    address,
    reason,
  ])
  return { key, bodyHash: hashOf(body) }
}

/**
 * The refund of an earlier request with this key, with its invoice.
 * @throws AppError `idempotency_key_reused` when it had another body
 */
export async function repeatOf(
  tx: Tx,
  accountId: number,
  request: RefundRequestKey | null,
  now: number,
): Promise<RefundWithInvoice | null> {
  if (request === null) return null
  const earlier = await tx.refunds.byKey(accountId, request.key, oldestValid(now))
  if (earlier === null) return null
  if (!Buffer.from(earlier.bodyHash).equals(Buffer.from(request.bodyHash))) throw new AppError('idempotency_key_reused')
  return { refund: earlier.refund, invoice: await invoiceOf(tx, earlier.refund) }
}
