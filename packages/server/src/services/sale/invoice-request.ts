import type { Account } from '../../domain/account/account.ts'
import { invalidField } from '../../domain/error.ts'
import type { Zat } from '../../domain/money.ts'
import { EXPIRY_SECS, givenFields } from '../../domain/sale/invoice.ts'
import { type GivenTerms, requireOneAmount } from '../../domain/sale/invoice-request.ts'
import { type LockedRate, lockRate, rateCurrencyOf, zatFor } from '../../domain/sale/price.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Rates } from '../../ports/rate.ts'
import type { Store } from '../../ports/store.ts'
import { findReplay, type IdempotencyRequest } from '../idempotency.ts'

export interface InvoiceRequest extends GivenTerms {
  /** Undefined: the default of the store, or else of the service. */
  readonly expiresInSecs: number | undefined
  /** Refuses a second open or paid invoice of the order. Default: false. */
  readonly uniqueOrder?: boolean | undefined
  /** 1 to 255 printable characters. */
  readonly idempotencyKey: string | undefined
}

/** Null for a request without a key. */
function idempotencyOf(account: Account, request: InvoiceRequest): IdempotencyRequest | null {
  if (request.idempotencyKey === undefined) return null
  const { amountZat, expiresInSecs = EXPIRY_SECS.default, uniqueOrder, idempotencyKey: key } = request
  const fields = { ...(amountZat !== undefined && { amountZat }), ...givenFields(request) }
  const given = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  const body = ['sale', expiresInSecs, ...given, ...(uniqueOrder ? ['unique'] : [])]
  return { accountId: account.id, key, body: JSON.stringify(body) }
}

/**
 * The amount of a request, and the rate by which a price became it.
 * @throws AppError `rate_unavailable`; `invalid_price` for more than the total supply
 */
export async function priced(
  rates: Rates,
  { amountZat, price, minAmountZat }: Pick<GivenTerms, 'amountZat' | 'price' | 'minAmountZat'>,
): Promise<{ amountZat: Zat; rate?: LockedRate }> {
  if (!price) return { amountZat: amountZat ?? minAmountZat ?? 1n }
  const currency = rateCurrencyOf(price)
  if (currency === null) return { amountZat: zatFor(price, null) }
  const rate = lockRate(await rates.rate(currency))
  return { amountZat: zatFor(price, rate), rate }
}

/** The expiry and redirect that a request leaves to the store's profile. With both given, nothing is read. */
async function storeDefaults(
  { lookup }: Pick<Store, 'lookup'>,
  account: Account,
  request: InvoiceRequest,
): Promise<Pick<InvoiceRequest, 'expiresInSecs' | 'autoRedirect'>> {
  const { expiresInSecs, successUrl, autoRedirect } = request
  const mayRedirect = successUrl && autoRedirect === undefined
  const profile = expiresInSecs === undefined || mayRedirect ? await lookup.storeProfile(account.id) : null
  return {
    expiresInSecs: expiresInSecs ?? profile?.expiresInSecs ?? undefined,
    ...(mayRedirect && profile?.afterPayment === 'return' && { autoRedirect: true }),
  }
}

/**
 * The terms of a sale, or the invoice of an earlier request with the same key.
 * @throws AppError `invalid_<field>`, `rate_unavailable`, `idempotency_key_reused`
 */
export async function saleTerms(
  { store, rates, clock }: { readonly store: Store; readonly rates: Rates; readonly clock: Clock },
  account: Account,
  request: InvoiceRequest,
) {
  requireOneAmount(request)
  const { orderId = null, uniqueOrder } = request
  if (uniqueOrder && orderId === null) throw invalidField('unique_order', 'needs order_id')
  const idempotency = idempotencyOf(account, request)
  // A repeat must return its invoice even while no rate is available, and is never converted again.
  const earlier = request.price ? await findReplay(store, idempotency, nowSecs(clock)) : null
  if (earlier) return { earlier }
  const defaults = await storeDefaults(store, account, request)
  return {
    idempotency,
    terms: { ...request, ...defaults, ...(await priced(rates, request)), purpose: 'sale' as const },
  }
}
