import { currencyDecimals } from '../../../domain/rate.ts'
import { EXPIRY_SECS } from '../../../domain/sale/invoice.ts'
import { type GivenTerms, type InvoiceBody, parseInvoiceBody } from '../../../domain/sale/invoice-request.ts'
import { parseMoney } from '../../../domain/sale/price.ts'
import { httpStatusOf, toAppError } from '../../../http/error.ts'
import { parseDecimal, parseZec } from '../../amount.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { type FormFields, formFields } from '../../forms.ts'
import { type NewInvoiceForm, newInvoicePage } from '../../pages/sale/new-invoice.ts'
import { plain } from '../../text/dashboard.ts'

export function newInvoicePages(site: Site): void {
  const { invoices, publicUrl, storeProfiles, withdrawals } = site.deps
  const units = [...new Set(['ZEC', ...withdrawals.currencies, 'USD', 'EUR'])]

  const show = (user: AuthenticatedUser, form: NewInvoiceForm, error?: string) => {
    const viewingKeySet = user.account.viewingKeyId !== null
    return newInvoicePage(site.pageUser(user), { viewingKeySet, units, form, ...(error !== undefined && { error }) })
  }

  site.page('GET', '/invoices/new', async (_request, _reply, user) => {
    const { currency, expiresInSecs } = await storeProfiles.ofAccountId(user.account.id)
    return show(user, {
      ...(currency !== null && units.includes(currency) && { unit: currency }),
      ...(expiresInSecs !== null && { expires_in_secs: String(expiresInSecs) }),
    })
  })

  site.page('POST', '/invoices', async (request, reply, user) => {
    const fields = formFields(request)
    const parsed = parseForm(fields, units)
    if (typeof parsed === 'string') {
      reply.code(400)
      return show(user, fields, parsed)
    }
    try {
      const order = parseInvoiceBody(orderOf(fields), '', publicUrl())
      const invoice = await invoices.create(user.account, { ...parsed, ...order, idempotencyKey: undefined })
      return reply.redirect(`/invoices/${invoice.publicId}`, 303)
    } catch (thrown) {
      const sentence = errorSentence(thrown)
      const error = toAppError(thrown)
      const hasNoRate = error.code === 'rate_unavailable'
      reply.code(hasNoRate ? httpStatusOf(error) : 400)
      return show(user, fields, hasNoRate ? plain('invoice_no_rate') : sentence)
    }
  })
}

function orderOf({ order_id = '', description = '' }: FormFields): InvoiceBody {
  return { ...(order_id !== '' && { order_id }), ...(description !== '' && { description }) }
}

/** The amount and the validity of the form, or the sentence that says what is wrong with them. */
function parseForm(
  fields: FormFields,
  units: readonly string[],
): string | (GivenTerms & { readonly expiresInSecs: number | undefined }) {
  const amount = parseAmount(fields, units)
  if (typeof amount === 'string') return amount
  if (fields.expires_in_secs === undefined) return { ...amount, expiresInSecs: undefined }
  const expiresInSecs = Number(fields.expires_in_secs)
  if (!Number.isInteger(expiresInSecs) || expiresInSecs < EXPIRY_SECS.min || expiresInSecs > EXPIRY_SECS.max)
    return plain('invoice_validity_error', { min: EXPIRY_SECS.min, max: EXPIRY_SECS.max })
  return { ...amount, expiresInSecs }
}

function parseAmount(fields: FormFields, units: readonly string[]): string | GivenTerms {
  const { amount = '', unit = 'ZEC', open_amount: open } = fields
  if (open !== undefined) {
    if (amount.trim() === '') return { openAmount: true }
    const minAmountZat = unit === 'ZEC' ? parseZec(amount) : null
    return minAmountZat === null ? plain('invoice_open_amount_error') : { openAmount: true, minAmountZat }
  }
  if (unit === 'ZEC') {
    const amountZat = parseZec(amount)
    return amountZat === null ? plain('amount_error') : { amountZat }
  }
  if (!units.includes(unit)) return plain('invoice_currency_error')
  const decimals = currencyDecimals(unit)
  const decimal = parseDecimal(amount, decimals)
  // More decimals than the currency has are as likely a separator of thousands: 1,000 EUR.
  return decimal === null ? moneyError(unit, decimals) : { price: parseMoney(decimal, unit) }
}

function moneyError(unit: string, decimals: number): string {
  if (decimals === 0) return plain('money_error_whole', { currency: unit })
  return plain('money_error', { currency: unit, count: decimals })
}
