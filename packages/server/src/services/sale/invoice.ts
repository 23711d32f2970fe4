import type { Account } from '../../domain/account/account.ts'
import { requireNoDeletion } from '../../domain/account/account-deletion.ts'
import type { Plan } from '../../domain/account/plan.ts'
import { AppError } from '../../domain/error.ts'
import type { Zat } from '../../domain/money.ts'
import {
  EXPIRY_SECS,
  givenFields,
  type Invoice,
  type InvoicePurpose,
  type NewInvoice,
} from '../../domain/sale/invoice.ts'
import { confirmationsSoFar } from '../../domain/sale/payment.ts'
import { DAY_SECS } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import type { Random } from '../../ports/random.ts'
import type { Rates } from '../../ports/rate.ts'
import type { Page } from '../../ports/repository/page.ts'
import type { InvoiceFilter } from '../../ports/repository/sale/invoice.ts'
import type { BatchTx, Store, Tx } from '../../ports/store.ts'
import { countInvoice } from '../account/plan-limit.ts'
import type { WatchedKeys } from '../chain/watched-key.ts'
import { claimOrReplay, type IdempotencyRequest } from '../idempotency.ts'
import { createdEvent } from '../notify/outbox.ts'
import { findByPublicId, sameRow } from '../public-id.ts'
import type { Addresses, AddressOfKey } from './address.ts'
import {
  type Draft,
  extendWatch,
  isCreated,
  type NewTerms,
  refuseExpiredKey,
  refuseSecondInvoice,
  replacedError,
  toleranceOf,
  watchedUntil,
} from './invoice-draft.ts'
import { type InvoiceRequest, saleTerms } from './invoice-request.ts'
import { readTips } from './invoice-state.ts'

/** After the first one the account is read again and the cached addresses are forgotten, so the second one decides. */
const MAX_ATTEMPTS = 3

/** A request for an invoice that the service creates for itself: a plan purchase or a withdrawal deposit. */
export interface InternalInvoiceRequest {
  readonly amountZat: Zat
  readonly purpose: Exclude<InvoicePurpose, 'sale'>
  readonly expiresInSecs: number
  /** Null: repeated requests create separate invoices. */
  readonly idempotency: IdempotencyRequest | null
}

/** An invoice of a request, with the result of `record`. */
export interface Recorded<T> {
  readonly invoice: Invoice
  /** Null: a repeated idempotency key returned an earlier invoice, so `record` was not called. */
  readonly recorded: T | null
}

interface LinkInvoiceTerms {
  /** Whether it counts in monthly usage now. Otherwise it does when its amount has arrived. */
  readonly isCounted: boolean
  readonly check: RecordCreated<void>
}

export interface Invoices {
  /**
   * Creates an invoice and counts it in the account's monthly usage. A price in money is converted at a fresh rate, once.
   * A repeated idempotency key returns the first invoice.
   * @throws AppError `invalid_<field>`, `rate_unavailable`, `viewing_key_not_set`, `idempotency_key_reused`, `viewing_key_expired`,
   * `viewing_key_expires_too_soon`, `monthly_invoice_limit_reached`, `too_many_watched_keys`, `watched_key_capacity_reached`,
   * `account_being_deleted`, `order_exists`
   */
  create(account: Account, request: InvoiceRequest): Promise<Invoice>
  /**
   * Creates an invoice of a payment link, under the lock of the account. `check` runs in the same transaction.
   * @throws AppError as `create`
   */
  createOfLink(account: Account, request: InvoiceRequest, link: LinkInvoiceTerms): Promise<Invoice>
  /**
   * Creates an internal invoice under the operator's viewing key. It is not counted in monthly usage. `record` writes
   * the related row in the same transaction. It is not called when a repeated idempotency key returns an earlier invoice.
   * @throws AppError `idempotency_key_reused`; `billing_not_configured` once the operator's key has expired
   */
  createInternal<T>(operator: Account, request: InternalInvoiceRequest, record: RecordCreated<T>): Promise<Recorded<T>>
  /** @throws AppError `no_such_invoice`, also for an id that is not a UUID */
  read(publicId: string): Promise<Invoice>
  /** The confirmations that its payments have so far, see `confirmationsSoFar`. */
  confirmationsOf(invoice: Invoice): Promise<number>
  /** An account's sales, newest first. */
  list(account: Account, page: Page, filter?: InvoiceFilter): Promise<Invoice[]>
}

export function createInvoices(deps: {
  readonly store: Store
  readonly addresses: Pick<Addresses, 'reserve' | 'release' | 'forget'>
  readonly clock: Clock
  readonly random: Random
  readonly plans: readonly Plan[]
  readonly lateWatchDays: number
  readonly watchedKeys: Pick<WatchedKeys, 'checkInvoice'>
  readonly rates: Rates
  readonly metrics?: Pick<Metrics, 'invoiceCreated'>
}): Invoices {
  const { store, addresses, clock, random, plans, lateWatchDays, watchedKeys, metrics = NO_METRICS } = deps
  /** The keys whose watch an invoice is extending now. */
  const watchExtensions = new Map<number, Promise<unknown>>()

  /**
   * Creates an invoice at a new address. The account is read again when its row, or that of its viewing key, is another
   * one than the request had read: the database is a promoted standby or a restored dump.
   */
  async function createAtNewAddress<T>(given: Account, terms: NewTerms, write: Write<T>): Promise<Recorded<T>> {
    let account = given
    for (let attempt = 1; ; attempt++) {
      requireNoDeletion(account)
      const written = await createOnce(account, terms, write)
      if (written) return written
      if (attempt === MAX_ATTEMPTS) throw replacedError(`no address of the account's viewing key`)
      account = await readAgain(account)
    }
  }

  /** @throws AppError `database_unavailable` when the database does not have the account any more */
  async function readAgain(given: Account): Promise<Account> {
    const found = sameRow(await store.query(tx => tx.accounts.byId(given.id)), given)
    if (!found) throw replacedError('the database does not have the account any more')
    return found
  }

  /**
   * Reserves an address and lets `write` insert the invoice with it. Releases the address when `write` refuses the
   * request, or returns the invoice of an earlier request instead. Null, and nothing is written, when the account or its
   * key is not the one that the request had read.
   */
  async function createOnce<T>(account: Account, terms: NewTerms, write: Write<T>): Promise<Recorded<T> | null> {
    const { viewingKeyId } = account
    if (viewingKeyId === null) throw new AppError('viewing_key_not_set')
    const reserved = await reserve(viewingKeyId)
    if (reserved === null) return null
    const createdAt = nowSecs(clock)
    const expiresAt = createdAt + (terms.expiresInSecs ?? EXPIRY_SECS.default)
    const invoice: NewInvoice = {
      publicId: random.uuid(),
      accountId: account.id,
      viewingKeyId,
      diversifierIndex: reserved.index,
      purpose: terms.purpose,
      address: reserved.address,
      ...givenFields(terms),
      amountZat: terms.amountZat,
      ...toleranceOf(terms, account),
      confirmations: terms.ownConfirmations ?? account.confirmations,
      createdAt,
      expiresAt,
      watchUntil: expiresAt + lateWatchDays * DAY_SECS,
    }
    const draft = { account, invoice, fingerprint: reserved.fingerprint }
    try {
      const written = await write(draft)
      if (written === null) addresses.forget(viewingKeyId, reserved)
      else if (isCreated(written.invoice, draft)) metrics.invoiceCreated(terms.purpose)
      else addresses.release(viewingKeyId, reserved)
      return written
    } catch (error) {
      // Only a refused request certainly leaves nothing committed. After any other failure the index counts as used.
      if (error instanceof AppError && error.kind !== 'unavailable') addresses.release(viewingKeyId, reserved)
      throw error
    }
  }

  /** Null: the account or its key is already gone. */
  async function reserve(viewingKeyId: number): Promise<AddressOfKey | null> {
    try {
      return await addresses.reserve(viewingKeyId)
    } catch (error) {
      if (error instanceof AppError && error.code === 'no_such_viewing_key') return null
      throw error
    }
  }

  /**
   * Inserts the invoice of a draft and counts a sale, or returns the invoice of an earlier request. Null, and nothing is
   * written, when the account or its key is not that of the draft; `unwatched` when the key is watched for less than needed.
   * @param minWatchUntil Unix seconds
   */
  async function insert(
    tx: BatchTx,
    draft: Draft,
    idempotency: IdempotencyRequest | null,
    minWatchUntil: number,
    isCounted = true,
  ): Promise<Invoice | 'unwatched' | null> {
    const { account, invoice } = draft
    const watched = await watchedUntil(tx, draft)
    if (watched === null) return null
    if (watched < minWatchUntil) return 'unwatched'
    const earlier = await claimOrReplay(tx, idempotency, invoice)
    if (earlier) return earlier
    await refuseExpiredKey(tx, draft)
    if (invoice.purpose === 'sale' && isCounted) await countInvoice(tx, plans, account, invoice.createdAt)
    const inserted = await tx.invoices.insert(invoice)
    if (inserted.purpose === 'sale') await tx.events.append([createdEvent(inserted, random.uuid())])
    return inserted
  }

  /**
   * Inserts the invoice, calls `record`, and extends the watch of the key. Accounts can share a viewing key, so a transaction
   * that changes its row is not batched by account.
   */
  function insertExtendingWatch<T>(
    draft: Draft,
    idempotency: IdempotencyRequest | null,
    record: RecordCreated<T>,
    { locksAccount = false, isCounted = true } = {},
  ) {
    return store.write(async (tx): Promise<Recorded<T> | null> => {
      if (locksAccount) await tx.accounts.lock(draft.account.id)
      const invoice = await insert(tx, draft, idempotency, 0, isCounted)
      if (invoice === null || invoice === 'unwatched') return null
      if (!isCreated(invoice, draft)) return { invoice, recorded: null }
      const recorded = await record(tx, invoice)
      await extendWatch(tx, draft)
      return { invoice, recorded }
    })
  }

  const checkKeyOf =
    ({ account, invoice }: Draft) =>
    (tx: Tx) =>
      watchedKeys.checkInvoice(tx, account, invoice.viewingKeyId, invoice.createdAt)

  return {
    async create(account, request) {
      const sold = await saleTerms(deps, account, request)
      if ('earlier' in sold) return sold.earlier
      const { terms, idempotency } = sold
      const created = await createAtNewAddress<void>(account, terms, async draft => {
        const { viewingKeyId, watchUntil } = draft.invoice
        const checkKey = checkKeyOf(draft)
        // Not in a batch, where no request sees what the others insert.
        if (request.uniqueOrder) {
          const check = async (tx: Tx, invoice: Invoice) => {
            await refuseSecondInvoice(tx, invoice)
            await checkKey(tx)
          }
          return insertExtendingWatch(draft, idempotency, check, { locksAccount: true })
        }
        for (;;) {
          const invoice = await store.writeBatched(account.id, tx => insert(tx, draft, idempotency, watchUntil))
          if (invoice !== 'unwatched') return invoice && { invoice, recorded: null }
          const extension = watchExtensions.get(viewingKeyId)
          if (!extension) break
          await extension
        }
        const written = insertExtendingWatch(draft, idempotency, checkKey).finally(() =>
          watchExtensions.delete(viewingKeyId),
        )
        // Other requests that need the key to be watched for longer wait for this one, and then find it watched.
        watchExtensions.set(viewingKeyId, Promise.allSettled([written]))
        return written
      })
      return created.invoice
    },

    async createOfLink(account, request, { isCounted, check }) {
      const sold = await saleTerms(deps, account, request)
      if ('earlier' in sold) return sold.earlier
      const created = await createAtNewAddress<void>(account, sold.terms, draft => {
        const record = async (tx: Tx, invoice: Invoice) => {
          await check(tx, invoice)
          await checkKeyOf(draft)(tx)
        }
        return insertExtendingWatch(draft, sold.idempotency, record, { locksAccount: true, isCounted })
      })
      return created.invoice
    },

    createInternal: (operator, request, record) =>
      createAtNewAddress(operator, request, draft => insertExtendingWatch(draft, request.idempotency, record)),

    read: publicId => findByPublicId('no_such_invoice', publicId, id => store.lookup.invoice(id)),

    confirmationsOf: ({ confirmations, confirmsAtHeight }) =>
      store.read(async tx => {
        const { confirmedTip } = await readTips(tx)
        return confirmationsSoFar(confirmations, confirmsAtHeight, confirmedTip)
      }),

    list: (account, page, filter) => store.read(tx => tx.invoices.list(account.id, page, filter)),
  }
}

/** Writes what belongs to a created invoice. */
type RecordCreated<T> = (tx: Tx, invoice: Invoice) => Promise<T>

/** Null, and nothing is written, when the account or its key is not that of the draft. */
type Write<T> = (draft: Draft) => Promise<Recorded<T> | null>
