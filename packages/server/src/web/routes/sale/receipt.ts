import type { FastifyRequest } from 'fastify'
import { RECEIPT_MAILS } from '../../../domain/notify/receipt-mail.ts'
import { hasReceipt } from '../../../domain/sale/receipt.ts'
import { invoiceView } from '../../buyer.ts'
import { checkoutLinks } from '../../components/sale/checkout-links.ts'
import { receiptMail } from '../../components/sale/receipt-mail.ts'
import type { Site } from '../../context.ts'
import { formFields, idParam, queryFields } from '../../forms.ts'
import { html } from '../../html.ts'
import { receiptPage } from '../../pages/sale/receipt.ts'

const STATUS = { wrong_address: 400, invoice_limit: 429, account_limit: 429 } as const

/** The receipt of a paid invoice, to print or to mail. Without a receipt it redirects to the checkout. */
export function receiptPages(site: Site): void {
  const { publicInvoices, receiptMails, receipts, publicUrl } = site.deps

  /** `payments` is null without a receipt. */
  async function viewFor(request: FastifyRequest) {
    const invoice = await publicInvoices.read(idParam(request))
    const view = await invoiceView(site.deps, request, invoice, { embedded: false })
    const payments = hasReceipt(invoice) ? await receipts.paymentsOf(invoice) : null
    return { ...view, inLanguage: view.links.receiptInLanguage, payments, isMailed: receiptMails.offered }
  }

  site.publicPage('GET', '/i/:id/receipt', async (request, reply) => {
    const { payments, ...view } = await viewFor(request)
    if (payments === null) return reply.redirect(view.links.checkout, 303)
    const isQueued = queryFields(request).mailed !== undefined
    return receiptPage({
      ...view,
      payments,
      notice: isQueued && html`<p class="flash" role="status">${view.text.say('receipt_mailed')}</p>`,
    })
  })

  site.publicPage('POST', { path: '/i/:id/receipt/mail', rate: 'receipt-mail' }, async (request, reply) => {
    const { payments, ...view } = await viewFor(request)
    const { text, invoice, links } = view
    if (payments === null || !receiptMails.offered) return reply.redirect(links.receipt, 303)
    const entered = formFields(request).email ?? ''
    // The query of this page can come from anyone, and is not mailed.
    const path = checkoutLinks(invoice.publicId).receiptInLanguage(text.locale)
    const mail = receiptMail({ ...view, payments }, `${publicUrl()}${path}`)
    const outcome = await receiptMails.send(invoice, entered, mail)
    if (outcome === 'queued') return reply.redirect(links.receiptMailed, 303)
    reply.code(STATUS[outcome])
    if (outcome === 'wrong_address') return receiptPage({ ...view, payments, entered })
    const why =
      outcome === 'invoice_limit'
        ? text.say('receipt_mail_limit', { count: RECEIPT_MAILS.perInvoice })
        : text.say('receipt_mail_busy')
    return receiptPage({ ...view, payments, notice: html`<p class="error" role="alert">${why}</p>` })
  })
}
