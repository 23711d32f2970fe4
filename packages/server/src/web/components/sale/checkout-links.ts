import { invalidField } from '../../../domain/error.ts'
import { type PageLocale, pageLocale } from '../../../domain/locale.ts'
import { mayFrame } from '../../../domain/sale/frame-origin.ts'
import { parseShopUrl } from '../../../domain/sale/shop-url.ts'
import { isUuid } from '../../../domain/uuid.ts'
import type { FormFields } from '../../forms.ts'
import { type Embedding, THEMES } from '../layout.ts'

/** How a page of the checkout was requested. */
interface CheckoutPlacement {
  /** Null: the page is not shown in a frame. */
  readonly embedding: Embedding | null
  /** The page of the shop where the buyer continues; null: unknown. */
  readonly returnTo: URL | null
  /** The id of the swap that the buyer has started; null: none is known. */
  readonly swapId: string | null
  /** The language that the buyer has chosen on the page; null: none. */
  readonly chosenLocale: PageLocale | null
}

/** The addresses of an invoice's pages for its buyer. They keep the placement. */
export interface CheckoutLinks extends CheckoutPlacement {
  readonly checkout: string
  /** Shows the payment request in ZEC, also while a swap waits for its deposit. */
  readonly checkoutInZec: string
  /** The form that chooses another asset. */
  readonly swap: string
  /** The separate page with the receipt, never in a frame. */
  readonly receipt: string
  /** Where the form posts that mails the receipt. */
  readonly receiptMail: string
  /** The receipt, with a note that it is mailed. */
  readonly receiptMailed: string
  /** The checkout in another language. */
  inLanguage(locale: PageLocale): string
  receiptInLanguage(locale: PageLocale): string
  /** The same form with further fields in its query. */
  swapWith(fields: Readonly<Record<string, string>>): string
  /** Shows this swap of the invoice. Only the response of its start contains the id. */
  ofSwap(swapPublicId: string): string
}

const ON_ITS_OWN: CheckoutPlacement = { embedding: null, returnTo: null, swapId: null, chosenLocale: null }

export function checkoutLinks(publicId: string, placement = ON_ITS_OWN): CheckoutLinks {
  const { embedding, returnTo, swapId, chosenLocale } = placement
  const checkout = embedding ? `/i/${publicId}/embed` : `/i/${publicId}`
  const onEach = { ...(chosenLocale && { lang: chosenLocale }), ...(returnTo && { return_to: returnTo.href }) }
  const kept = {
    ...onEach,
    ...(embedding?.theme && { theme: embedding.theme }),
    ...(embedding?.parent && { parent: embedding.parent }),
    ...(embedding?.isModal && { view: 'modal' }),
  }
  const link = (path: string, fields: Record<string, string> = {}) =>
    withQuery(path, { ...(swapId !== null && { swap: swapId }), ...kept, ...fields })
  const receipt = (path = '', fields: Record<string, string> = {}) =>
    withQuery(`/i/${publicId}/receipt${path}`, { ...onEach, ...fields })
  return {
    ...placement,
    checkout: link(checkout),
    checkoutInZec: link(checkout, { with: 'zec' }),
    swap: link(`${checkout}/swap`),
    inLanguage: locale => link(checkout, { lang: locale }),
    receipt: receipt(),
    receiptMail: receipt('/mail'),
    receiptMailed: receipt('', { mailed: '1' }),
    receiptInLanguage: locale => receipt('', { lang: locale }),
    swapWith: fields => link(`${checkout}/swap`, fields),
    ofSwap: swapPublicId => link(checkout, { swap: swapPublicId }),
  }
}

function withQuery(path: string, fields: Record<string, string>): string {
  const query = new URLSearchParams(fields).toString()
  return query === '' ? path : `${path}?${query}`
}

/**
 * Parses the query of a page of the checkout.
 * @param publicUrl of the service
 * @throws AppError `invalid_return_to`, `invalid_theme`, `invalid_parent`
 */
export function parsePlacement(query: FormFields, embedded: boolean, publicUrl: string): CheckoutPlacement {
  const swapId = query.swap !== undefined && isUuid(query.swap) ? query.swap : null
  const chosenLocale = pageLocale(query.lang ?? '')
  if (!embedded) return { embedding: null, returnTo: parseReturnTo(query.return_to, publicUrl), swapId, chosenLocale }
  if (query.return_to !== undefined) throw invalidField('return_to', 'in a frame, the page around it has the way back')
  const embedding = embeddingOf(query)
  if (query.theme !== undefined && embedding.theme === null)
    throw invalidField('theme', `it must be ${THEMES.join(' or ')}`)
  if (query.parent !== undefined && embedding.parent === null)
    throw invalidField('parent', 'it must be the origin of the page around the frame, such as https://shop.example.com')
  return { embedding, returnTo: null, swapId, chosenLocale }
}

/** The frame that the query of a page describes. What is not valid in it is left out. */
export function embeddingOf({ theme, parent, view }: FormFields): Embedding {
  return {
    theme: THEMES.find(name => name === theme) ?? null,
    parent: parent !== undefined && mayFrame(parent) ? parent : null,
    isModal: view === 'modal',
  }
}

function parseReturnTo(text: string | undefined, publicUrl: string): URL | null {
  return text === undefined ? null : parseShopUrl('return_to', text, publicUrl)
}
