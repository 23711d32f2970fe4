import { stringify } from '@zatgate/server/domain/raw-json'
import type { Invoice } from '@zatgate/server/domain/sale/invoice'
import { type InvoiceBody, parseInvoiceBody } from '@zatgate/server/domain/sale/invoice-request'
import { viewInvoice } from '@zatgate/server/domain/sale/invoice-views'
import type { InvoiceRequest } from '@zatgate/server/services/sale/invoice-request'
import type { Draw } from '../../runtime/draw.ts'
import { isFresh } from '../../world/rates.ts'
import type { World } from '../../world/world.ts'
import type { InvoiceRow } from './ledger.ts'

/** The terms of an invoice, as a merchant asks for them. One of amount, price and least open amount is given. */
export interface Terms {
  readonly amountZat?: bigint
  readonly price?: { readonly amount: string; readonly currency: string; readonly isNumber: boolean }
  /** The least that pays an invoice whose amount is open. */
  readonly minAmountZat?: bigint
  readonly toleranceBps?: number
  readonly confirmations?: number
  /** The text of an object. */
  readonly metadata?: string
}

/** An amount in zat, and nothing else: the most frequent request. */
export function plainTerms(draw: Draw): Terms {
  return { amountZat: BigInt(draw.pick([1, 1_000, 25_000_000, draw.int(2, 1_000_000)])) }
}

/** Terms beyond an amount in zat. */
export function drawTerms(draw: Draw): Terms {
  const kind = draw.weighted([
    ['price', 4],
    ['amount', 3],
    ['open', 2],
  ] as const)
  const toleranceBps = drawTolerance(draw)
  return {
    ...(kind === 'price' && { price: drawPrice(draw) }),
    ...(kind === 'amount' && plainTerms(draw)),
    ...(kind === 'open' && { minAmountZat: BigInt(draw.pick([1, 1_000, draw.int(2, 1_000_000)])) }),
    ...(kind !== 'open' && draw.chance(0.6) && { toleranceBps }),
    ...(draw.chance(0.3) && { confirmations: draw.pick([0, 1, 2, 12]) }),
    ...(draw.chance(0.5) && { metadata: draw.pick(METADATA) }),
  }
}

/** Hundredths of a percent. */
export function drawTolerance(draw: Draw): number {
  return draw.pick([0, 1, 50, draw.int(2, 9_999), 10_000])
}

export function drawPrice(draw: Draw): NonNullable<Terms['price']> {
  const cents = String(draw.int(0, 99)).padStart(2, '0')
  const amount = draw.pick(['25.00', `${draw.int(1, 200)}.${cents}`, '0.010', String(draw.int(1, 500)), '19.99'])
  const currency = draw.pick(['USD', 'EUR', 'eur', 'JPY', 'BTC', 'SATS', 'ZEC'])
  return { amount: currency === 'SATS' ? `${draw.int(1, 9)}0000001` : amount, currency, isNumber: draw.chance(0.5) }
}

/** Texts that a parser would change. */
const METADATA = [
  '{}',
  '{"order":"1001","total":1.0}',
  '{ "b":1,\n\t"a" : 25.00 , "b": 3 }',
  '{"id":9007199254740993,"e":1E400,"zero":-0.0}',
  '{"__proto__":{"admin":true},"2":0,"1":0}',
  '{"ü":"\\u00fc","lone":"\\ud800","nul":"\\u0000","face":"😀","line":"\u2028"}',
  `${'{"a":['.repeat(7)}[]${']}'.repeat(7)}`,
]

/** The request for an invoice with these terms, read from the body that the merchant sends. */
export function requestOf(terms: Terms): Omit<InvoiceRequest, 'expiresInSecs' | 'idempotencyKey'> {
  const text = bodyOf(terms)
  return parseInvoiceBody(JSON.parse(text) as InvoiceBody, text, 'http://localhost')
}

function bodyOf({ amountZat, price, minAmountZat, toleranceBps, confirmations, metadata }: Terms): string {
  const quoted = price && (price.isNumber ? price.amount : `"${price.amount}"`)
  const members = [
    amountZat !== undefined && `"amount_zat":${amountZat}`,
    price && `"price": {"currency":"${price.currency}", "amount" : ${quoted}}`,
    minAmountZat !== undefined && `"open_amount":true,"min_amount_zat":${minAmountZat}`,
    toleranceBps !== undefined && `"tolerance_bps":${toleranceBps}`,
    metadata !== undefined && `"metadata": ${metadata} `,
    confirmations !== undefined && `"confirmations":${confirmations}`,
  ]
  return `{${members.filter(Boolean).join(',')}}`
}

/** The same terms with a slightly higher amount. */
export function withMore({ amountZat, price, minAmountZat, ...others }: Terms): Terms {
  return {
    ...others,
    ...(amountZat !== undefined && { amountZat: amountZat + 1n }),
    ...(minAmountZat !== undefined && { minAmountZat: minAmountZat + 1n }),
    ...(price && {
      price: { ...price, amount: price.amount.includes('.') ? `${price.amount}1` : `${price.amount}.1` },
    }),
  }
}

type TermsRow = Pick<InvoiceRow, 'amount_zat' | 'open_amount' | 'tolerance_bps' | 'price' | 'metadata'>

/** All terms of an invoice, as its merchant sees them. */
export function termsOf(invoice: Invoice): string {
  const { address, amountZat, openAmount, minAmountZat, toleranceBps, confirmations, expiresAt } = invoice
  const amounts = [amountZat, openAmount, minAmountZat, toleranceBps].map(value => String(value ?? ''))
  return JSON.stringify([
    address,
    ...amounts,
    confirmations,
    expiresAt,
    invoice.price,
    invoice.rate?.price,
    invoice.metadata,
  ])
}

/**
 * Checks the invoice that a request has returned, its row, and that its rate was fresh.
 * @param defaults tolerances that an invoice has when its terms give none
 * @param requestedMs when the first attempt was sent, in Unix milliseconds
 */
export function checkTerms(
  world: World,
  invoice: Invoice,
  terms: Terms,
  defaults: ReadonlySet<number>,
  requestedMs: number,
): void {
  const { publicId, price, rate, amountZat, toleranceBps } = invoice
  const about = `invoice ${publicId.slice(0, 6)}`
  const isOpen = terms.minAmountZat !== undefined
  const isGiven = terms.toleranceBps !== undefined || isOpen
  const isAsked =
    amountZat === (terms.amountZat ?? terms.minAmountZat ?? amountZat) &&
    price?.amount === terms.price?.amount &&
    price?.currency === terms.price?.currency &&
    (invoice.openAmount ?? false) === isOpen &&
    (isGiven ? toleranceBps === (terms.toleranceBps ?? null) : defaults.has(toleranceBps ?? 0)) &&
    (terms.confirmations === undefined || terms.confirmations === invoice.confirmations)
  if (!isAsked || !isStored(world, invoice)) world.fail('an invoice has the terms of its request', about)
  checkMetadata(world, invoice, terms.metadata)
  if (price) checkRate(world, about, { price, rate }, requestedMs)
}

/** Checks that a price was converted at a rate of its currency that was fresh when it was requested. */
export function checkRate(
  world: World,
  about: string,
  { price, rate }: Pick<Invoice, 'rate'> & { readonly price: NonNullable<Invoice['price']> },
  requestedMs: number,
): void {
  if (price.currency === 'ZEC') return
  const given = world.rates.given(rate?.price ?? '')
  const code = price.currency.toUpperCase()
  if (!given || rate?.currency !== given.currency || given.currency !== (code === 'SATS' ? 'BTC' : code))
    world.fail('a price is converted at a rate of its currency', `${about}: ${rate?.price}`)
  else if (!isFresh(world, given.trueMs, requestedMs))
    world.fail('the rate of a price has a bounded age', `${about}: ${(requestedMs - given.trueMs) / 1000} s`)
}

/** Whether the row of an invoice has the same terms. After a fail-over it may be gone. */
function isStored({ database }: World, { publicId, ...invoice }: Invoice): boolean {
  const [row] = database.committed<TermsRow>(
    'SELECT amount_zat, open_amount, tolerance_bps, price, metadata FROM invoices WHERE public_id = ?',
    publicId,
  )
  return (
    !row ||
    (row.amount_zat === invoice.amountZat &&
      (row.open_amount === 1n) === (invoice.openAmount ?? false) &&
      (row.tolerance_bps === null ? null : Number(row.tolerance_bps)) === invoice.toleranceBps &&
      (row.price === null) === (invoice.price === null) &&
      row.metadata === invoice.metadata)
  )
}

/** Checks the metadata that a merchant reads. */
export function checkMetadata(world: World, invoice: Invoice, metadata: string | undefined): void {
  const body = stringify(viewInvoice('merchant', invoice))
  const expected = `"metadata":${metadata}`
  if (metadata === undefined ? invoice.metadata !== null : !body.includes(expected))
    world.fail('metadata comes back byte for byte', `invoice ${invoice.publicId.slice(0, 6)}: ${body}`)
}
