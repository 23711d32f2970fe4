import { nowSecs } from '../../ports/clock.ts'
import { otherAssetsLink } from '../components/swap.ts'
import type { Site } from '../context.ts'
import { idParam, queryFields } from '../forms.ts'
import { checkoutPage } from '../pages/checkout.ts'
import { showsSwap, swapDepositPage } from '../pages/swap.ts'

/** The page that a buyer pays on. The invoice id is its access token. */
export function checkoutPages(site: Site): void {
  const { blockSpacing, invoices, readiness, swaps, clock } = site.deps

  site.publicPage('GET', '/i/:id', async request => {
    const invoice = await invoices.read(idParam(request))
    const swap = (await swaps.currentByInvoice([invoice])).get(invoice.id)
    const prefersZec = queryFields(request).with === 'zec'
    // Shows an open swap, unless it has no deposit yet and the buyer chose to pay in ZEC.
    if (swap && showsSwap(invoice, swap, prefersZec, nowSecs(clock))) return swapDepositPage(invoice, swap)
    const extra = swaps.offered && otherAssetsLink(invoice, swap)
    return checkoutPage({
      invoice,
      extra,
      spacingSecs: await blockSpacing.current(),
      isChainSeen: await readiness.isChainSeen(),
    })
  })
}
