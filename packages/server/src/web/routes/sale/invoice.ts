import { AppError } from '../../../domain/error.ts'
import { EXPIRY_SECS, INVOICE_STATUSES, paymentRequest } from '../../../domain/sale/invoice.ts'
import { parseInvoiceBody } from '../../../domain/sale/invoice-request.ts'
import { withoutUnprintable } from '../../../domain/text.ts'
import { DAY_SECS, parseDay } from '../../../domain/time.ts'
import { nowSecs } from '../../../ports/clock.ts'
import type { InvoiceFilter } from '../../../ports/repository/sale/invoice.ts'
import { AMOUNT_ERROR, parseZec } from '../../amount.ts'
import { OVERPAID_FILTER } from '../../components/sale/overpaid.ts'
import { swapCard } from '../../components/sale/swap.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { type FormFields, formFields, idParam, queryFields } from '../../forms.ts'
import { invoicePage } from '../../pages/sale/invoice.ts'
import { ATTENTION_FILTER, invoicesPage } from '../../pages/sale/invoice-list.ts'
import { newInvoicePage } from '../../pages/sale/new-invoice.ts'
import { paginate } from '../../paginate.ts'

const PAGE_SIZE = 25
const STATUS_FILTERS = [...INVOICE_STATUSES, ATTENTION_FILTER, OVERPAID_FILTER] as const

export function invoicePages(site: Site): void {
  const { blockSpacing, clock, dashboard, invoices, sandboxTools, publicUrl, swaps } = site.deps

  site.page('GET', '/invoices', async (request, _reply, user) => {
    const query = queryFields(request)
    const { q = '', from = '', to = '', before } = query
    const search = withoutUnprintable(q)
    const filter = filterOf(query)
    const status = STATUS_FILTERS.find(name => name === query.status) ?? null
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

  site.page('GET', '/invoices/new', async (_request, _reply, user) =>
    newInvoicePage(site.pageUser(user), { viewingKeySet: user.account.viewingKeyId !== null }),
  )

  site.page('POST', '/invoices', async (request, reply, user) => {
    const fields = formFields(request)
    const { amount = '', expires_in_secs: expiry = String(EXPIRY_SECS.default) } = fields
    const { order_id: orderId = '', description = '' } = fields
    const showForm = (error: string) => {
      reply.code(400)
      const viewingKeySet = user.account.viewingKeyId !== null
      return newInvoicePage(site.pageUser(user), {
        viewingKeySet,
        amount,
        orderId,
        description,
        expiresInSecs: expiry,
        error,
      })
    }
    const amountZat = parseZec(amount)
    if (amountZat === null) return showForm(AMOUNT_ERROR)
    const expiresInSecs = Number(expiry)
    if (!Number.isInteger(expiresInSecs) || expiresInSecs < EXPIRY_SECS.min || expiresInSecs > EXPIRY_SECS.max)
      return showForm(`An invoice can be valid for ${EXPIRY_SECS.min} to ${EXPIRY_SECS.max} seconds.`)
    try {
      const order = { ...(orderId !== '' && { order_id: orderId }), ...(description !== '' && { description }) }
      const given = parseInvoiceBody(order, '', true)
      const request = { ...given, amountZat, expiresInSecs, idempotencyKey: undefined }
      const invoice = await invoices.create(user.account, request)
      return reply.redirect(`/invoices/${invoice.publicId}`, 303)
    } catch (error) {
      return showForm(errorSentence(error))
    }
  })

  site.page('GET', '/invoices/:id', async (request, _reply, user) => {
    const detail = await dashboard.invoice(user.account, idParam(request))
    const { id, status, receivedZat, publicId, watchUntil } = detail.invoice
    const swap = (await swaps.currentByInvoice([detail.invoice])).get(id)
    return invoicePage(site.pageUser(user), {
      ...detail,
      spacingSecs: await blockSpacing.current(),
      watched: nowSecs(clock) <= watchUntil,
      checkoutUrl: `${publicUrl()}/i/${publicId}`,
      payable: sandboxTools !== null && status === 'pending' && receivedZat === 0n,
      extra: swapCard(detail.invoice, swap),
    })
  })

  site.page('POST', '/invoices/:id/sandbox-payment', async (request, reply, user) => {
    const { invoice } = await dashboard.invoice(user.account, idParam(request))
    if (!sandboxTools) throw new AppError('no_such_page')
    await sandboxTools.pay(paymentRequest(invoice))
    return reply.redirect(`/invoices/${invoice.publicId}`, 303)
  })
}

function filterOf({ status, from = '', to = '' }: FormFields): InvoiceFilter {
  const known = INVOICE_STATUSES.find(name => name === status)
  const createdFrom = parseDay(from)
  const lastDay = parseDay(to)
  return {
    ...(known === undefined ? {} : { status: known }),
    ...(status === ATTENTION_FILTER ? { needsAttention: true } : {}),
    ...(status === OVERPAID_FILTER ? { overpaid: true } : {}),
    ...(createdFrom === null ? {} : { createdFrom }),
    ...(lastDay === null ? {} : { createdTo: lastDay + DAY_SECS }),
  }
}

function linkTo({ status, from, to }: FormFields, before: string | undefined): string {
  const parameters = Object.entries({ status, from, to, before }).filter(([, value]) => value)
  const query = new URLSearchParams(parameters as [string, string][]).toString()
  return query === '' ? '/invoices' : `/invoices?${query}`
}
