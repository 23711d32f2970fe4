import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../../domain/error.ts'
import { isPaymentMethod, PAYMENT_METHOD } from '../../domain/sale/greenfield-invoice.ts'
import { accessOf } from '../access.ts'
import { httpStatusOf } from '../error.ts'

/** Rates that one request may ask for. */
export const MAX_CURRENCY_PAIRS = 20

/** A fault in a member of the body or the query. */
export interface FieldError {
  /** Such as `checkout.redirectURL`. */
  readonly path: string
  readonly message: string
}

/** The errors that this dialect alone has: status and text. */
const ERRORS = {
  'apikey-not-found': [404, 'A key can revoke itself alone; the dashboard revokes others'],
  'invalid-json': [400, 'The body must be a JSON object'],
  'invoice-not-found': [404, 'The invoice was not found'],
  'not-available': [404, 'It is not part of this service'],
  'paymentmethod-not-found': [404, `This store has one payment method, ${PAYMENT_METHOD}`],
  'pullpayment-not-found': [404, 'The pull payment was not found'],
  'store-not-found': [404, 'The store was not found'],
  'too-many-currency-pairs': [400, `Ask for at most ${MAX_CURRENCY_PAIRS} currency pairs`],
  'webhook-not-found': [404, 'The webhook was not found'],
  'webhookdelivery-not-found': [404, 'The delivery was not found'],
} as const satisfies Readonly<Record<string, readonly [status: number, text: string]>>

type GreenfieldErrorCode = keyof typeof ERRORS

/** A response of this dialect that is no success. */
export class GreenfieldError extends Error {
  readonly status: number
  /** With hyphens, such as `invoice-not-found`. */
  readonly code: GreenfieldErrorCode

  /** @param message default: the text of the error */
  constructor(code: GreenfieldErrorCode, message: string = ERRORS[code][1]) {
    super(message)
    this.name = 'GreenfieldError'
    this.status = ERRORS[code][0]
    this.code = code
  }
}

/** Members that are not accepted: the response is 422 with the list. */
export class FieldErrors extends Error {
  readonly fields: readonly FieldError[]

  constructor(fields: readonly FieldError[]) {
    super(fields.map(({ path, message }) => `${path}: ${message}`).join('; '))
    this.name = 'FieldErrors'
    this.fields = fields
  }
}

/** @throws FieldErrors unless the list is empty */
export function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new FieldErrors(errors)
}

/** @throws GreenfieldError unless a path names the one method of every store */
export function requirePaymentMethod(name = ''): void {
  if (!isPaymentMethod(name)) throw new GreenfieldError('paymentmethod-not-found')
}

const NOT_FOUND: Readonly<Record<string, GreenfieldErrorCode>> = {
  no_such_invoice: 'invoice-not-found',
  no_such_endpoint: 'webhook-not-found',
  no_such_refund: 'pullpayment-not-found',
}

/** The member of this dialect that a field of our own is. */
const PATHS: Readonly<Record<string, string>> = {
  invalid_price: 'amount',
  invalid_amount_zat: 'amount',
  invalid_order_id: 'metadata.orderId',
  invalid_description: 'metadata.itemDesc',
  invalid_metadata: 'metadata',
  invalid_locale: 'checkout.defaultLanguage',
  invalid_success_url: 'checkout.redirectURL',
  invalid_tolerance_bps: 'checkout.paymentTolerance',
  invalid_confirmations: 'checkout.speedPolicy',
  invalid_expires_in_secs: 'checkout.expirationMinutes',
  invalid_url: 'url',
  invalid_secret: 'secret',
  invalid_types: 'authorizedEvents.specificEvents',
  too_many_endpoints: 'url',
  refund_exceeds_received: 'amount',
}

const HOW_TO_SEND = 'send the API key of a plugin, which begins with zgk_, as "Authorization: token <key>"'

function messageOf({ message, extra }: AppError): string {
  return extra.detail === undefined ? message : `${message}: ${extra.detail}`
}

/** Sends an error of a service, of the authentication or of the framework as BTCPay sends its own. */
export function sendGreenfieldError(request: FastifyRequest, reply: FastifyReply, error: AppError): void {
  const path = PATHS[error.code]
  if (path !== undefined) {
    const detail = error.code.startsWith('invalid_') ? error.extra.detail : undefined
    sendFieldErrors(reply, [{ path, message: detail === undefined ? messageOf(error) : String(detail) }])
    return
  }
  if (error.retryAfterSecs !== undefined) reply.header('retry-after', error.retryAfterSecs)
  const access = accessOf(request)
  if (error.code === 'missing_scope' && typeof access === 'object' && 'permissions' in access) {
    const [permission = 'btcpay.store.canviewstoresettings'] = access.permissions
    const message = `Insufficient API Permissions. Please use an API key with permission "${permission}".`
    reply.code(403).send({ code: 'missing-permission', message, missingPermission: permission })
    return
  }
  const status = httpStatusOf(error)
  if (status === 401) {
    reply.header('www-authenticate', 'token')
    const reason = error.code === 'missing_api_key' ? HOW_TO_SEND : String(error.extra.detail).split(';')[0]
    const message = `Authentication is required for accessing this endpoint: ${reason}`
    reply.code(401).send({ code: 'unauthenticated', message })
    return
  }
  const code = NOT_FOUND[error.code]
  if (code === undefined) reply.code(status).send({ code: error.code.replaceAll('_', '-'), message: messageOf(error) })
  else reply.code(status).send({ code, message: ERRORS[code][1] })
}

export function sendFieldErrors(reply: FastifyReply, fields: readonly FieldError[]): void {
  reply.code(422).send(fields)
}
