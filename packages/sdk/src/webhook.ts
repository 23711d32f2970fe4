/**
 * Proves that a webhook came from the service. Every delivery carries two signatures of the raw body:
 *
 * - `X-Service-Signature`: lower-case hex HMAC-SHA256 of the body, keyed with the whole secret string as UTF-8;
 * - the Standard Webhooks headers `webhook-id`, `webhook-timestamp` and `webhook-signature` (`v1,<base64>`): HMAC-SHA256
 *   of `<id>.<timestamp>.<body>`, keyed with the bytes behind `whsec_` (https://www.standardwebhooks.com). These bind
 *   the moment of sending, so an old delivery cannot be replayed.
 */
import type { WebhookEvent } from './wire.ts'

export type WebhookFailure =
  /** The body was parsed already, or is no string and no bytes. */
  | 'raw_body_required'
  /** The secret is not `whsec_` and base64. */
  | 'bad_secret'
  /** The signature asked for is not among the headers, or only in part. */
  | 'missing_signature'
  | 'bad_signature'
  /** `webhook-timestamp` is not a whole number of seconds. */
  | 'bad_timestamp'
  | 'too_old'
  | 'too_new'
  /** Rightly signed, and yet not an event. */
  | 'bad_body'

export class WebhookVerificationError extends Error {
  readonly code: WebhookFailure

  constructor(code: WebhookFailure, message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

/** Headers as fetch, Node, Express and Fastify have them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /**
   * `standard` takes nothing but the Standard Webhooks signature, so that every delivery is held to the replay window;
   * `service` takes nothing but `X-Service-Signature`. `any`, the default, checks each that is there and wants one.
   */
  readonly scheme?: 'any' | 'standard' | 'service'
  /** How far `webhook-timestamp` may be from now, either way. Default 300. */
  readonly toleranceSecs?: number
  /** Unix milliseconds. Default: the clock. */
  readonly nowMs?: number
}

const TOLERANCE_SECS = 300
const SECRET_PREFIX = 'whsec_'

/**
 * The event in `rawBody`, once its signature is proved. Comparison takes constant time.
 *
 * Types may be added over time: answer 2xx to those you do not know.
 *
 * @param rawBody the bytes as they came, never a parsed body
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody)
  const key = keyOf(secret)
  const scheme = options.scheme ?? 'any'
  const checks: Promise<void>[] = []
  if (scheme !== 'service' && (scheme === 'standard' || header(headers, 'webhook-signature') !== null)) {
    checks.push(checkStandard(body, headers, key, options))
  }
  if (scheme !== 'standard' && (scheme === 'service' || header(headers, 'x-service-signature') !== null)) {
    checks.push(checkService(body, headers, secret))
  }
  if (checks.length === 0) throw missing('X-Service-Signature or webhook-signature')
  await Promise.all(checks)
  return parse(body)
}

async function checkStandard(
  body: Uint8Array,
  headers: WebhookHeaders,
  key: Uint8Array,
  options: VerifyOptions,
): Promise<void> {
  const id = header(headers, 'webhook-id') ?? fail(missing('webhook-id'))
  const timestamp = header(headers, 'webhook-timestamp') ?? fail(missing('webhook-timestamp'))
  const signatures = header(headers, 'webhook-signature') ?? fail(missing('webhook-signature'))
  checkTime(timestamp, options)
  const signed = concat(utf8(`${id}.${timestamp}.`), body)
  for (const signature of signatures.split(' ')) {
    if (!signature.startsWith('v1,')) continue
    const given = fromBase64(signature.slice(3))
    if (given && (await matches(key, given, signed))) return
  }
  throw wrong()
}

async function checkService(body: Uint8Array, headers: WebhookHeaders, secret: string): Promise<void> {
  const hex = header(headers, 'x-service-signature') ?? fail(missing('X-Service-Signature'))
  const given = /^[0-9a-f]{64}$/.test(hex)
    ? Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
    : null
  if (!given || !(await matches(utf8(secret), given, body))) throw wrong()
}

function checkTime(timestamp: string, options: VerifyOptions): void {
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('bad_timestamp', 'webhook-timestamp is not a number of seconds')
  }
  const tolerance = options.toleranceSecs ?? TOLERANCE_SECS
  const age = (options.nowMs ?? Date.now()) / 1000 - Number(timestamp)
  if (age > tolerance) {
    throw new WebhookVerificationError(
      'too_old',
      `signed more than ${tolerance} s ago: a replay, or a clock gone wrong`,
    )
  }
  if (age < -tolerance) {
    throw new WebhookVerificationError('too_new', `signed more than ${tolerance} s ahead: a clock has gone wrong`)
  }
}

/** WebCrypto's HMAC verification compares in constant time. */
async function matches(key: Uint8Array, signature: Uint8Array, signed: Uint8Array): Promise<boolean> {
  const hmac = await crypto.subtle.importKey('raw', owned(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return crypto.subtle.verify('HMAC', hmac, owned(signature), owned(signed))
}

function parse(body: Uint8Array): WebhookEvent {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new WebhookVerificationError('bad_body', 'the body is not JSON')
  }
  if (typeof event !== 'object' || event === null || !('type' in event) || typeof event.type !== 'string') {
    throw new WebhookVerificationError('bad_body', 'the body is not an event: it has no type')
  }
  return event as WebhookEvent
}

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return utf8(rawBody)
  if (rawBody instanceof Uint8Array) return rawBody
  throw new WebhookVerificationError(
    'raw_body_required',
    'give the raw request body, as a string or bytes: a parsed one cannot be verified',
  )
}

function keyOf(secret: string): Uint8Array {
  const key = typeof secret === 'string' && secret.startsWith(SECRET_PREFIX) && fromBase64(secret.slice(6))
  if (!key || key.length === 0) {
    throw new WebhookVerificationError('bad_secret', 'the secret must be the whole string that starts with whsec_')
  }
  return key
}

function header(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name)
  const record = headers as Readonly<Record<string, string | readonly string[] | undefined>>
  const value = record[name] ?? record[Object.keys(record).find(key => key.toLowerCase() === name) ?? name]
  return typeof value === 'string' ? value : (value?.join(' ') ?? null)
}

function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}

/** WebCrypto's types want a buffer that is surely not shared. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}

function missing(name: string): WebhookVerificationError {
  return new WebhookVerificationError('missing_signature', `no ${name} header`)
}

function wrong(): WebhookVerificationError {
  return new WebhookVerificationError(
    'bad_signature',
    'the signature does not match: another secret, or a changed body',
  )
}

function fail(error: Error): never {
  throw error
}
