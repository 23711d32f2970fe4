import { nowSecs } from '../../ports/clock.ts'
import { checkoutLinks, parsePlacement } from '../components/checkout-links.ts'
import { otherAssetsLink } from '../components/swap.ts'
import type { Site } from '../context.ts'
import { idParam, queryFields } from '../forms.ts'
import { checkoutPage } from '../pages/checkout.ts'
import { showsSwap, swapDepositPage } from '../pages/swap.ts'

/** The page that a buyer pays on, and the same for a frame of the shop's page. The invoice id is its access token. */
export function checkoutPages(site: Site): void {
  const { blockSpacing, invoices, readiness, swaps, clock } = site.deps

  for (const embedded of [false, true]) {
    site.publicPage('GET', { path: embedded ? '/i/:id/embed' : '/i/:id', embedded }, async request => {
      const query = queryFields(request)
      const invoice = await invoices.read(idParam(request))
      const links = checkoutLinks(invoice.publicId, parsePlacement(query, embedded, site.deps.publicUrl()))
      const swap = (await swaps.currentByInvoice([invoice])).get(invoice.id)
      // Shows an open swap, unless it has no deposit yet and the buyer chose to pay in ZEC.
      if (swap && showsSwap(invoice, swap, query.with === 'zec', nowSecs(clock)))
        return swapDepositPage(invoice, swap, links)
      return checkoutPage({
        invoice,
        links,
        swap,
        extra: swaps.offered && otherAssetsLink(invoice, swap, links),
        spacingSecs: await blockSpacing.current(),
        isChainSeen: await readiness.isChainSeen(),
      })
    })
  }
}
