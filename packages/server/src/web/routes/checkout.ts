import { checkoutPage } from '../pages/checkout.ts'
import type { Site } from '../site.ts'
import { idOf } from './invoices.ts'

/** The page that a buyer is sent to; the invoice's id is all it takes to see it. */
export function checkoutPages(site: Site): void {
  site.open('GET', '/i/:id', async request =>
    checkoutPage({ invoice: await site.deps.invoices.read(idOf(request.params)), further: null }),
  )
}
