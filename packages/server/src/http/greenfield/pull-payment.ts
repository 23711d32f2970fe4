import type { Account } from '../../domain/account/account.ts'
import { AppError } from '../../domain/error.ts'
import { formatZec } from '../../domain/money.ts'
import {
  invoiceAmount,
  invoiceCurrency,
  isPaymentMethod,
  PAYMENT_METHOD,
  valueInCurrency,
} from '../../domain/sale/greenfield-invoice.ts'
import {
  orderWords,
  planOfPrice,
  REFUND_VARIANTS,
  type RefundPlan,
  type RefundVariant,
  refundPlan,
} from '../../domain/sale/greenfield-refund.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { isPriceCurrency, type Price, parseMoney, priceDecimals, rateCurrencyOf } from '../../domain/sale/price.ts'
import { REFUND_FIELDS, type Refund } from '../../domain/sale/refund.ts'
import { isPrintable } from '../../domain/text.ts'
import type { Rates } from '../../ports/rate.ts'
import type { GreenfieldInvoices } from '../../services/sale/greenfield-invoice.ts'
import { priced } from '../../services/sale/invoice-request.ts'
import type { Refunds } from '../../services/sale/refund.ts'
import type { RefundLinks } from '../../services/sale/refund-link.ts'
import type { App } from '../app.ts'
import { actorOf } from '../auth.ts'
import { refundUrl } from '../routes/sale/refund.ts'
import { type GreenfieldRequest, publicRoute, route } from './dialect.ts'
import { FieldErrors, refuse } from './error.ts'
import { type Members, Reader } from './read.ts'

const STORE = '/api/v1/stores/:storeId'
const CREATE = {
  permissions: ['btcpay.store.cancreatenonapprovedpullpayments', 'btcpay.store.cancreatepullpayments'],
  rate: 'session',
} as const
const MAX_LISTED = 200

interface Deps {
  readonly refunds: Refunds
  readonly refundLinks: Pick<RefundLinks, 'read'>
  readonly greenfieldInvoices: GreenfieldInvoices
  readonly rates: Rates
  readonly publicUrl: () => string
}

/** A pull payment of BTCPay is a refund here: an order that the merchant's wallet pays, to an address of the buyer. */
export function pullPaymentRoutes(scope: App, deps: Deps): void {
  const { refunds, refundLinks, greenfieldInvoices, rates, publicUrl } = deps

  const shown = (refund: Refund, given: Given = {}) => presentPullPayment(refund, given, publicUrl())

  async function create({ account, raw }: GreenfieldRequest, invoice: Invoice, plan: RefundPlan, given: Given) {
    const { name = '' } = given
    const isLine = name.trim() !== '' && isPrintable(name) && name.length <= REFUND_FIELDS.reason.request.maxLength
    const request = { ...plan, ...(isLine && { reason: name }), idempotencyKey: undefined }
    const { refund } = await refunds.create(account, invoice.publicId, request, actorOf(raw))
    return shown(refund, given)
  }

  route(scope, 'POST', `${STORE}/pull-payments`, CREATE, async request => {
    const { account, body, text } = request
    const read = new Reader()
    const name = read.text(body, 'name') ?? ''
    const price = readPrice(read, body, text, ['amount', 'currency'])
    requireMethod(read, body)
    refuse(read.errors)
    const invoice = await invoiceOfName(greenfieldInvoices, account, name)
    return create(request, invoice, planOfPrice(invoice, price!), givenOf(read, body))
  })

  route(
    scope,
    'POST',
    [`${STORE}/invoices/:invoiceId/refund`, '/api/v1/invoices/:invoiceId/refund'],
    CREATE,
    async request => {
      const { account, body, text, params } = request
      const invoice = await greenfieldInvoices.read(account, params.invoiceId ?? '')
      const plan = readPlan(body, text, invoice)
      return create(request, invoice, plan, givenOf(new Reader(), body))
    },
  )

  route(
    scope,
    'GET',
    [`${STORE}/invoices/:invoiceId/refund/:method`, '/api/v1/invoices/:invoiceId/refund/:method'],
    CREATE,
    async ({ account, params }) => {
      const invoice = await greenfieldInvoices.read(account, params.invoiceId ?? '')
      return refundChoices(invoice, rates)
    },
  )

  route(
    scope,
    'GET',
    `${STORE}/pull-payments`,
    { permissions: ['btcpay.store.canviewpullpayments', ...CREATE.permissions], rate: 'list' },
    async ({ account, query, body }) => {
      const read = new Reader()
      const [asked = body.includeArchived] = query.includeArchived ?? []
      const includesArchived = read.flag({ asked }, 'asked') ?? false
      const listed = await refunds.list(account, { limit: MAX_LISTED }, undefined, 'hidden')
      const wanted = listed.filter(({ refund }) => includesArchived || refund.status !== 'canceled')
      return wanted.map(({ refund }) => shown(refund))
    },
  )

  publicRoute(scope, '/api/v1/pull-payments/:pullPaymentId', async ({ pullPaymentId = '' }) =>
    // The reason is the merchant's own note.
    shown((await refundLinks.read(pullPaymentId)).refund, { name: '' }),
  )

  route(
    scope,
    'DELETE',
    [`${STORE}/pull-payments/:pullPaymentId`, '/api/v1/pull-payments/:pullPaymentId'],
    { permissions: ['btcpay.store.canarchivepullpayments'], rate: 'session' },
    async ({ account, params, raw }) => {
      const { refund } = await refundLinks.read(params.pullPaymentId ?? '')
      if (refund.accountId !== account.id) throw new AppError('no_such_refund')
      await refunds.cancel(account, refund.publicId, actorOf(raw))
      return undefined
    },
  )
}

/** The name and the description that the client gave, which the response repeats. */
interface Given {
  readonly name?: string
  readonly description?: string
}

function givenOf(read: Reader, body: Members): Given {
  return { name: read.text(body, 'name') ?? '', description: read.text(body, 'description') ?? '' }
}

/** `BTC` in a refund is what plugins without another choice send: the store's only method is meant. */
function requireMethod(read: Reader, body: Members): void {
  for (const name of ['payoutMethods', 'payoutMethodId', 'paymentMethods', 'paymentMethod']) {
    const methods = read.texts(body, name) ?? []
    if (methods.length > 0 && !methods.some(text => isPaymentMethod(text) || /^btc\b|^btc_/i.test(text)))
      read.fail(name, `this store has one method, ${PAYMENT_METHOD}`)
  }
}

/** @returns null when something is missing or wrong, which is noted */
function readPrice(
  read: Reader,
  body: Members,
  text: string,
  [amountName, currencyName]: readonly [string, string],
  defaultCurrency?: string,
): Price | null {
  const amount = read.decimal(body, amountName, text)
  const currency = read.text(body, currencyName) || defaultCurrency
  if (amount === undefined) read.fail(amountName, 'required, a decimal number above 0')
  if (!currency || !isPriceCurrency(currency)) {
    read.fail(currencyName, 'must be a currency code of ISO 4217, or BTC, SATS or ZEC')
    return null
  }
  return amount === undefined ? null : parseMoney(amount, currency)
}

/** @throws FieldErrors */
function readPlan(body: Members, text: string, invoice: Invoice): RefundPlan {
  const read = new Reader()
  const variant = variantOf(read, read.text(body, 'refundVariant'))
  const percent = read.number(body, 'subtractPercentage') ?? 0
  if (percent < 0 || percent >= 100) read.fail('subtractPercentage', 'must be 0 or more and below 100')
  const names = ['customAmount', 'customCurrency'] as const
  const custom = variant === 'Custom' ? readPrice(read, body, text, names, invoiceCurrency(invoice)) : null
  if (variant === 'OverpaidAmount' && invoice.overpaidZat === 0n)
    read.fail('refundVariant', 'the invoice is not overpaid')
  requireMethod(read, body)
  refuse(read.errors)
  return refundPlan(invoice, variant, custom, percent)
}

function variantOf(read: Reader, text = ''): RefundVariant {
  const variant = REFUND_VARIANTS.find(name => name.toLowerCase() === text.toLowerCase())
  if (variant === undefined) read.fail('refundVariant', `must be one of ${REFUND_VARIANTS.join(', ')}`)
  return variant ?? 'Fiat'
}

/**
 * The invoice that the name of a pull payment is about: the newest one with money, of the only order that the name has.
 * @throws FieldErrors when it names no order, or several
 */
async function invoiceOfName(invoices: GreenfieldInvoices, account: Account, name: string): Promise<Invoice> {
  const orderIds = orderWords(name)
  const page = { skip: 0, take: MAX_LISTED }
  const found = orderIds.length === 0 ? [] : await invoices.list(account, { orderIds, includesArchived: true }, page)
  const paid = found.filter(({ receivedZat }) => receivedZat > 0n)
  const [newest] = paid
  const refused = (message: string) => new FieldErrors([{ path: 'name', message }])
  if (!newest) throw refused('must name a paid order of this store, as in "Refund of order 15; reason"')
  if (paid.some(({ orderId }) => orderId !== newest.orderId)) throw refused('names several orders')
  return newest
}

function presentPullPayment(refund: Refund, { name, description = '' }: Given, publicUrl: string) {
  const { linkId, createdAt, price, amountZat, status, reason } = refund
  return {
    id: linkId,
    name: name ?? reason ?? '',
    description,
    currency: price?.currency.toUpperCase() ?? 'ZEC',
    amount: price?.amount ?? formatZec(amountZat),
    startsAt: createdAt,
    expiresAt: null,
    BOLT11Expiration: 30,
    autoApproveClaims: false,
    archived: status === 'canceled',
    viewLink: refundUrl(refund, publicUrl),
  }
}

/** The amounts of each variant of a refund, in ZEC; `invoiceAmount` is in the currency of the invoice. */
async function refundChoices(invoice: Invoice, rates: Rates) {
  const currency = invoiceCurrency(invoice)
  const then = refundPlan(invoice, 'RateThen', null, 0)
  const thenZat = 'converted' in then ? then.converted.amountZat : 0n
  const value = valueInCurrency(invoice, thenZat)
  const price = { amount: value, currency }
  const isPriced = rateCurrencyOf(price) !== null && thenZat > 0n
  const now = isPriced ? (await priced(rates, { price })).amountZat : thenZat
  return {
    paymentAmountThen: formatZec(thenZat),
    paymentAmountNow: formatZec(now),
    invoiceAmount: invoice.openAmount ? value : invoiceAmount(invoice),
    paymentCurrency: 'ZEC',
    paymentCurrencyDivisibility: 8,
    invoiceCurrency: currency,
    invoiceCurrencyDivisibility: priceDecimals(currency),
    overpaidPaymentAmount: invoice.overpaidZat > 0n ? formatZec(invoice.overpaidZat) : null,
  }
}
