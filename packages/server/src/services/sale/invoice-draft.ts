import type { Account } from '../../domain/account/account.ts'
import { billingNotConfiguredError } from '../../domain/account/plan.ts'
import { expiredKeyError, isSameKey } from '../../domain/account/viewing-key.ts'
import { AppError } from '../../domain/error.ts'
import type { Zat } from '../../domain/money.ts'
import type { GivenFields, Invoice, InvoicePurpose, NewInvoice } from '../../domain/sale/invoice.ts'
import type { BatchTx, Tx } from '../../ports/store.ts'
import { readExpiryContext } from '../account/viewing-key-expiry.ts'

/** The watch of a viewing key ends on a whole hour, so that a busy key's row changes once an hour instead of with every invoice. */
const WATCH_STEP_SECS = 3_600

/** An invoice to insert, with the account and the viewing key that it belongs to. */
export interface Draft {
  readonly account: Account
  readonly invoice: NewInvoice
  /** The fingerprint of the viewing key that the address was derived from. */
  readonly fingerprint: Uint8Array
}

/** Until when the key of the draft is watched, in Unix seconds. Null when the rows hold another account or key. */
export async function watchedUntil(
  tx: Pick<BatchTx, 'viewingKeys'>,
  { account, invoice: { accountId, viewingKeyId }, fingerprint }: Draft,
): Promise<number | null> {
  const used = await tx.viewingKeys.ofAccount({ accountId, viewingKeyId })
  return used && isSameKey(used, { accountPublicId: account.publicId, fingerprint }) ? used.watchUntil : null
}

/** Makes sure that the key of a created invoice is watched for as long as the invoice can be paid. */
export async function extendWatch(tx: Tx, { invoice: { accountId, viewingKeyId, watchUntil } }: Draft): Promise<void> {
  const until = Math.ceil(watchUntil / WATCH_STEP_SECS) * WATCH_STEP_SECS
  await tx.viewingKeys.extendAccountWatch(accountId, viewingKeyId, until)
  // The key was replaced and deleted after it had been read.
  if (!(await tx.viewingKeys.extendWatch(viewingKeyId, until))) throw new AppError('viewing_key_not_set')
}

/** False for the invoice of an earlier request. */
export function isCreated(invoice: Invoice, draft: Draft): boolean {
  return invoice.publicId === draft.invoice.publicId
}

/**
 * Refuses an invoice whose address would outlive the viewing key.
 * @throws AppError `viewing_key_expired`, `viewing_key_expires_too_soon`; `billing_not_configured` for an internal invoice
 */
export async function refuseExpiredKey(
  tx: Pick<BatchTx, 'chain'>,
  { account: { viewingKeyExpiry: expiry }, invoice: { createdAt, expiresAt, purpose } }: Draft,
): Promise<void> {
  if (!expiry) return
  const error = expiredKeyError(expiry, await readExpiryContext(tx, expiry, createdAt), expiresAt)
  if (!error) return
  throw purpose === 'sale' ? error : billingNotConfiguredError("the operator's viewing key expires")
}

/** The terms of an invoice whose amount is known. */
export interface NewTerms extends GivenFields {
  readonly amountZat: Zat
  readonly expiresInSecs: number | undefined
  readonly purpose: InvoicePurpose
}

/** The tolerance of a sale whose request gives none is that of its account. */
export function toleranceOf({ purpose, openAmount, toleranceBps }: NewTerms, account: Account): GivenFields {
  const isDefault = purpose === 'sale' && !openAmount && (toleranceBps ?? null) === null
  return isDefault && account.toleranceBps > 0 ? { toleranceBps: account.toleranceBps } : {}
}

/**
 * Refuses the new invoice of an order that has one. Under the lock of the account, so that of requests at the same time
 * one is refused.
 * @throws AppError `order_exists`
 */
export async function refuseSecondInvoice(tx: Tx, created: Invoice): Promise<void> {
  const holder = await tx.invoices.otherOfOrder(created)
  if (holder) throw new AppError('order_exists', { extra: { invoice_id: holder.publicId } })
}

/** The database has another account or key than the request had read. */
export function replacedError(cause: string): AppError {
  return new AppError('database_unavailable', { cause })
}
