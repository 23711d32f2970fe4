import type { Account } from '../../domain/account/account.ts'
import { formatZec } from '../../domain/money.ts'
import { RawJson } from '../../domain/raw-json.ts'
import {
  GREENFIELD_STATUSES,
  greenfieldPayment,
  greenfieldState,
  invoiceAmount,
  invoiceCurrency,
  invoiceRate,
  markableStatuses,
  PAYMENT_METHOD,
  speedPolicyOf,
  valueInCurrency,
} from '../../domain/sale/greenfield-invoice.ts'
import { type Invoice, remainingRequest } from '../../domain/sale/invoice.ts'
import { isPrintable } from '../../domain/text.ts'
import { MAX_DATE_SECS } from '../../domain/time.ts'
import type { StoreProfiles } from '../../services/account/store-profile.ts'
import {
  type GreenfieldFilter,
  type GreenfieldInvoices,
  type InvoicePayments,
  MAX_LISTED,
  MAX_ORDERS,
} from '../../services/sale/greenfield-invoice.ts'
import type { Invoices } from '../../services/sale/invoice.ts'
import type { InvoiceMarks } from '../../services/sale/invoice-mark.ts'
import type { App } from '../app.ts'
import { checkoutUrl } from '../routes/sale/invoice.ts'
import { type GreenfieldRequest, route } from './dialect.ts'
import { FieldErrors, GreenfieldError, refuse, requirePaymentMethod } from './error.ts'
import { parseInvoice, parseMetadata, redirectUrlOf } from './invoice-request.ts'
import { Reader } from './read.ts'

const INVOICES = '/api/v1/stores/:storeId/invoices'
/** An invoice has two paths: within its store, and since BTCPay 2.4 alone. */
const pathsOf = (end = '') => [`${INVOICES}/:invoiceId${end}`, `/api/v1/invoices/:invoiceId${end}`]

const VIEW = { permissions: ['btcpay.store.canviewinvoices'], rate: 'read' } as const
const MODIFY = { permissions: ['btcpay.store.canmodifyinvoices'], rate: 'session' } as const
const MAX_SEARCH_CHARS = 200
const TAKE = { max: 250, default: 50 } as const

interface Deps {
  readonly invoices: Pick<Invoices, 'create'>
  readonly greenfieldInvoices: GreenfieldInvoices
  readonly marks: InvoiceMarks
  readonly storeProfiles: Pick<StoreProfiles, 'ofAccountId'>
  readonly publicUrl: () => string
}

export function invoiceRoutes(scope: App, deps: Deps): void {
  const { invoices, greenfieldInvoices, marks, storeProfiles, publicUrl } = deps
  const shown = (account: Account, invoice: Invoice) => presentInvoice(invoice, account, publicUrl())

  route(
    scope,
    'POST',
    INVOICES,
    { permissions: ['btcpay.store.cancreateinvoice'], rate: 'create' },
    async ({ account, body, text }) => {
      // A lost body would ask for an invoice of any amount.
      if (!text.startsWith('{')) throw new GreenfieldError('invalid-json')
      const defaultCurrency = async () => (await storeProfiles.ofAccountId(account.id)).currency
      const request = await parseInvoice(body, text, account, { publicUrl: publicUrl(), defaultCurrency })
      return shown(account, await invoices.create(account, request))
    },
  )

  route(
    scope,
    'GET',
    INVOICES,
    { permissions: ['btcpay.store.canviewinvoices'], rate: 'list' },
    async ({ account, query }) => {
      const { filter, page } = parseList(query)
      const found = await greenfieldInvoices.list(account, filter, page)
      return found.map(invoice => shown(account, invoice))
    },
  )

  route(scope, 'GET', pathsOf(), VIEW, async ({ account, params }) =>
    shown(account, await greenfieldInvoices.read(account, idOf(params))),
  )

  route(scope, 'PUT', pathsOf(), MODIFY, async ({ account, params, body, text }) => {
    // Without metadata there is nothing to change.
    if (body.metadata === undefined || body.metadata === null)
      return shown(account, await greenfieldInvoices.read(account, idOf(params)))
    const texts = parseMetadata(body, text)
    return shown(account, await greenfieldInvoices.setTexts(account, idOf(params), texts))
  })

  route(scope, 'DELETE', pathsOf(), MODIFY, async ({ account, params }) => {
    await greenfieldInvoices.archive(account, idOf(params), true)
    return undefined
  })

  route(scope, 'POST', pathsOf('/unarchive'), MODIFY, async ({ account, params }) =>
    shown(account, await greenfieldInvoices.archive(account, idOf(params), false)),
  )

  route(scope, 'POST', pathsOf('/status'), MODIFY, async ({ account, params, body }) => {
    const before = await greenfieldInvoices.read(account, idOf(params))
    const status = parseMark(body.status, before)
    const marked = await marks.mark(account, before.publicId, status === 'Settled' ? 'settled' : 'invalid')
    return shown(account, marked)
  })

  route(scope, 'GET', pathsOf('/payment-methods'), VIEW, async ({ account, params, query }) => {
    const found = await greenfieldInvoices.payments(account, idOf(params))
    return [presentMethod(found, query.onlyAccountedPayments?.[0]?.toLowerCase() !== 'false')]
  })

  route(scope, 'POST', pathsOf('/payment-methods/:method/activate'), VIEW, async ({ account, params }) => {
    await greenfieldInvoices.read(account, idOf(params))
    requirePaymentMethod(params.method)
    return undefined
  })
}

function idOf({ invoiceId = '' }: GreenfieldRequest['params']): string {
  return invoiceId
}

/** @throws FieldErrors for a status that the invoice has, or cannot be given */
function parseMark(given: unknown, invoice: Invoice): 'Settled' | 'Invalid' {
  const text = String(given ?? '').toLowerCase()
  const state = greenfieldState(invoice)
  const status = (['Settled', 'Invalid'] as const).find(name => name.toLowerCase() === text)
  if (status !== undefined && (markableStatuses(state).includes(status) || state.status === status)) return status
  throw new FieldErrors([{ path: 'status', message: `must be one of ${markableStatuses(state).join(', ')}` }])
}

/** @throws FieldErrors */
function parseList(query: GreenfieldRequest['query']) {
  const read = new Reader()
  const [given, one] = [query, (name: string) => query[name]?.[0] || undefined]
  const skip = read.number({ skip: one('skip') }, 'skip') ?? 0
  const take = read.number({ take: one('take') }, 'take') ?? TAKE.default
  if (!Number.isInteger(take) || take < 0 || take > TAKE.max) read.fail('take', `must be 0 to ${TAKE.max}`)
  if (!Number.isInteger(skip) || skip < 0 || skip + take > MAX_LISTED)
    read.fail('skip', `must be 0 or more, and with take at most ${MAX_LISTED}; startDate and endDate go further back`)
  const statuses = (given.status ?? []).flatMap(text => text.split(',')).filter(text => text !== '')
  const known = GREENFIELD_STATUSES.filter(status => statuses.some(text => text.toLowerCase() === status.toLowerCase()))
  if (known.length < new Set(statuses.map(text => text.toLowerCase())).size)
    read.fail('status', `must be one or several of ${GREENFIELD_STATUSES.join(', ')}`)
  const orderIds = (given.orderId ?? []).filter(text => text !== '')
  if (!orderIds.every(isPrintable)) read.fail('orderId', 'must have no invisible characters')
  if (orderIds.length > MAX_ORDERS) read.fail('orderId', `must be at most ${MAX_ORDERS} order ids`)
  const text = one('textSearch')
  if ((text?.length ?? 0) > MAX_SEARCH_CHARS) read.fail('textSearch', `must be at most ${MAX_SEARCH_CHARS} characters`)
  const from = dateOf(read, 'startDate', one('startDate'))
  const to = dateOf(read, 'endDate', one('endDate'))
  const includesArchived = read.flag({ includeArchived: one('includeArchived') }, 'includeArchived') ?? false
  refuse(read.errors)
  const filter: GreenfieldFilter = {
    includesArchived,
    ...(orderIds.length > 0 && { orderIds }),
    ...(known.length > 0 && { statuses: known }),
    ...(text !== undefined && { text }),
    ...(from !== undefined && { createdFrom: from }),
    ...(to !== undefined && { createdTo: to + 1 }),
  }
  return { filter, page: { skip, take } }
}

/** Unix seconds, or a date and time of ISO 8601. */
function dateOf(read: Reader, name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const secs = /^\d{1,12}$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000)
  if (secs >= 0 && secs < MAX_DATE_SECS) return secs
  read.fail(name, 'must be a time in Unix seconds')
  return undefined
}

function presentInvoice(invoice: Invoice, { publicId: storeId }: Account, publicUrl: string) {
  const state = greenfieldState(invoice)
  const { createdAt, expiresAt, watchUntil } = invoice
  return {
    id: invoice.publicId,
    storeId,
    amount: invoiceAmount(invoice),
    paidAmount: valueInCurrency(invoice, invoice.receivedZat),
    currency: invoiceCurrency(invoice),
    type: invoice.openAmount ? 'TopUp' : 'Standard',
    checkoutLink: checkoutUrl(invoice, publicUrl),
    createdTime: createdAt,
    expirationTime: expiresAt,
    monitoringExpiration: watchUntil,
    ...state,
    availableStatusesForManualMarking: markableStatuses(state),
    archived: invoice.archivedAt !== null,
    checkout: {
      speedPolicy: speedPolicyOf(invoice.confirmations),
      paymentMethods: [PAYMENT_METHOD],
      defaultPaymentMethod: PAYMENT_METHOD,
      lazyPaymentMethods: false,
      expirationMinutes: Math.round((expiresAt - createdAt) / 60),
      monitoringMinutes: Math.round((watchUntil - expiresAt) / 60),
      paymentTolerance: (invoice.toleranceBps ?? 0) / 100,
      redirectURL: redirectUrlOf(invoice),
      redirectAutomatically: invoice.autoRedirect ?? false,
      defaultLanguage: invoice.locale,
    },
    receipt: { enabled: true, showQR: null, showPayments: null },
    metadata: new RawJson(invoice.metadata ?? '{}'),
  }
}

function presentMethod({ invoice, payments, confirmedTip }: InvoicePayments, onlyAccounted: boolean) {
  const received = formatZec(invoice.receivedZat)
  const shown = payments.map(payment => greenfieldPayment(payment, invoice, confirmedTip))
  return {
    paymentMethodId: PAYMENT_METHOD,
    currency: 'ZEC',
    destination: invoice.address,
    paymentLink: remainingRequest(invoice),
    rate: invoiceRate(invoice),
    paymentMethodPaid: received,
    totalPaid: received,
    due: invoice.openAmount ? '0' : formatZec(invoice.dueZat),
    amount: invoice.openAmount ? '0' : formatZec(invoice.amountZat),
    paymentMethodFee: '0',
    payments: onlyAccounted ? shown.filter(({ status }) => status !== 'Invalid') : shown,
    activated: true,
    additionalData: {},
  }
}
