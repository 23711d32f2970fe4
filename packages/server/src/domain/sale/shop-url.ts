import { invalidField } from '../error.ts'
import { isLoopbackInBrowser } from '../host.ts'
import type { Invoice } from './invoice.ts'
import { MAX_SHOP_URL_CHARS } from './invoice-fields.ts'

/**
 * Parses the address of a page of the shop.
 * @param publicUrl of the service. One on this machine alone accepts http too, for a shop in development on the same
 *   machine; buyers of a public service have other programs at these addresses
 * @throws AppError `invalid_<field>`
 */
export function parseShopUrl(field: string, text: string, publicUrl: string): URL {
  const url = text.length <= MAX_SHOP_URL_CHARS ? URL.parse(text) : null
  const isProtected =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && [url, new URL(publicUrl)].every(({ hostname }) => isLoopbackInBrowser(hostname)))
  if (!url || !isProtected || url.username !== '' || url.password !== '')
    throw invalidField(
      field,
      `it must be an absolute https URL of at most ${MAX_SHOP_URL_CHARS} characters, without a password`,
    )
  return url
}

/** The address with `{invoice_id}` and `{order_id}` filled in. */
export function fillIn(url: string, { publicId, orderId }: Pick<Invoice, 'publicId' | 'orderId'>): string {
  return url
    .replaceAll('{invoice_id}', publicId)
    .replaceAll('{order_id}', () => encodeURIComponent(orderId?.toWellFormed() ?? ''))
}
