import type { Invoice } from '../../../domain/sale/invoice.ts'
import { bigAmount, formatZat, formatZecAmount } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import { formatPrice } from './fiat.ts'

/** The amount of an invoice; null while an open amount has not been chosen. */
export function invoiceAmount({ amountZat, openAmount, receivedZat }: Invoice): bigint | null {
  if (!openAmount) return amountZat
  return receivedZat > 0n ? receivedZat : null
}

/**
 * The amount of an invoice as the largest text of its card: its price in money, with the exact amount below it, or the
 * exact amount. False while an open amount has not been chosen.
 * @param details added to the line below
 */
export function totalOf(invoice: Invoice, details: Child): Html | false {
  const zat = invoiceAmount(invoice)
  if (zat === null) return false
  const price = formatPrice(invoice)
  const exact = price === null ? formatZat(zat) : html`${formatZecAmount(zat)} · ${formatZat(zat)}`
  return html`${bigAmount(price ?? formatZecAmount(zat))}
    <p class="below">${exact}${details}</p>`
}
