import { checkoutState } from '../../../domain/sale/checkout.ts'
import { hasDeposit } from '../../../domain/sale/swap.ts'
import { nowSecs } from '../../../ports/clock.ts'
import { invoiceView } from '../../buyer.ts'
import { swapNotice } from '../../components/sale/swap-notice.ts'
import { otherAssets } from '../../components/sale/swap-ways.ts'
import type { Site } from '../../context.ts'
import { idParam, queryFields } from '../../forms.ts'
import { checkoutPage } from '../../pages/sale/checkout.ts'
import { isShown, swapDepositPage } from '../../pages/sale/swap.ts'

/** The page that a buyer pays on, and the same for a frame of the shop's page. The invoice id is its access token. */
export function checkoutPages(site: Site): void {
  const { blockSpacing, invoices, publicInvoices, readiness, swaps, clock } = site.deps

  for (const embedded of [false, true]) {
    site.publicPage('GET', { path: embedded ? '/i/:id/embed' : '/i/:id', embedded }, async request => {
      const query = queryFields(request)
      const invoice = await publicInvoices.read(idParam(request))
      const view = await invoiceView(site.deps, request, invoice, { embedded })
      const { links } = view
      const current = (await swaps.currentByInvoice([invoice])).get(invoice.id)
      const own = query.swap === undefined ? null : await swaps.ofInvoice(invoice, query.swap)
      const now = nowSecs(clock)
      const isChainSeen = await readiness.isChainSeen()
      // A swap that the buyer has not asked for by its id may be anyone's who has the invoice id.
      const foreign = current && current.id !== own?.id && isShown(invoice, current, now) ? current : null
      const shown = { ...view, isChainSeen, now }
      if (own && isShown(invoice, own, now) && (query.with !== 'zec' || hasDeposit(own.status)))
        return swapDepositPage({ ...shown, swap: own, foreign, showsDeposit: true })
      // Otherwise a stranger's small deposit would keep the buyer from paying.
      const paysInZec = query.with === 'zec' && foreign?.status === 'INCOMPLETE_DEPOSIT'
      if (foreign && hasDeposit(foreign.status) && !paysInZec)
        return swapDepositPage({ ...shown, swap: foreign, foreign: null, showsDeposit: false })
      const swap = own ?? current
      // A swap without a deposit concerns only the buyer who started it.
      const isTold = swap && swap !== foreign && (swap === own || swap.status !== 'PENDING_DEPOSIT')
      const state = checkoutState(invoice, now)
      return checkoutPage({
        ...shown,
        swap,
        notice: isTold && swapNotice(view.text, invoice, swap, now),
        ways:
          swaps.offered &&
          !invoice.openAmount &&
          state === 'payable' &&
          otherAssets(view.text, { invoice, swap, links, foreign }),
        spacingSecs: await blockSpacing.current(),
        ...(state === 'confirming' && { confirmed: await invoices.confirmationsOf(invoice) }),
      })
    })
  }
}
