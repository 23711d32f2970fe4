import { createHash } from 'node:crypto'
import { AppError } from '../domain/error.ts'
import type { Invoice, NewInvoice } from '../domain/sale/invoice.ts'
import { DAY_SECS } from '../domain/time.ts'
import type { BatchTx, Store } from '../ports/store.ts'

/**
 * Identifies the repeats of a request that creates an invoice. All requests of an account share one namespace of keys,
 * so `body` includes the kind of the request.
 */
export interface IdempotencyRequest {
  readonly accountId: number
  /** 1 to 255 printable characters. */
  readonly key: string
  /** The canonical body. A repeat must have the same one. Only its hash is stored. */
  readonly body: string
  /** The same body as an earlier request may have written it. */
  readonly earlierBodies?: readonly string[]
}

/** How long a key returns its invoice, in seconds. */
export const IDEMPOTENCY_RETENTION_SECS = DAY_SECS

/**
 * Claims the key of a request for the invoice that the same transaction inserts.
 * @returns the invoice of an earlier request with this key; null if the key is now claimed, or if there is no key
 * @throws AppError `idempotency_key_reused` when the earlier request had another body
 */
export async function claimOrReplay(
  tx: Pick<BatchTx, 'idempotency' | 'invoices'>,
  request: IdempotencyRequest | null,
  { publicId: invoicePublicId, createdAt }: NewInvoice,
): Promise<Invoice | null> {
  if (request === null) return null
  const { accountId, key, body } = request
  const claim = { accountId, key, bodyHash: hashOf(body), invoicePublicId, createdAt, since: oldestValid(createdAt) }
  const earlier = await tx.idempotency.claim(claim)
  return earlier && replay(tx, request, earlier)
}

/**
 * Reads the invoice of an earlier request with this key, without a claim. Only for requests that need something outside
 * the database, which a repeat must not wait for. `claimOrReplay` still decides.
 * @throws AppError `idempotency_key_reused` when the earlier request had another body
 */
export async function findReplay(
  store: Pick<Store, 'query'>,
  request: IdempotencyRequest | null,
  now: number,
): Promise<Invoice | null> {
  if (request === null) return null
  const earlier = await store.query(tx => tx.idempotency.find(request.accountId, request.key, oldestValid(now)))
  return earlier && store.query(tx => replay(tx, request, earlier))
}

type Claim = NonNullable<Awaited<ReturnType<BatchTx['idempotency']['claim']>>>

/** A claim is committed together with its invoice. */
async function replay(
  tx: Pick<BatchTx, 'invoices'>,
  { body, earlierBodies = [] }: IdempotencyRequest,
  earlier: Claim,
): Promise<Invoice> {
  if (![body, ...earlierBodies].some(same => hashOf(same).equals(earlier.bodyHash)))
    throw new AppError('idempotency_key_reused')
  const invoice = await tx.invoices.byPublicId(earlier.invoicePublicId)
  if (!invoice) throw new Error('the invoice of an idempotency key does not exist')
  return invoice
}

/** The hash that is stored in place of a canonical body. */
export function hashOf(body: string): Buffer {
  return createHash('sha256').update(body).digest()
}

/** The earliest creation time of a claim that is still valid at `now`, in Unix seconds. */
export function oldestValid(now: number): number {
  return now - IDEMPOTENCY_RETENTION_SECS + 1
}
