import { nowSecs } from '../../ports.ts'
import { idOf, queryOf } from '../forms.ts'
import { checkoutPage } from '../pages/checkout.ts'
import { depositPage, isPaying, otherAssets } from '../pages/swap.ts'
import type { Site } from '../site.ts'

/** The page that a buyer is sent to; the invoice's id is all it takes to see it. */
export function checkoutPages(site: Site): void {
  const { blockSpacing, invoices, swaps, clock } = site.deps

  site.open('GET', '/i/:id', async request => {
    const invoice = await invoices.read(idOf(request))
    const swap = (await swaps.ofInvoices([invoice])).get(invoice.id)
    const ratherZec = queryOf(request).with === 'zec'
    // A swap under way is what the buyer pays with, unless its deposit is still to come and they would rather pay ZEC.
    if (swap && isPaying(invoice, swap, ratherZec, nowSecs(clock))) return depositPage(invoice, swap)
    const further = swaps.offered && otherAssets(invoice, swap)
    return checkoutPage({ invoice, further, spacingSecs: await blockSpacing.current() })
  })
}
