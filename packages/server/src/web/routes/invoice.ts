import { noSuch } from '../../domain/error.ts'
import { EXPIRY_SECS, INVOICE_STATUSES } from '../../domain/invoice.ts'
import { paymentUri } from '../../domain/payment-uri.ts'
import { DAY_SECS, readDay } from '../../domain/time.ts'
import type { InvoiceFilter } from '../../ports/repository/invoice.ts'
import { nowSecs } from '../../ports.ts'
import { readZec } from '../amount.ts'
import { type Fields, formOf, idOf, queryOf } from '../forms.ts'
import { invoicePage } from '../pages/invoice.ts'
import { ATTENTION, invoicesPage } from '../pages/invoice-list.ts'
import { newInvoicePage } from '../pages/new-invoice.ts'
import { swapCard } from '../pages/swap.ts'
import { type Site, sentence } from '../site.ts'

const PAGE = 25

export function invoicePages(site: Site): void {
  const { blockSpacing, clock, dashboard, invoices, playground, publicUrl, swaps } = site.deps

  site.page('GET', '/invoices', async (request, _reply, who) => {
    const query = queryOf(request)
    const { q: search = '', from = '', to = '', before } = query
    const filter = filterOf(query)
    const status = filter.needsAttention ? ATTENTION : (filter.status ?? null)
    const shown = { search, status, from, to }
    if (search.trim() !== '') {
      const found = await dashboard.search(who.account, search)
      return invoicesPage(site.viewer(who), { ...shown, invoices: found, newest: null, older: null })
    }
    const page = { limit: PAGE + 1, ...(before === undefined ? {} : { before: before.toLowerCase() }) }
    const found = await invoices.list(who.account, page, filter)
    const last = found.length > PAGE ? found[PAGE - 1] : undefined
    return invoicesPage(site.viewer(who), {
      ...shown,
      invoices: found.slice(0, PAGE),
      newest: before === undefined ? null : linkTo(query, undefined),
      older: last ? linkTo(query, last.publicId) : null,
    })
  })

  site.page('GET', '/invoices/new', async (_request, _reply, who) =>
    newInvoicePage(site.viewer(who), { viewingKeySet: who.account.viewingKeyId !== null }),
  )

  site.page('POST', '/invoices', async (request, reply, who) => {
    const { amount = '', expires_in_secs: expiry = String(EXPIRY_SECS.usual) } = formOf(request)
    const again = (error: string) => {
      reply.code(400)
      const viewingKeySet = who.account.viewingKeyId !== null
      return newInvoicePage(site.viewer(who), { viewingKeySet, amount, expiresInSecs: expiry, error })
    }
    const amountZat = readZec(amount)
    if (amountZat === null) return again('The amount should be in ZEC, more than 0, with at most eight decimals.')
    const expiresInSecs = Number(expiry)
    if (!Number.isInteger(expiresInSecs) || expiresInSecs < EXPIRY_SECS.least || expiresInSecs > EXPIRY_SECS.most)
      return again(`An invoice is valid for ${EXPIRY_SECS.least} to ${EXPIRY_SECS.most} seconds.`)
    try {
      const made = await invoices.create(who.account, { amountZat, expiresInSecs, idempotencyKey: undefined })
      return reply.redirect(`/invoices/${made.publicId}`, 303)
    } catch (fault) {
      return again(sentence(fault))
    }
  })

  site.page('GET', '/invoices/:id', async (request, _reply, who) => {
    const detail = await dashboard.invoice(who.account, idOf(request))
    const { id, status, receivedZat, publicId, watchUntil } = detail.invoice
    const swap = (await swaps.ofInvoices([detail.invoice])).get(id)
    return invoicePage(site.viewer(who), {
      ...detail,
      spacingSecs: await blockSpacing.current(),
      watched: nowSecs(clock) <= watchUntil,
      checkoutUrl: `${publicUrl()}/i/${publicId}`,
      payable: playground !== null && status === 'pending' && receivedZat === 0n,
      further: swapCard(detail.invoice, swap),
    })
  })

  site.page('POST', '/invoices/:id/sandbox-payment', async (request, reply, who) => {
    const { invoice } = await dashboard.invoice(who.account, idOf(request))
    if (!playground) throw noSuch('page')
    await playground.pay(paymentUri(invoice.address, invoice.amountZat, invoice.publicId))
    return reply.redirect(`/invoices/${invoice.publicId}`, 303)
  })
}

function filterOf({ status, from = '', to = '' }: Fields): InvoiceFilter {
  const known = INVOICE_STATUSES.find(one => one === status)
  const createdFrom = readDay(from)
  const lastDay = readDay(to)
  return {
    ...(known === undefined ? {} : { status: known }),
    ...(status === ATTENTION ? { needsAttention: true } : {}),
    ...(createdFrom === null ? {} : { createdFrom }),
    ...(lastDay === null ? {} : { createdTo: lastDay + DAY_SECS }),
  }
}

function linkTo({ status, from, to }: Fields, before: string | undefined): string {
  const given = Object.entries({ status, from, to, before }).filter(([, value]) => value)
  const query = new URLSearchParams(given as [string, string][]).toString()
  return query === '' ? '/invoices' : `/invoices?${query}`
}
