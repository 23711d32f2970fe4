import type { Account } from '../../domain/account/account.ts'
import { billingNotConfiguredError } from '../../domain/account/plan.ts'
import { expiredKeyError, isSameKey } from '../../domain/account/viewing-key.ts'
import { AppError } from '../../domain/error.ts'
import type { Invoice, NewInvoice } from '../../domain/sale/invoice.ts'
import type { BatchTx, Tx } from '../../ports/store.ts'
import { readExpiryContext } from '../account/viewing-key-expiry.ts'

/** The watch of a viewing key ends on a whole hour, so that a busy key's row changes once an hour instead of with every invoice. */
const WATCH_STEP_SECS = 3_600

/** An invoice to insert, with the account and the viewing key that it belongs to. */
export interface Draft {
  readonly account: Account
  readonly invoice: NewInvoice
  /** Of the viewing key that the address was derived from. */
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
