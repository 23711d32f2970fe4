/**
 * Verifies that a webhook was sent by the service. Every delivery carries two signatures of the raw body:
 *
 * - the Standard Webhooks headers `webhook-id`, `webhook-timestamp` and `webhook-signature` (`v1,<base64>`): HMAC-SHA256
 *   of `<id>.<timestamp>.<body>`, keyed with the base64-decoded secret after `whsec_` (https://www.standardwebhooks.com).
 *   This signature covers the time of sending, so an old delivery cannot be replayed;
 * - `X-Service-Signature`: lower-case hex HMAC-SHA256 of the body, keyed with the whole secret string as UTF-8. It covers
 *   no time: a captured delivery is valid as long as the secret.
 */
import { webCrypto } from '#web-crypto'
import type { WebhookEvent } from './wire.ts'

/** Why a webhook is rejected. */
export type WebhookFailure =
  /** The body is neither a string nor bytes, for example because it was already parsed. */
  | 'raw_body_required'
  /** The secret is not `whsec_` followed by base64. */
  | 'bad_secret'
  /** The headers of the requested signature are missing or incomplete. */
  | 'missing_signature'
  | 'bad_signature'
  /** `webhook-timestamp` is not a whole number of seconds. */
  | 'bad_timestamp'
  | 'too_old'
  | 'too_new'
  /** The signature is valid, but the body is not an event. */
  | 'bad_body'

/** The error of verifyWebhook. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookFailure

  constructor(code: WebhookFailure, message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

/** Request headers as provided by fetch, Node, Express or Fastify. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Options of verifyWebhook. */
export interface VerifyOptions {
  /**
   * The signature that is required; the other one is ignored. `standard`, the default, is the Standard Webhooks signature
   * with its replay window. `service` is `X-Service-Signature`, with which an old delivery can be replayed.
   */
  readonly scheme?: 'standard' | 'service'
  /** Maximum difference between `webhook-timestamp` and now, in either direction. Default 300. */
  readonly toleranceSecs?: number
  /** The current time in Unix milliseconds. Default: `Date.now()`. */
  readonly nowMs?: number
}

const TOLERANCE_SECS = 300
const SECRET_PREFIX = 'whsec_'

/**
 * Verifies the signature of a webhook and returns its event: by default the one that limits the age of a delivery.
 * Signatures are compared in constant time.
 *
 * Later versions may add event types. Respond with 2xx to unknown types.
 *
 * @param rawBody the received bytes, not a parsed body
 * @param secret the whole webhook secret, including `whsec_`; spaces and line ends around it are ignored
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody)
  const text = trimmed(secret)
  const key = keyOf(text)
  if (options.scheme === 'service') await verifyService(body, headers, text)
  else await verifyStandard(body, headers, key, options)
  return parse(body)
}

async function verifyStandard(
  body: Uint8Array,
  headers: WebhookHeaders,
  key: Uint8Array,
  options: VerifyOptions,
): Promise<void> {
  const id = header(headers, 'webhook-id') ?? fail(missingHeader('webhook-id'))
  const timestamp = header(headers, 'webhook-timestamp') ?? fail(missingHeader('webhook-timestamp'))
  const signatures = header(headers, 'webhook-signature') ?? fail(missingHeader('webhook-signature'))
  verifyTimestamp(timestamp, options)
  const signed = concat(utf8(`${id}.${timestamp}.`), body)
  for (const signature of signatures.split(' ')) {
    if (!signature.startsWith('v1,')) continue
    const given = fromBase64(signature.slice(3))
    if (given && (await matches(key, given, signed))) return
  }
  throw badSignature()
}

async function verifyService(body: Uint8Array, headers: WebhookHeaders, secret: string): Promise<void> {
  const hex = header(headers, 'x-service-signature') ?? fail(missingHeader('X-Service-Signature'))
  const given = /^[0-9a-f]{64}$/.test(hex)
    ? Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
    : null
  if (!given || !(await matches(utf8(secret), given, body))) throw badSignature()
}

function verifyTimestamp(timestamp: string, options: VerifyOptions): void {
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('bad_timestamp', 'webhook-timestamp is not a number of seconds')
  }
  const tolerance = options.toleranceSecs ?? TOLERANCE_SECS
  const age = (options.nowMs ?? Date.now()) / 1000 - Number(timestamp)
  if (age > tolerance) {
    throw new WebhookVerificationError('too_old', `signed more than ${tolerance} s ago: a replay, or a wrong clock`)
  }
  if (age < -tolerance) {
    throw new WebhookVerificationError('too_new', `signed more than ${tolerance} s in the future: a wrong clock`)
  }
}

/** Verifies an HMAC-SHA256. WebCrypto compares in constant time. */
async function matches(key: Uint8Array, signature: Uint8Array, signed: Uint8Array): Promise<boolean> {
  const hmac = await webCrypto.subtle.importKey('raw', unshared(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  return webCrypto.subtle.verify('HMAC', hmac, unshared(signature), unshared(signed))
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
    'rawBody must be the raw request body as a string or bytes; a parsed body cannot be verified',
  )
}

/** Secrets read from files end with a line end. */
function trimmed(secret: unknown): string {
  return typeof secret === 'string' ? secret.trim() : ''
}

function keyOf(secret: string): Uint8Array {
  const key = secret.startsWith(SECRET_PREFIX) && fromBase64(secret.slice(SECRET_PREFIX.length))
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

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const result = new Uint8Array(first.length + second.length)
  result.set(first)
  result.set(second, first.length)
  return result
}

/** Copies bytes of a SharedArrayBuffer, which WebCrypto does not accept. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}

function missingHeader(name: string): WebhookVerificationError {
  return new WebhookVerificationError('missing_signature', `no ${name} header`)
}

function badSignature(): WebhookVerificationError {
  return new WebhookVerificationError(
    'bad_signature',
    'the signature does not match: the secret differs or the body was changed',
  )
}

function fail(error: Error): never {
  throw error
}
