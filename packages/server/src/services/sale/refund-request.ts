import { createHash } from 'node:crypto'
import { AppError } from '../../domain/error.ts'
import type { Zat } from '../../domain/money.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { Price } from '../../domain/sale/price.ts'
import type { Refund } from '../../domain/sale/refund.ts'
import type { RefundRequestKey } from '../../ports/repository/sale/refund.ts'
import type { Store } from '../../ports/store.ts'
import { IDEMPOTENCY_RETENTION_SECS } from '../idempotency.ts'

export interface RefundRequest {
  /** Undefined, without a price: all that is left. */
  readonly amountZat?: Zat | undefined
  /** Converted once, now. */
  readonly price?: Price | undefined
  /** Undefined: the buyer gives it. */
  readonly address?: string | undefined
  /** 1 to 200 printable characters, for the merchant alone. */
  readonly reason?: string | undefined
  /** 1 to 255 printable characters. */
  readonly idempotencyKey: string | undefined
}

/** Identifies the repeats of a request. Null without a key. */
export function requestKey(invoice: Invoice, request: RefundRequest): RefundRequestKey | null {
  const { amountZat = null, price = null, address = null, reason = null, idempotencyKey: key } = request
  if (key === undefined) return null
  const body = JSON.stringify([invoice.publicId, amountZat?.toString() ?? null, price, address, reason])
  return { key, bodyHash: createHash('sha256').update(body).digest() }
}

/**
 * The refund of an earlier request with this key.
 * @throws AppError `idempotency_key_reused` when it had another body
 */
export async function repeatOf(
  query: Store['query'],
  accountId: number,
  request: RefundRequestKey | null,
  now: number,
): Promise<Refund | null> {
  if (request === null) return null
  const since = now - IDEMPOTENCY_RETENTION_SECS + 1
  const earlier = await query(tx => tx.refunds.byKey(accountId, request.key, since))
  if (earlier && !Buffer.from(earlier.bodyHash).equals(Buffer.from(request.bodyHash)))
    throw new AppError('idempotency_key_reused')
  return earlier?.refund ?? null
}
