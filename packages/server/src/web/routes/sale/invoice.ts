import { AppError } from '../../../domain/error.ts'
import { INVOICE_STATUSES, type Invoice, paymentRequest } from '../../../domain/sale/invoice.ts'
import { paymentUri } from '../../../domain/sale/payment-uri.ts'
import { withoutUnprintable } from '../../../domain/text.ts'
import { DAY_SECS, parseDay } from '../../../domain/time.ts'
import { toAppError } from '../../../http/error.ts'
import { checkoutUrl } from '../../../http/routes/sale/invoice.ts'
import { nowSecs } from '../../../ports/clock.ts'
import type { InvoiceFilter } from '../../../ports/repository/sale/invoice.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import { swapCard } from '../../components/sale/swap.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { type FormFields, idParam, queryFields } from '../../forms.ts'
import type { Html } from '../../html.ts'
import { invoicePage } from '../../pages/sale/invoice.ts'
import { FLAG_FILTERS, invoicesPage } from '../../pages/sale/invoice-list.ts'
import { paginate } from '../../paginate.ts'

const PAGE_SIZE = 25
const DEMO_DONATION_ZAT = 1_000_000n
const FLAGS = Object.keys(FLAG_FILTERS) as (keyof typeof FLAG_FILTERS)[]

export function invoicePages(site: Site): void {
  const { blockSpacing, cancellations, clock, dashboard, invoices, sandboxTools, publicUrl, swaps } = site.deps

  site.page('GET', '/invoices', async (request, _reply, user) => {
    const query = queryFields(request)
    const { q = '', from = '', to = '', before } = query
    const search = withoutUnprintable(q)
    const filter = filterOf(query)
    const status = [...INVOICE_STATUSES, ...FLAGS].find(name => name === query.status) ?? null
    const shown = { search, status, from, to }
    if (search !== '') {
      const found = await dashboard.search(user.account, search)
      return invoicesPage(site.pageUser(user), { ...shown, invoices: found, newest: null, older: null })
    }
    const { items, olderThan } = await paginate({
      size: PAGE_SIZE,
      before,
      read: page => invoices.list(user.account, page, filter),
      publicId: invoice => invoice.publicId,
    })
    return invoicesPage(site.pageUser(user), {
      ...shown,
      invoices: items,
      newest: before === undefined ? null : linkTo(query, undefined),
      older: olderThan && linkTo(query, olderThan),
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

function filterOf({ status, from = '', to = '' }: FormFields): InvoiceFilter {
  const flag = FLAGS.find(name => name === status)
  const known = INVOICE_STATUSES.find(name => name === status)
  const createdFrom = parseDay(from)
  const lastDay = parseDay(to)
  return {
    ...(known === undefined ? {} : { statuses: [known] }),
    ...(flag === undefined ? {} : FLAG_FILTERS[flag].filter),
    ...(createdFrom === null ? {} : { createdFrom }),
    ...(lastDay === null ? {} : { createdTo: lastDay + DAY_SECS }),
  }
}

function linkTo({ status, from, to }: FormFields, before: string | undefined): string {
  const parameters = Object.entries({ status, from, to, before }).filter(([, value]) => value)
  const query = new URLSearchParams(parameters as [string, string][]).toString()
  return query === '' ? '/invoices' : `/invoices?${query}`
}
