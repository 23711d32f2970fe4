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
import type { Addresses } from './addresses.ts'

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

  return {
    async create(account, request) {
      const now = nowSecs(clock)
      const claim = claimOf(account, request, random.uuid(), now)
      const earlier = claim && (await store.read(rows => findReplay(rows, claim)))
      if (earlier) return earlier
      const viewingKeyId = account.viewingKeyId
      if (viewingKeyId === null) throw new Fault('invalid', 'viewing_key_not_set', 'viewing key not set')

      const spare = await addresses.take(viewingKeyId)
      const expiresAt = now + (request.expiresInSecs ?? EXPIRY_SECS.usual)
      const invoice: NewInvoice = {
        publicId: claim?.invoicePublicId ?? random.uuid(),
        accountId: account.id,
        viewingKeyId,
        diversifierIndex: spare.index,
        purpose: 'sale',
        address: spare.address,
        amountZat: request.amountZat,
        confirmations: account.confirmations,
        createdAt: now,
        expiresAt,
        watchUntil: expiresAt + lateWatchDays * 86_400,
      }
      try {
        const made = await store.write(rows => record(rows, invoice, claim))
        if (made.publicId === invoice.publicId) watch.written(invoice)
        else addresses.giveBack(viewingKeyId, spare)
        return made
      } catch (error) {
        // Only a refusal is sure to have left nothing behind; after any other failure the index counts as used.
        if (error instanceof Fault) addresses.giveBack(viewingKeyId, spare)
        throw error
      }

      async function record(rows: Rows, draft: NewInvoice, claimed: Claim | null): Promise<Invoice> {
        const first = claimed && (await rows.idempotency.claim(claimed))
        if (first) return replayed(rows, claimed, first)
        const { plan } = planAt(plans, account, now)
        const usage = await rows.usage.take(account.id, monthOf(now), plan.monthlyInvoiceLimit)
        if (!usage.taken) throw limitReached(plan, usage.used)
        const until = watch.due(draft)
        if (until !== null) await rows.viewingKeys.watch(draft.viewingKeyId, until)
        return rows.invoices.insert(draft)
      }
    },

    async read(publicId) {
      const invoice = isUuid(publicId)
        ? await store.read(rows => rows.invoices.byPublicId(publicId.toLowerCase()))
        : null
      if (!invoice) throw noSuch('invoice')
      return invoice
    },

    list: (account, page, filter) => store.read(rows => rows.invoices.list(account.id, page, filter)),

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

type Claim = Parameters<Rows['idempotency']['claim']>[0] & { readonly bodyHash: Buffer }
type EarlierClaim = Pick<Claim, 'invoicePublicId'> & { readonly bodyHash: Uint8Array }

function claimOf(account: Account, request: InvoiceRequest, invoicePublicId: string, now: number): Claim | null {
  if (request.idempotencyKey === undefined) return null
  const body = JSON.stringify([request.amountZat.toString(), request.expiresInSecs ?? null])
  return {
    accountId: account.id,
    key: request.idempotencyKey,
    bodyHash: createHash('sha256').update(body).digest(),
    invoicePublicId,
    createdAt: now,
    since: now - IDEMPOTENCY_SECS + 1,
  }
}

async function findReplay(rows: Rows, claim: Claim): Promise<Invoice | null> {
  const earlier = await rows.idempotency.find(claim.accountId, claim.key, claim.since)
  return earlier && replayed(rows, claim, earlier)
}

/** The invoice that an earlier request with this key has made; a claim is committed only along with its invoice. */
async function replayed(rows: Rows, claim: Claim, earlier: EarlierClaim): Promise<Invoice> {
  if (!Buffer.from(earlier.bodyHash).equals(claim.bodyHash))
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
