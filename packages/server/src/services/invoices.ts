import { createHash } from 'node:crypto'
import type { Account } from '../domain/account.ts'
import { monthOf } from '../domain/account.ts'
import { Fault, noSuch } from '../domain/fault.ts'
import { EXPIRY_SECS } from '../domain/invoice.ts'
import type { Zat } from '../domain/money.ts'
import { limitReached, type Plan, planAt } from '../domain/plan.ts'
import { isUuid } from '../domain/uuid.ts'
import type { Page } from '../ports/account.ts'
import type { Invoice, InvoiceFilter, NewInvoice } from '../ports/invoice.ts'
import type { Clock, Random, Rows, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { Addresses, Spare } from './addresses.ts'

export interface InvoiceRequest {
  readonly amountZat: Zat
  /** Undefined: the usual. */
  readonly expiresInSecs: number | undefined
  /** 1 to 255 printable characters. */
  readonly idempotencyKey: string | undefined
}

export interface Invoices {
  /**
   * Makes an invoice, counted in the account's month. A repeated idempotency key brings back the invoice made first.
   * @throws Fault `idempotency_key_reused`, `viewing_key_not_set`, `monthly_invoice_limit_reached`
   */
  create(account: Account, request: InvoiceRequest): Promise<Invoice>
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

export const IDEMPOTENCY_SECS = 86_400
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

  function draftOf(account: Account, viewingKeyId: number, request: InvoiceRequest, spare: Spare): NewInvoice {
    const createdAt = nowSecs(clock)
    const expiresAt = createdAt + (request.expiresInSecs ?? EXPIRY_SECS.usual)
    return {
      publicId: random.uuid(),
      accountId: account.id,
      viewingKeyId,
      diversifierIndex: spare.index,
      purpose: 'sale',
      address: spare.address,
      amountZat: request.amountZat,
      confirmations: account.confirmations,
      createdAt,
      expiresAt,
      watchUntil: expiresAt + lateWatchDays * 86_400,
    }
  }

  /** The invoice, counted and watched; or the one made first under the same idempotency key. */
  async function record(
    rows: Rows,
    account: Account,
    draft: NewInvoice,
    claim: Claim | null,
    watchUntil: number | null,
  ) {
    const first = claim && (await rows.idempotency.claim({ ...claim, invoicePublicId: draft.publicId }))
    if (first) return replayed(rows, claim, first)
    const { plan } = planAt(plans, account, draft.createdAt)
    const usage = await rows.usage.take(account.id, monthOf(draft.createdAt), plan.monthlyInvoiceLimit)
    if (!usage.taken) throw limitReached(plan, usage.used)
    if (watchUntil !== null) await rows.viewingKeys.watch(draft.viewingKeyId, watchUntil)
    return rows.invoices.insert(draft)
  }

  return {
    async create(account, request) {
      const claim = claimOf(account, request, nowSecs(clock))
      const earlier = claim && (await store.glance(rows => rows.idempotency.find(account.id, claim.key, claim.since)))
      if (earlier) return store.glance(rows => replayed(rows, claim, earlier))
      const { viewingKeyId } = account
      if (viewingKeyId === null) throw new Fault('invalid', 'viewing_key_not_set', 'viewing key not set')

      const spare = await addresses.take(viewingKeyId)
      const draft = draftOf(account, viewingKeyId, request, spare)
      const watchUntil = watch.due(draft)
      // A key's row may be another account's too: who changes it does not travel in the crowd.
      const options = watchUntil === null ? { crowd: account.id } : {}
      try {
        const made = await store.write(rows => record(rows, account, draft, claim, watchUntil), options)
        if (made.publicId === draft.publicId) watch.written(draft)
        else addresses.giveBack(viewingKeyId, spare)
        return made
      } catch (error) {
        // Only a refusal is sure to have left nothing behind; after any other failure the index counts as used.
        if (error instanceof Fault && error.kind !== 'unavailable') addresses.giveBack(viewingKeyId, spare)
        throw error
      }
    },

    async read(publicId) {
      const invoice = isUuid(publicId)
        ? await store.glance(rows => rows.invoices.byPublicId(publicId.toLowerCase()))
        : null
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

function claimOf(account: Account, request: InvoiceRequest, now: number): Claim | null {
  if (request.idempotencyKey === undefined) return null
  const body = JSON.stringify([request.amountZat.toString(), request.expiresInSecs ?? null])
  return {
    accountId: account.id,
    key: request.idempotencyKey,
    bodyHash: createHash('sha256').update(body).digest(),
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
