import { AppError } from '../../../domain/error.ts'
import { type Invoice, paymentRequest } from '../../../domain/sale/invoice.ts'
import { paymentUri } from '../../../domain/sale/payment-uri.ts'
import { withoutUnprintable } from '../../../domain/text.ts'
import { toAppError } from '../../../http/error.ts'
import { checkoutUrl } from '../../../http/routes/sale/invoice.ts'
import { nowSecs } from '../../../ports/clock.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import { swapCard } from '../../components/sale/swap.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { formToken } from '../../form-token.ts'
import { idParam, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import { invoiceFilter, statusIn } from '../../invoice-filter.ts'
import { invoicePage } from '../../pages/sale/invoice.ts'
import { invoicesPage } from '../../pages/sale/invoice-list.ts'
import { pagerLinks, paginate } from '../../paginate.ts'

const PAGE_SIZE = 25
const DEMO_DONATION_ZAT = 1_000_000n

export function invoicePages(site: Site): void {
  const { blockSpacing, cancellations, clock, dashboard, invoices, keyedHash, sandboxTools, publicUrl, swaps } =
    site.deps

  site.page('GET', '/invoices', async (request, _reply, user) => {
    const query = queryFields(request)
    const { q = '', from = '', to = '' } = query
    const search = withoutUnprintable(q)
    const filter = invoiceFilter(query)
    const status = statusIn(query)
    const shown = { search, status, from, to, token: formToken(keyedHash, user.session) }
    if (search !== '') {
      const found = await dashboard.search(user.account, search)
      return invoicesPage(site.pageUser(user), { ...shown, invoices: found, totals: null, older: null })
    }
    const [page, totals] = await Promise.all([
      paginate({
        size: PAGE_SIZE,
        place: query,
        read: page => invoices.list(user.account, page, filter),
        idOf: invoice => invoice.publicId,
      }),
      dashboard.totals(user.account, filter),
    ])
    return invoicesPage(site.pageUser(user), {
      ...shown,
      invoices: page.items,
      totals,
      ...pagerLinks('/invoices', page, { status: query.status ?? '', from, to }),
    })
  })

  async function detailPage(user: AuthenticatedUser, publicId: string, error?: string): Promise<Html> {
    const detail = await dashboard.invoice(user.account, publicId)
    const { id, status, receivedZat, watchUntil } = detail.invoice
    const swap = (await swaps.currentByInvoice([detail.invoice])).get(id)
    return invoicePage(site.pageUser(user), {
      ...detail,
      spacingSecs: await blockSpacing.current(),
      watched: nowSecs(clock) <= watchUntil,
      checkoutUrl: checkoutUrl(detail.invoice, publicUrl()),
      payable: sandboxTools !== null && status === 'pending' && receivedZat === 0n,
      extra: swapCard(detail.invoice, swap),
      ...(error !== undefined && { error }),
    })
  }

  site.page('GET', '/invoices/:id', (request, _reply, user) => detailPage(user, idParam(request)))

  site.page('POST', '/invoices/:id/cancel', async (request, reply, user) => {
    const publicId = idParam(request)
    try {
      await cancellations.cancel(user.account, publicId)
      return reply.redirect(`/invoices/${publicId}`, 303)
    } catch (error) {
      if (toAppError(error).code !== 'invoice_not_cancelable') throw error
      reply.code(409)
      return detailPage(user, publicId, errorSentence(error))
    }
  })

  site.page('POST', '/invoices/:id/sandbox-payment', async (request, reply, user) => {
    const { invoice } = await dashboard.invoice(user.account, idParam(request))
    if (!sandboxTools) throw new AppError('no_such_page')
    await sandboxTools.pay(sandboxRequest(invoice))
    return reply.redirect(`/invoices/${invoice.publicId}`, 303)
  })
}

/** The payment request of an invoice. The demo wallet does not choose an amount. */
function sandboxRequest(invoice: Invoice): string {
  const { openAmount, amountZat, address, publicId } = invoice
  if (!openAmount) return paymentRequest(invoice)
  return paymentUri(address, amountZat > DEMO_DONATION_ZAT ? amountZat : DEMO_DONATION_ZAT, publicId)
}
