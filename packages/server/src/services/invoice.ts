import { createHash } from 'node:crypto'
import type { Account } from '../domain/account.ts'
import { Fault, noSuch } from '../domain/error.ts'
import { EXPIRY_SECS } from '../domain/invoice.ts'
import type { Zat } from '../domain/money.ts'
import { billingNotConfigured, limitReached, type Plan, planAt } from '../domain/plan.ts'
import { DAY_SECS, monthOf } from '../domain/time.ts'
import { isUuid } from '../domain/uuid.ts'
import { expiredKeyFault } from '../domain/viewing-key.ts'
import type { Page } from '../ports/repository/account.ts'
import type { Invoice, InvoiceFilter, InvoicePurpose, NewInvoice } from '../ports/repository/invoice.ts'
import type { Clock, Random, Rows, Store, WriteOptions } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { Addresses, Spare } from './address.ts'

export interface InvoiceRequest {
  readonly amountZat: Zat
  /** Undefined: the usual. */
  readonly expiresInSecs: number | undefined
  /** 1 to 255 printable characters. */
  readonly idempotencyKey: string | undefined
}

/** A request for one of the service's own invoices. */
export interface OwnRequest {
  readonly purpose: Exclude<InvoicePurpose, 'sale'>
  readonly amountZat: Zat
  readonly expiresInSecs: number
  /** Null: the request may be repeated as another one. */
  readonly once: Once | null
}

/** What makes a request the same as an earlier one: who asks, the key, and all that is asked for. */
export interface Once {
  readonly accountId: number
  readonly key: string
  readonly body: string
}

export interface Invoices {
  /**
   * Makes an invoice, counted in the account's month. A repeated idempotency key brings back the invoice made first.
   * @throws Fault `idempotency_key_reused`, `viewing_key_not_set`, `viewing_key_expired`,
   * `viewing_key_expires_too_soon`, `monthly_invoice_limit_reached`
   */
  create(account: Account, request: InvoiceRequest): Promise<Invoice>
  /**
   * Makes an invoice of the service's own under the operator's key; it counts in no month. `record` writes what it is
   * for into the same transaction, and is not called where a repeated idempotency key brings back an earlier invoice.
   * @throws Fault `idempotency_key_reused`; `billing_not_configured` once the operator's key has expired
   */
  issue(
    operator: Account,
    request: OwnRequest,
    record: (rows: Rows, invoice: Invoice) => Promise<void>,
  ): Promise<Invoice>
  /** The invoice that such a request has made already. @throws Fault `idempotency_key_reused` */
  issued(once: Once): Promise<Invoice | null>
  /** @throws Fault `no_such_invoice`, for what is no UUID too */
  read(publicId: string): Promise<Invoice>
  /** An account's sales, newest first. */
  list(account: Account, page: Page, filter?: InvoiceFilter): Promise<Invoice[]>
  follow(look: Look): Promise<Seen>
}

/** A look at what has changed, for a reader who keeps watching. */
export interface Look {
  /** What the look before brought; null starts now. */
  readonly cursor: number | null
  /** Of the invoices that something happened to, the ones to bring. */
  readonly wanted: (invoiceId: number) => boolean
  /** Invoices to bring in any case. */
  readonly also: readonly number[]
}

export interface Seen {
  readonly cursor: number
  readonly invoices: readonly Invoice[]
  /** There may be more to see at once. */
  readonly more: boolean
}

const IDEMPOTENCY_SECS = DAY_SECS
const FOLLOW_BATCH = 500
/** How far ahead `watchUntil` is written, so that a busy key's row changes once an hour and not with every invoice. */
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
  const watch = watchLedger()

  /** Why the account's key allows no such invoice: it has expired, or would before the invoice ends. Null: it does. */
  async function expiryFault({ viewingKeyExpiry: expiry }: Account, terms: DraftTerms): Promise<Fault | null> {
    if (!expiry) return null
    const now = nowSecs(clock)
    const tip = expiry.height === null ? null : await store.glance(rows => rows.chain.tip())
    const point = { now, tipHeight: tip?.height ?? null }
    const fault = expiredKeyFault(expiry, point, now + (terms.expiresInSecs ?? EXPIRY_SECS.usual))
    return fault && terms.purpose !== 'sale' ? billingNotConfigured("the operator's viewing key expires") : fault
  }

  function draftOf(account: Account, viewingKeyId: number, terms: DraftTerms, spare: Spare): NewInvoice {
    const createdAt = nowSecs(clock)
    const expiresAt = createdAt + (terms.expiresInSecs ?? EXPIRY_SECS.usual)
    return {
      publicId: random.uuid(),
      accountId: account.id,
      viewingKeyId,
      diversifierIndex: spare.index,
      purpose: terms.purpose,
      address: spare.address,
      amountZat: terms.amountZat,
      confirmations: account.confirmations,
      createdAt,
      expiresAt,
      watchUntil: expiresAt + lateWatchDays * DAY_SECS,
    }
  }

  /**
   * Has an invoice under a fresh address written by `record`, and its key watched long enough; or brings back the one
   * made first under the same idempotency key.
   */
  async function make(
    account: Account,
    terms: DraftTerms,
    claim: Claim | null,
    record: (rows: Rows, draft: NewInvoice) => Promise<Invoice>,
    crowd: WriteOptions = {},
  ): Promise<Invoice> {
    const { viewingKeyId } = account
    if (viewingKeyId === null) throw new Fault('invalid', 'viewing_key_not_set', 'viewing key not set')
    const refused = await expiryFault(account, terms)
    if (refused) {
      const earlier = await earlierOf(claim)
      if (earlier) return earlier
      throw refused
    }
    const spare = await addresses.take(viewingKeyId)
    const draft = draftOf(account, viewingKeyId, terms, spare)
    const watchUntil = watch.due(draft)
    const write = async (rows: Rows) => {
      const first = claim && (await rows.idempotency.claim({ ...claim, invoicePublicId: draft.publicId }))
      if (first) return replayed(rows, claim, first)
      if (watchUntil !== null) await rows.viewingKeys.watch(viewingKeyId, watchUntil)
      return record(rows, draft)
    }
    try {
      // A key's row may be another account's too: who changes it does not travel in the crowd.
      const made = await store.write(write, watchUntil === null ? crowd : {})
      if (made.publicId === draft.publicId) watch.written(draft)
      else addresses.giveBack(viewingKeyId, spare)
      return made
    } catch (error) {
      // Only a refusal is sure to have left nothing behind; after any other failure the index counts as used.
      if (error instanceof Fault && error.kind !== 'unavailable') addresses.giveBack(viewingKeyId, spare)
      throw error
    }
  }

  async function earlierOf(claim: Claim | null): Promise<Invoice | null> {
    if (!claim) return null
    const earlier = await store.glance(rows => rows.idempotency.find(claim.accountId, claim.key, claim.since))
    return earlier && store.glance(rows => replayed(rows, claim, earlier))
  }

  return {
    async create(account, request) {
      const claim = claimOf(onceOf(account, request), nowSecs(clock))
      const earlier = await earlierOf(claim)
      if (earlier) return earlier
      const record = async (rows: Rows, draft: NewInvoice) => {
        const { plan } = planAt(plans, account, draft.createdAt)
        const usage = await rows.usage.take(account.id, monthOf(draft.createdAt), plan.monthlyInvoiceLimit)
        if (!usage.taken) throw limitReached(plan, usage.used)
        return rows.invoices.insert(draft)
      }
      return make(account, { ...request, purpose: 'sale' }, claim, record, { crowd: account.id })
    },

    issue: (operator, request, record) =>
      make(operator, request, claimOf(request.once, nowSecs(clock)), async (rows, draft) => {
        const invoice = await rows.invoices.insert(draft)
        await record(rows, invoice)
        return invoice
      }),

    issued: once => earlierOf(claimOf(once, nowSecs(clock))),

    async read(publicId) {
      const invoice = isUuid(publicId) ? await store.lookup.invoice(publicId.toLowerCase()) : null
      if (!invoice) throw noSuch('invoice')
      return invoice
    },

    list: (account, page, filter) => store.glance(rows => rows.invoices.list(account.id, page, filter)),

    follow: ({ cursor, wanted, also }) =>
      store.read(async rows => {
        const since = cursor ?? (await rows.events.lastSeq())
        const touched = await rows.events.touchedSince(since, FOLLOW_BATCH)
        const ids = new Set([...also, ...touched.invoiceIds.filter(wanted)])
        const invoices = ids.size > 0 ? await rows.invoices.byIds([...ids]) : []
        return { cursor: touched.seq, invoices, more: touched.seq > since }
      }),
  }
}

type NewClaim = Parameters<Rows['idempotency']['claim']>[0]
type Claim = Omit<NewClaim, 'invoicePublicId'>
type EarlierClaim = Pick<NewClaim, 'bodyHash' | 'invoicePublicId'>

type DraftTerms = Pick<InvoiceRequest, 'amountZat' | 'expiresInSecs'> & { readonly purpose: InvoicePurpose }

function onceOf(account: Account, request: InvoiceRequest): Once | null {
  if (request.idempotencyKey === undefined) return null
  const body = JSON.stringify([request.amountZat.toString(), request.expiresInSecs ?? null])
  return { accountId: account.id, key: request.idempotencyKey, body }
}

function claimOf(once: Once | null, now: number): Claim | null {
  if (once === null) return null
  return {
    accountId: once.accountId,
    key: once.key,
    bodyHash: createHash('sha256').update(once.body).digest(),
    createdAt: now,
    since: now - IDEMPOTENCY_SECS + 1,
  }
}

/** The invoice that an earlier request with this key has made; a claim is committed only along with its invoice. */
async function replayed(rows: Rows, claim: Claim, earlier: EarlierClaim): Promise<Invoice> {
  if (!Buffer.from(earlier.bodyHash).equals(Buffer.from(claim.bodyHash)))
    throw new Fault('conflict', 'idempotency_key_reused', 'idempotency key reused')
  const invoice = await rows.invoices.byPublicId(earlier.invoicePublicId)
  if (!invoice) throw new Error('an idempotency key stands for an invoice that does not exist')
  return invoice
}

/**
 * Remembers how long each key is watched for certain, by what this process has committed. The row only ever moves on,
 * so what was once written holds.
 */
function watchLedger() {
  const most = 10_000
  const known = new Map<number, number>()
  const step = (until: number) => Math.ceil(until / WATCH_STEP_SECS) * WATCH_STEP_SECS
  return {
    /** What `watchUntil` is to be moved to along with this invoice; null when it is there already. */
    due: ({ viewingKeyId, watchUntil }: NewInvoice): number | null =>
      (known.get(viewingKeyId) ?? 0) >= watchUntil ? null : step(watchUntil),
    written({ viewingKeyId, watchUntil }: NewInvoice): void {
      if (known.size >= most) known.clear()
      known.set(viewingKeyId, Math.max(known.get(viewingKeyId) ?? 0, step(watchUntil)))
    },
  }
}
