import type { FastifyRequest } from 'fastify'
import { pageLocale } from '../../../domain/locale.ts'
import type { PaymentLink } from '../../../domain/sale/payment-link.ts'
import { priceDecimals } from '../../../domain/sale/price.ts'
import { clientPrefix } from '../../../http/client-prefix.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import { parseDecimal } from '../../amount.ts'
import { buyerView } from '../../buyer.ts'
import { checkoutLinks, embeddingOf } from '../../components/sale/checkout-links.ts'
import type { Site } from '../../context.ts'
import { type FormFields, formFields, idParam, queryFields } from '../../forms.ts'
import { type LinkProblem, paymentLinkPage } from '../../pages/sale/payment-link.ts'

/** The page of a payment link, and the same for a frame of the shop's page. */
export function paymentLinkPages(site: Site): void {
  const { linkSales, random } = site.deps

  async function shownFor(request: FastifyRequest, embedded: boolean) {
    const query = queryFields(request)
    const { link, closed } = await linkSales.read(idParam(request))
    const embedding = embedded ? embeddingOf(query) : null
    const view = await buyerView(site.deps, request, {
      accountId: link.accountId,
      embedding,
      chosen: query.lang,
      inLanguage: locale => `?${new URLSearchParams({ ...query, lang: locale })}`,
    })
    return { ...view, link, closed, formId: random.uuid() }
  }

  for (const embedded of [false, true]) {
    const path = embedded ? '/l/:id/embed' : '/l/:id'

    site.publicPage('GET', { path, embedded }, async request => paymentLinkPage(await shownFor(request, embedded)))

    site.publicPage('POST', { path, embedded, rate: 'link' }, async (request, reply) => {
      const shown = await shownFor(request, embedded)
      const { link, embedding, text } = shown
      const form = formFields(request)
      try {
        const invoice = await linkSales.order(link.publicId, {
          amount: amountOf(form, link),
          answers: link.fields.map((_, index) => form[`field_${index + 1}`] ?? ''),
          formId: form.form ?? '',
          client: clientPrefix(request.ip),
          locale: text.locale,
        })
        const chosenLocale = pageLocale(queryFields(request).lang ?? '')
        const placement = { embedding, returnTo: null, swapId: null, chosenLocale }
        return reply.redirect(checkoutLinks(invoice.publicId, placement).checkout, 303)
      } catch (thrown) {
        const error = toAppError(thrown)
        const { retryAfterSecs } = error
        if (error.kind === 'internal' || error.code === 'no_such_payment_link') throw thrown
        reply.code(httpStatusOf(error))
        if (retryAfterSecs !== undefined) reply.header('retry-after', retryAfterSecs)
        // A buyer may have bought the last unit meanwhile.
        const isClosed = error.code === 'payment_link_closed'
        const now = isClosed ? await shownFor(request, embedded) : shown
        return paymentLinkPage({ ...now, form, ...(!isClosed && { problem: problemOf(error.code, shown.link) }) })
      }
    })
  }
}

/** A suggested amount, or what the buyer typed; empty for text that is no amount. */
function amountOf({ suggested, amount = '' }: FormFields, { currency }: PaymentLink): string {
  return suggested ?? parseDecimal(amount, priceDecimals(currency)) ?? ''
}

/** A link with a price has no field for the amount: at the present rate it can be below the least amount. */
function problemOf(code: string, { amount }: Pick<PaymentLink, 'amount'>): LinkProblem {
  const field = /^invalid_(amount|field_\d+)$/.exec(code)?.[1]
  if (field !== undefined && (field !== 'amount' || amount === null)) return { field }
  return code === 'payment_link_busy' ? 'link_busy' : 'link_unavailable'
}
