import { nowSecs } from '../../ports/clock.ts'
import type { Site } from '../context.ts'
import { idOf, queryOf } from '../forms.ts'
import { checkoutPage } from '../pages/checkout.ts'
import { depositPage, isPaying, otherAssets } from '../pages/swap.ts'

/** The page that a buyer pays on. The invoice id is its access token. */
export function checkoutPages(site: Site): void {
  const { blockSpacing, invoices, swaps, clock } = site.deps

  site.open('GET', '/i/:id', async request => {
    const invoice = await invoices.read(idOf(request))
    const swap = (await swaps.ofInvoices([invoice])).get(invoice.id)
    const prefersZec = queryOf(request).with === 'zec'
    // Shows an open swap, unless it has no deposit yet and the buyer chose to pay in ZEC.
    if (swap && isPaying(invoice, swap, prefersZec, nowSecs(clock))) return depositPage(invoice, swap)
    const extra = swaps.offered && otherAssets(invoice, swap)
    return checkoutPage({ invoice, extra, spacingSecs: await blockSpacing.current() })
  })
}
