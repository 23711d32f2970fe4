import { invalidField } from '../../../domain/error.ts'
import type { LinkTerms, PaymentLink } from '../../../domain/sale/payment-link.ts'
import { priceDecimals } from '../../../domain/sale/price.ts'
import { DAY_SECS, parseDay } from '../../../domain/time.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import { linkUrl } from '../../../http/routes/sale/payment-link.ts'
import { parseDecimal } from '../../amount.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { type FormFields, formFields, idParam, queryFields } from '../../forms.ts'
import {
  type LinkDetail,
  newLinkPage,
  paymentLinkDetailPage,
  paymentLinksPage,
} from '../../pages/sale/payment-link-list.ts'
import { pagerLinks, paginate } from '../../paginate.ts'
import { plain } from '../../text/dashboard.ts'

const PATH = '/links'
const PAGE_SIZE = 25

const FLASHES: ReadonlyMap<string, string> = new Map([
  ['created', plain('links_created')],
  ['saved', plain('links_saved')],
  ['paused', plain('links_was_paused')],
  ['resumed', plain('links_resumed')],
  ['revoked', plain('keypad_revoked')],
])

/** The payment links of a merchant. */
export function paymentLinkListPages(site: Site): void {
  const { paymentLinks, publicUrl, storeProfiles, withdrawals } = site.deps
  const units = [...new Set(['ZEC', ...withdrawals.currencies, 'USD', 'EUR'])]

  async function detail(user: AuthenticatedUser, link: PaymentLink, shown: Partial<LinkDetail> = {}) {
    const url = linkUrl(link, publicUrl())
    return paymentLinkDetailPage(site.pageUser(user), { link, url, units: unitsOf(link), ...shown })
  }
  const unitsOf = ({ currency }: PaymentLink) => [...new Set([...units, currency])]

  site.page('GET', PATH, async (request, _reply, user) => {
    const page = await paginate({
      size: PAGE_SIZE,
      place: queryFields(request),
      read: page => paymentLinks.list(user.account, page),
      idOf: link => link.publicId,
    })
    return paymentLinksPage(site.pageUser(user), { links: page.items, ...pagerLinks(PATH, page) })
  })

  site.page('GET', `${PATH}/new`, async (_request, _reply, user) => {
    const { currency } = await storeProfiles.ofAccountId(user.account.id)
    const form = { currency: currency !== null && units.includes(currency) ? currency : 'ZEC' }
    return newLinkPage(site.pageUser(user), { units, form })
  })

  site.page('POST', PATH, async (request, reply, user) => {
    const form = formFields(request)
    try {
      const { publicId } = await paymentLinks.create(user.account, parseForm(form), publicUrl(), user.actor)
      return reply.redirect(`${PATH}/${publicId}?done=created`, 303)
    } catch (thrown) {
      const error = errorSentence(thrown)
      reply.code(httpStatusOf(toAppError(thrown)))
      return newLinkPage(site.pageUser(user), { units, form, error })
    }
  })

  site.page('GET', `${PATH}/:id`, async (request, _reply, user) => {
    const link = await paymentLinks.read(user.account, idParam(request))
    const flash = FLASHES.get(queryFields(request).done ?? '')
    return detail(user, link, flash === undefined ? {} : { flash })
  })

  site.page('POST', `${PATH}/:id`, async (request, reply, user) => {
    const form = formFields(request)
    const link = await paymentLinks.read(user.account, idParam(request))
    try {
      await paymentLinks.change(user.account, link.publicId, parseForm(form), publicUrl(), user.actor)
      return reply.redirect(`${PATH}/${link.publicId}?done=saved`, 303)
    } catch (thrown) {
      const error = errorSentence(thrown)
      reply.code(httpStatusOf(toAppError(thrown)))
      return detail(user, link, { form, error })
    }
  })

  for (const [action, paused, done] of [
    ['pause', true, 'paused'],
    ['resume', false, 'resumed'],
  ] as const)
    site.page('POST', `${PATH}/:id/${action}`, async (request, reply, user) => {
      const { publicId } = await paymentLinks.change(
        user.account,
        idParam(request),
        { paused },
        publicUrl(),
        user.actor,
      )
      return reply.redirect(`${PATH}/${publicId}?done=${done}`, 303)
    })

  site.page('POST', `${PATH}/:id/keypad`, async (request, reply, user) => {
    const link = await paymentLinks.read(user.account, idParam(request))
    try {
      const secret = await paymentLinks.createKeypad(user.account, link.publicId, user.actor)
      const created = await paymentLinks.read(user.account, link.publicId)
      return detail(user, created, { keypadUrl: `${publicUrl()}/pos/${secret}` })
    } catch (thrown) {
      const error = errorSentence(thrown)
      reply.code(httpStatusOf(toAppError(thrown)))
      return detail(user, link, { error })
    }
  })

  site.page('POST', `${PATH}/:id/keypad/revoke`, async (request, reply, user) => {
    const { publicId } = await paymentLinks.read(user.account, idParam(request))
    await paymentLinks.revokeKeypad(user.account, publicId, user.actor)
    return reply.redirect(`${PATH}/${publicId}?done=revoked`, 303)
  })
}

/** @throws AppError `invalid_<field>` */
function parseForm(form: FormFields): LinkTerms {
  const text = (name: string) => (form[name] ?? '').trim() || null
  const currency = form.currency ?? ''
  const decimals = /^[A-Z]{3,4}$/.test(currency) ? priceDecimals(currency) : 0
  const decimal = (name: string, value: string) => {
    const parsed = parseDecimal(value, decimals)
    if (parsed === null)
      throw invalidField(name, `a number above 0 with at most ${decimals} decimal places; write 1000, not 1,000`)
    return parsed
  }
  const amount = (name: string) => {
    const value = text(name)
    return value === null ? null : decimal(name, value)
  }
  const isOpen = form.kind === 'open'
  if (!isOpen && text('amount') === null) throw invalidField('amount', 'the price, or let the buyer choose')
  const stock = text('stock')
  const lastDay = text('last_day')
  const day = lastDay === null ? null : parseDay(lastDay)
  if (lastDay !== null && day === null) throw invalidField('last_day', 'a date, such as 2026-12-31')
  const fields = [1, 2, 3, 4, 5].flatMap(number => {
    const label = text(`label_${number}`)
    return label === null ? [] : [{ label, required: form[`required_${number}`] !== undefined }]
  })
  return {
    title: (form.title ?? '').trim(),
    description: text('description'),
    currency,
    amount: isOpen ? null : amount('amount'),
    minAmount: isOpen ? amount('min_amount') : null,
    suggestedAmounts: isOpen
      ? (text('suggested_amounts') ?? '')
          .split(/\s+/)
          .filter(Boolean)
          .map(part => decimal('suggested_amounts', part))
      : [],
    stock: stock === null ? null : Number(stock),
    // Until the end of the day, in UTC.
    endsAt: day === null ? null : day + DAY_SECS,
    fields,
    successUrl: text('success_url'),
  }
}
