import type { Account } from '../domain/account.ts'
import { requireNoDeletion } from '../domain/account-deletion.ts'
import { AppError, notFound } from '../domain/error.ts'
import { EXPIRY_SECS } from '../domain/invoice.ts'
import type { Zat } from '../domain/money.ts'
import { billingNotConfiguredError, type Plan } from '../domain/plan.ts'
import { DAY_SECS } from '../domain/time.ts'
import { isUuid } from '../domain/uuid.ts'
import { expiredKeyError } from '../domain/viewing-key.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import { type Metrics, NO_METRICS } from '../ports/metrics.ts'
import type { Random } from '../ports/random.ts'
import type { Invoice, InvoiceFilter, InvoicePurpose, NewInvoice } from '../ports/repository/invoice.ts'
import type { Page } from '../ports/repository/page.ts'
import type { BatchTx, Store, Tx } from '../ports/store.ts'
import type { Addresses } from './address.ts'
import { claimOrReplay, type IdempotencyRequest } from './idempotency.ts'
import { countInvoice } from './plan-limit.ts'
import { readExpiryContext } from './viewing-key-expiry.ts'
import type { WatchedKeys } from './watched-key.ts'

/** The watch of a viewing key ends on a whole hour, so that a busy key's row changes once an hour instead of with every invoice. */
const WATCH_STEP_SECS = 3_600

export interface InvoiceRequest {
  readonly amountZat: Zat
  /** Undefined: the default. */
  readonly expiresInSecs: number | undefined
  /** 1 to 255 printable characters. */
  readonly idempotencyKey: string | undefined
}

/** A request for an invoice that the service creates for itself: a plan purchase or a withdrawal deposit. */
export interface InternalInvoiceRequest {
  readonly purpose: Exclude<InvoicePurpose, 'sale'>
  readonly amountZat: Zat
  readonly expiresInSecs: number
  /** Null: repeated requests create separate invoices. */
  readonly idempotency: IdempotencyRequest | null
}

export interface Invoices {
  /**
   * Creates an invoice and counts it in the account's monthly usage. A repeated idempotency key returns the first
   * invoice.
   * @throws AppError `viewing_key_not_set`, `idempotency_key_reused`, `viewing_key_expired`,
   * `viewing_key_expires_too_soon`, `monthly_invoice_limit_reached`, `too_many_watched_keys`, `watched_key_capacity_reached`,
   * `account_being_deleted`
   */
  create(account: Account, request: InvoiceRequest): Promise<Invoice>
  /**
   * Creates an internal invoice under the operator's viewing key. It is not counted in monthly usage. `record` writes
   * the related row in the same transaction. It is not called when a repeated idempotency key returns an earlier invoice.
   * @throws AppError `idempotency_key_reused`; `billing_not_configured` once the operator's key has expired
   */
  createInternal(
    operator: Account,
    request: InternalInvoiceRequest,
    record: (tx: Tx, invoice: Invoice) => Promise<void>,
  ): Promise<Invoice>
  /** @throws AppError `no_such_invoice`, also for an id that is not a UUID */
  read(publicId: string): Promise<Invoice>
  /** An account's sales, newest first. */
  list(account: Account, page: Page, filter?: InvoiceFilter): Promise<Invoice[]>
}

export function createInvoices(deps: {
  readonly store: Store
  readonly addresses: Pick<Addresses, 'reserve' | 'release'>
  readonly clock: Clock
  readonly random: Random
  readonly plans: readonly Plan[]
  readonly lateWatchDays: number
  readonly watchedKeys: Pick<WatchedKeys, 'checkInvoice'>
  readonly metrics?: Pick<Metrics, 'invoiceCreated'>
}): Invoices {
  const { store, addresses, clock, random, plans, lateWatchDays, watchedKeys, metrics = NO_METRICS } = deps
  /** The keys whose watch an invoice is extending now. */
  const watchExtensions = new Map<number, Promise<void>>()

  /**
   * Reserves an address and lets `write` insert the invoice with it. Releases the address when `write` refuses the
   * request, or returns the invoice of an earlier request instead.
   */
  async function createAtNewAddress(
    account: Account,
    terms: InvoiceTerms,
    write: (draft: NewInvoice) => Promise<Invoice>,
  ): Promise<Invoice> {
    const { viewingKeyId } = account
    if (viewingKeyId === null) throw viewingKeyNotSetError()
    const reserved = await addresses.reserve(viewingKeyId)
    const createdAt = nowSecs(clock)
    const expiresAt = createdAt + (terms.expiresInSecs ?? EXPIRY_SECS.default)
    const draft: NewInvoice = {
      publicId: random.uuid(),
      accountId: account.id,
      viewingKeyId,
      diversifierIndex: reserved.index,
      purpose: terms.purpose,
      address: reserved.address,
      amountZat: terms.amountZat,
      confirmations: account.confirmations,
      createdAt,
      expiresAt,
      watchUntil: expiresAt + lateWatchDays * DAY_SECS,
    }
    try {
      const invoice = await write(draft)
      if (isCreated(invoice, draft)) metrics.invoiceCreated(terms.purpose)
      else addresses.release(viewingKeyId, reserved)
      return invoice
    } catch (error) {
      // Only a refused request certainly leaves nothing committed. After any other failure the index counts as used.
      if (error instanceof AppError && error.kind !== 'unavailable') addresses.release(viewingKeyId, reserved)
      throw error
    }
  }

  async function writeSale(
    tx: BatchTx,
    account: Account,
    draft: NewInvoice,
    idempotency: IdempotencyRequest | null,
  ): Promise<Invoice> {
    const earlier = await claimOrReplay(tx, idempotency, draft)
    if (earlier) return earlier
    await refuseExpiredKey(tx, account, draft)
    await countInvoice(tx, plans, account, draft.createdAt)
    return tx.invoices.insert(draft)
  }

  async function writeInternal(
    tx: Tx,
    operator: Account,
    draft: NewInvoice,
    idempotency: IdempotencyRequest | null,
    record: (tx: Tx, invoice: Invoice) => Promise<void>,
  ): Promise<Invoice> {
    const earlier = await claimOrReplay(tx, idempotency, draft)
    if (earlier) return earlier
    await refuseExpiredKey(tx, operator, draft)
    const invoice = await tx.invoices.insert(draft)
    await record(tx, invoice)
    return invoice
  }

  /** Null, and nothing is written, when the key of the invoice is not watched for as long as the invoice. */
  async function writeWatchedSale(
    tx: BatchTx,
    account: Account,
    draft: NewInvoice,
    idempotency: IdempotencyRequest | null,
  ): Promise<Invoice | null> {
    const watched = await tx.viewingKeys.watchedUntil(draft.viewingKeyId)
    return watched < draft.watchUntil ? null : writeSale(tx, account, draft, idempotency)
  }

  /** Other requests that need the key to be watched for longer wait for this one, and then find it watched. */
  async function extendingWatch(
    account: Account,
    draft: NewInvoice,
    idempotency: IdempotencyRequest | null,
  ): Promise<Invoice> {
    const { viewingKeyId } = draft
    const ended = Promise.withResolvers<void>()
    watchExtensions.set(viewingKeyId, ended.promise)
    try {
      // Accounts can share a viewing key, so a transaction that changes its row is not batched by account.
      return await store.write(tx => writeUnwatchedSale(tx, account, draft, idempotency))
    } finally {
      watchExtensions.delete(viewingKeyId)
      ended.resolve()
    }
  }

  async function writeUnwatchedSale(
    tx: Tx,
    account: Account,
    draft: NewInvoice,
    idempotency: IdempotencyRequest | null,
  ): Promise<Invoice> {
    const invoice = await writeSale(tx, account, draft, idempotency)
    if (isCreated(invoice, draft)) await watchedKeys.checkInvoice(tx, account, draft.viewingKeyId, draft.createdAt)
    return extendWatch(tx, invoice, draft)
  }

  return {
    async create(account, request) {
      requireNoDeletion(account)
      const idempotency = idempotencyOf(account, request)
      return createAtNewAddress(account, { ...request, purpose: 'sale' }, async draft => {
        for (;;) {
          const watched = await store.writeBatched(account.id, tx => writeWatchedSale(tx, account, draft, idempotency))
          if (watched) return watched
          const extension = watchExtensions.get(draft.viewingKeyId)
          if (!extension) return extendingWatch(account, draft, idempotency)
          await extension
        }
      })
    },

    createInternal: (operator, request, record) =>
      createAtNewAddress(operator, request, draft =>
        store.write(async tx =>
          extendWatch(tx, await writeInternal(tx, operator, draft, request.idempotency, record), draft),
        ),
      ),

    async read(publicId) {
      const invoice = isUuid(publicId) ? await store.lookup.invoice(publicId.toLowerCase()) : null
      if (!invoice) throw notFound('invoice')
      return invoice
    },

    list: (account, page, filter) => store.read(tx => tx.invoices.list(account.id, page, filter)),
  }
}

type InvoiceTerms = Pick<InvoiceRequest, 'amountZat' | 'expiresInSecs'> & { readonly purpose: InvoicePurpose }

function idempotencyOf(account: Account, request: InvoiceRequest): IdempotencyRequest | null {
  if (request.idempotencyKey === undefined) return null
  const body = JSON.stringify([request.amountZat.toString(), request.expiresInSecs ?? null])
  return { accountId: account.id, key: request.idempotencyKey, body }
}

function viewingKeyNotSetError(): AppError {
  return new AppError('invalid', 'viewing_key_not_set', 'viewing key not set')
}

/** Makes sure that the key of a created invoice is watched for as long as the invoice can be paid. */
async function extendWatch(tx: Tx, invoice: Invoice, draft: NewInvoice): Promise<Invoice> {
  const until = Math.ceil(draft.watchUntil / WATCH_STEP_SECS) * WATCH_STEP_SECS
  if (!isCreated(invoice, draft)) return invoice
  await tx.viewingKeys.extendAccountWatch(draft.accountId, draft.viewingKeyId, until)
  // The key was replaced and deleted after the request had read it.
  if (!(await tx.viewingKeys.extendWatch(draft.viewingKeyId, until))) throw viewingKeyNotSetError()
  return invoice
}

/** False for the invoice of an earlier request. */
function isCreated(invoice: Invoice, draft: NewInvoice): boolean {
  return invoice.publicId === draft.publicId
}

/**
 * Refuses an invoice whose address would outlive the viewing key.
 * @throws AppError `viewing_key_expired`, `viewing_key_expires_too_soon`; `billing_not_configured` for an internal invoice
 */
async function refuseExpiredKey(
  tx: Pick<BatchTx, 'chain'>,
  { viewingKeyExpiry: expiry }: Account,
  { createdAt, expiresAt, purpose }: NewInvoice,
): Promise<void> {
  if (!expiry) return
  const error = expiredKeyError(expiry, await readExpiryContext(tx, expiry, createdAt), expiresAt)
  if (!error) return
  throw purpose === 'sale' ? error : billingNotConfiguredError("the operator's viewing key expires")
}
