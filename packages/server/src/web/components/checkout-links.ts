import { invalidField } from '../../domain/error.ts'
import { type Html, html } from '../html.ts'

/** The addresses of an invoice's pages for its buyer. */
export interface CheckoutLinks {
  /** The pages are shown in a frame of the shop's page. */
  readonly embedded: boolean
  readonly checkout: string
  /** Shows the payment request in ZEC, also while a swap waits for its deposit. */
  readonly checkoutInZec: string
  /** The form that chooses another asset. */
  readonly swap: string
  /** The page of the shop where the buyer continues; null: unknown. */
  readonly returnTo: URL | null
}

/** A page of the checkout, as it was requested. */
export interface CheckoutPlacement {
  readonly embedded: boolean
  readonly returnTo: URL | null
}

const ON_ITS_OWN: CheckoutPlacement = { embedded: false, returnTo: null }

export function checkoutLinks(publicId: string, { embedded, returnTo } = ON_ITS_OWN): CheckoutLinks {
  const checkout = embedded ? `/i/${publicId}/embed` : `/i/${publicId}`
  const link = (path: string, fields: Record<string, string> = {}) => {
    const query = new URLSearchParams({ ...fields, ...(returnTo && { return_to: returnTo.href }) }).toString()
    return query === '' ? path : `${path}?${query}`
  }
  return {
    embedded,
    checkout: link(checkout),
    checkoutInZec: link(checkout, { with: 'zec' }),
    swap: link(`${checkout}/swap`),
    returnTo,
  }
}

const MAX_RETURN_TO_CHARS = 2048
/** A shop in development. Elsewhere a plain HTTP page could be replaced on the way. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Parses the query parameter `return_to`: an absolute https URL, or http on this machine.
 * @throws AppError `invalid_return_to`
 */
export function parseReturnTo(text: string | undefined): URL | null {
  if (text === undefined) return null
  const url = text.length <= MAX_RETURN_TO_CHARS ? URL.parse(text) : null
  const isProtected = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))
  if (!url || !isProtected || url.username !== '' || url.password !== '')
    throw invalidField(
      'return_to',
      `it must be an absolute https URL of at most ${MAX_RETURN_TO_CHARS} characters, without a password`,
    )
  return url
}

/** The way back to the shop. It names the host, since a link to the checkout can come from anyone with the invoice id. */
export function returnLink({ returnTo }: CheckoutLinks, prominent: boolean): Html | false {
  if (!returnTo) return false
  const kind = prominent ? 'button primary full' : 'button full'
  return html`<p><a class="${kind}" href="${returnTo.href}">Back to ${returnTo.host}</a></p>`
}
