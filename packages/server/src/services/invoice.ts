import { createHash } from 'node:crypto'
import type { Account } from '../domain/account.ts'
import { AppError, notFound } from '../domain/error.ts'
import { EXPIRY_SECS } from '../domain/invoice.ts'
import type { Zat } from '../domain/money.ts'
import { billingNotConfiguredError, effectivePlan, invoiceLimitError, type Plan } from '../domain/plan.ts'
import { DAY_SECS, formatMonth } from '../domain/time.ts'
import { isUuid } from '../domain/uuid.ts'
import { expiredKeyError } from '../domain/viewing-key.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { Invoice, InvoiceFilter, InvoicePurpose, NewInvoice } from '../ports/repository/invoice.ts'
import type { Page } from '../ports/repository/page.ts'
import type { Store, Tx, WriteOptions } from '../ports/store.ts'
import type { Addresses, ReservedAddress } from './address.ts'

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

/** Identifies repeats of a request: account, idempotency key and canonical request body. */
export interface IdempotencyRequest {
  readonly accountId: number
  readonly key: string
  readonly body: string
}

export interface Invoices {
  /**
   * Creates an invoice and counts it in the account's monthly usage. A repeated idempotency key returns the first
   * invoice.
   * @throws Fault `idempotency_key_reused`, `viewing_key_not_set`, `viewing_key_expired`,
   * `viewing_key_expires_too_soon`, `monthly_invoice_limit_reached`
   */
  create(account: Account, request: InvoiceRequest): Promise<Invoice>
  /**
   * Creates an internal invoice under the operator's viewing key. It is not counted in monthly usage. `record` writes
   * the related row in the same transaction. It is not called when a repeated idempotency key returns an earlier invoice.
   * @throws Fault `idempotency_key_reused`; `billing_not_configured` once the operator's key has expired
   */
  createInternal(
    operator: Account,
    request: InternalInvoiceRequest,
    record: (tx: Tx, invoice: Invoice) => Promise<void>,
  ): Promise<Invoice>
  /** The invoice that an earlier request with this key created; null if there is no such invoice. @throws Fault `idempotency_key_reused` */
  findInternal(request: IdempotencyRequest): Promise<Invoice | null>
  /** @throws Fault `no_such_invoice`, also for an id that is not a UUID */
  read(publicId: string): Promise<Invoice>
  /** An account's sales, newest first. */
  list(account: Account, page: Page, filter?: InvoiceFilter): Promise<Invoice[]>
  changesSince(look: ChangesQuery): Promise<Changes>
}

/** A request for the invoice changes since an earlier one. */
export interface ChangesQuery {
  /** The cursor of the previous result; null: start at the newest change. */
  readonly cursor: number | null
  /** Selects which changed invoices are returned. */
  readonly includes: (invoiceId: number) => boolean
  /** Invoices returned whether they changed or not. */
  readonly alwaysInclude: readonly number[]
}

export interface Changes {
  readonly cursor: number
  readonly invoices: readonly Invoice[]
  /** More changes may be available now. */
  readonly hasMore: boolean
}

const IDEMPOTENCY_SECS = DAY_SECS
const CHANGES_LIMIT = 500
/** `watchUntil` is rounded up to this many seconds, so that a busy key's row changes once an hour instead of with every invoice. */
const WATCH_STEP_SECS = 3_600

export function createInvoices(deps: {
  readonly store: Store
  readonly addresses: Addresses
  readonly clock: Clock
  readonly random: Random
  readonly plans: readonly Plan[]
  readonly lateWatchDays: number
}): Invoices {
  const { store, addresses, clock, random, plans, lateWatchDays } = deps
  const watchCache = createWatchCache()

  /** The error if the account's viewing key has expired or expires before the invoice does; null otherwise. */
  async function keyExpiryError({ viewingKeyExpiry: expiry }: Account, terms: DraftTerms): Promise<AppError | null> {
    if (!expiry) return null
    const now = nowSecs(clock)
    const tip = expiry.height === null ? null : await store.query(tx => tx.chain.tip())
    const point = { now, tipHeight: tip?.height ?? null }
    const error = expiredKeyError(expiry, point, now + (terms.expiresInSecs ?? EXPIRY_SECS.default))
    return error && terms.purpose !== 'sale' ? billingNotConfiguredError("the operator's viewing key expires") : error
  }

  function buildDraft(
    account: Account,
    viewingKeyId: number,
    terms: DraftTerms,
    reserved: ReservedAddress,
  ): NewInvoice {
    const createdAt = nowSecs(clock)
    const expiresAt = createdAt + (terms.expiresInSecs ?? EXPIRY_SECS.default)
    return {
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
  }

  /**
   * Reserves an address, lets `record` write the invoice, and extends the watch time of its viewing key. A repeated
   * idempotency key returns the first invoice instead.
   */
  async function createPrepared(
    account: Account,
    terms: DraftTerms,
    claim: Claim | null,
    record: (tx: Tx, draft: NewInvoice) => Promise<Invoice>,
    batch: WriteOptions = {},
  ): Promise<Invoice> {
    const { viewingKeyId } = account
    if (viewingKeyId === null) throw new AppError('invalid', 'viewing_key_not_set', 'viewing key not set')
    const refusal = await keyExpiryError(account, terms)
    if (refusal) {
      const earlier = await findEarlier(claim)
      if (earlier) return earlier
      throw refusal
    }
    const reserved = await addresses.reserve(viewingKeyId)
    const draft = buildDraft(account, viewingKeyId, terms, reserved)
    const watchUntil = watchCache.due(draft)
    const write = async (tx: Tx) => {
      const first = claim && (await tx.idempotency.claim({ ...claim, invoicePublicId: draft.publicId }))
      if (first) return replayClaim(tx, claim, first)
      if (watchUntil !== null) await tx.viewingKeys.extendWatch(viewingKeyId, watchUntil)
      return record(tx, draft)
    }
    try {
      // Accounts can share a viewing key, so a transaction that changes its row is not batched by account.
      const created = await store.write(write, watchUntil === null ? batch : {})
      if (created.publicId === draft.publicId) watchCache.written(draft)
      else addresses.release(viewingKeyId, reserved)
      return created
    } catch (error) {
      // Only a refused request certainly leaves nothing committed. After any other failure the index counts as used.
      if (error instanceof AppError && error.kind !== 'unavailable') addresses.release(viewingKeyId, reserved)
      throw error
    }
  }

  async function findEarlier(claim: Claim | null): Promise<Invoice | null> {
    if (!claim) return null
    const earlier = await store.query(tx => tx.idempotency.find(claim.accountId, claim.key, claim.since))
    return earlier && store.query(tx => replayClaim(tx, claim, earlier))
  }

  return {
    async create(account, request) {
      const claim = claimOf(idempotencyOf(account, request), nowSecs(clock))
      const earlier = await findEarlier(claim)
      if (earlier) return earlier
      const record = async (tx: Tx, draft: NewInvoice) => {
        const { plan } = effectivePlan(plans, account, draft.createdAt)
        const usage = await tx.usage.increment(account.id, formatMonth(draft.createdAt), plan.monthlyInvoiceLimit)
        if (!usage.counted) throw invoiceLimitError(plan, usage.used)
        return tx.invoices.insert(draft)
      }
      return createPrepared(account, { ...request, purpose: 'sale' }, claim, record, { batchAccountId: account.id })
    },

    createInternal: (operator, request, record) =>
      createPrepared(operator, request, claimOf(request.idempotency, nowSecs(clock)), async (tx, draft) => {
        const invoice = await tx.invoices.insert(draft)
        await record(tx, invoice)
        return invoice
      }),

    findInternal: request => findEarlier(claimOf(request, nowSecs(clock))),

    async read(publicId) {
      const invoice = isUuid(publicId) ? await store.lookup.invoice(publicId.toLowerCase()) : null
      if (!invoice) throw notFound('invoice')
      return invoice
    },

    list: (account, page, filter) => store.query(tx => tx.invoices.list(account.id, page, filter)),

    changesSince: ({ cursor, includes, alwaysInclude }) =>
      store.read(async tx => {
        const since = cursor ?? (await tx.events.lastSeq())
        const touched = await tx.events.invoicesChangedSince(since, CHANGES_LIMIT)
        const ids = new Set([...alwaysInclude, ...touched.invoiceIds.filter(includes)])
        const invoices = ids.size > 0 ? await tx.invoices.byIds([...ids]) : []
        return { cursor: touched.seq, invoices, hasMore: touched.seq > since }
      }),
  }
}

type NewClaim = Parameters<Tx['idempotency']['claim']>[0]
type Claim = Omit<NewClaim, 'invoicePublicId'>
type EarlierClaim = Pick<NewClaim, 'bodyHash' | 'invoicePublicId'>

type DraftTerms = Pick<InvoiceRequest, 'amountZat' | 'expiresInSecs'> & { readonly purpose: InvoicePurpose }

function idempotencyOf(account: Account, request: InvoiceRequest): IdempotencyRequest | null {
  if (request.idempotencyKey === undefined) return null
  const body = JSON.stringify([request.amountZat.toString(), request.expiresInSecs ?? null])
  return { accountId: account.id, key: request.idempotencyKey, body }
}

function claimOf(request: IdempotencyRequest | null, now: number): Claim | null {
  if (request === null) return null
  return {
    accountId: request.accountId,
    key: request.key,
    bodyHash: createHash('sha256').update(request.body).digest(),
    createdAt: now,
    since: now - IDEMPOTENCY_SECS + 1,
  }
}

/** The invoice of an earlier request with this key. A claim is committed together with its invoice. */
async function replayClaim(tx: Tx, claim: Claim, earlier: EarlierClaim): Promise<Invoice> {
  if (!Buffer.from(earlier.bodyHash).equals(Buffer.from(claim.bodyHash)))
    throw new AppError('conflict', 'idempotency_key_reused', 'idempotency key reused')
  const invoice = await tx.invoices.byPublicId(earlier.invoicePublicId)
  if (!invoice) throw new Error('the invoice of an idempotency key does not exist')
  return invoice
}

/**
 * Caches the `watchUntil` that this process has committed for each viewing key. The stored value never decreases, so
 * cached values stay valid lower bounds.
 */
function createWatchCache() {
  const maxKeys = 10_000
  const known = new Map<number, number>()
  const step = (until: number) => Math.ceil(until / WATCH_STEP_SECS) * WATCH_STEP_SECS
  return {
    /** The `watchUntil` to write with this invoice; null when the stored value is already late enough. */
    due: ({ viewingKeyId, watchUntil }: NewInvoice): number | null =>
      (known.get(viewingKeyId) ?? 0) >= watchUntil ? null : step(watchUntil),
    written({ viewingKeyId, watchUntil }: NewInvoice): void {
      if (known.size >= maxKeys) known.clear()
      known.set(viewingKeyId, Math.max(known.get(viewingKeyId) ?? 0, step(watchUntil)))
    },
  }
}
