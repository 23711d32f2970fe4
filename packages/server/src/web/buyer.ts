import type { FastifyRequest } from 'fastify'
import type { PageLocale } from '../domain/locale.ts'
import type { Invoice } from '../domain/sale/invoice.ts'
import type { BuyerView } from './components/buyer/buyer-page.ts'
import { shopOf } from './components/buyer/shop.ts'
import type { Embedding } from './components/layout.ts'
import { type CheckoutLinks, checkoutLinks, parsePlacement } from './components/sale/checkout-links.ts'
import type { SiteDeps } from './context.ts'
import { queryFields } from './forms.ts'
import { textFor } from './text/text.ts'

interface Asked {
  readonly accountId: number
  readonly embedding?: Embedding | null
  /** The language that the buyer has chosen on the page. */
  readonly chosen?: string | null | undefined
  /** The language that the shop has given for this buyer. */
  readonly given?: string | null | undefined
  readonly inLanguage?: (locale: PageLocale) => string
}

/** All that a buyer's page needs except its content: language, shop, embedding and network. */
export async function buyerView(
  { network, storeProfiles }: Pick<SiteDeps, 'network' | 'storeProfiles'>,
  request: FastifyRequest,
  { accountId, embedding = null, chosen, given, inLanguage }: Asked,
): Promise<BuyerView> {
  const shop = shopOf(await storeProfiles.ofAccountId(accountId))
  const text = textFor({ chosen, given, accepted: request.headers['accept-language'], standard: shop.locale })
  return { text, shop, embedding, isTest: network !== 'main', inLanguage }
}

/** The same for a page of an invoice, with the links to its pages. */
export async function invoiceView(
  deps: Pick<SiteDeps, 'network' | 'storeProfiles' | 'publicUrl'>,
  request: FastifyRequest,
  invoice: Invoice,
  { embedded, swapFields }: { readonly embedded: boolean; readonly swapFields?: Readonly<Record<string, string>> },
): Promise<BuyerView & { readonly invoice: Invoice; readonly links: CheckoutLinks }> {
  const placement = parsePlacement(queryFields(request), embedded, deps.publicUrl())
  const links = checkoutLinks(invoice.publicId, placement)
  const view = await buyerView(deps, request, {
    accountId: invoice.accountId,
    embedding: placement.embedding,
    chosen: placement.chosenLocale,
    given: invoice.locale,
    inLanguage: swapFields ? locale => links.swapWith({ ...swapFields, lang: locale }) : links.inLanguage,
  })
  return { ...view, invoice, links }
}
