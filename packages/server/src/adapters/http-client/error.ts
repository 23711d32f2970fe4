import type { OutboundAnswer, OutboundFailure } from '../../ports/http-client.ts'
import { OutboundError } from '../../ports/http-client.ts'

const KNOWN: Readonly<Record<string, readonly [OutboundFailure, string]>> = {
  ECONNREFUSED: ['unreachable', 'connection refused'],
  ETIMEDOUT: ['unreachable', 'the connection attempt timed out'],
  EHOSTUNREACH: ['unreachable', 'host unreachable'],
  ENETUNREACH: ['unreachable', 'network unreachable'],
  ECONNRESET: ['reset', 'connection reset'],
  EPIPE: ['reset', 'connection reset'],
  ECONNABORTED: ['reset', 'connection reset'],
  HPE_HEADER_OVERFLOW: ['too_large', 'the headers of the answer are too large'],
  EPROTO: ['tls', 'TLS failed'],
}

/** The error as the owner of the URL may read it. */
export function outboundErrorOf(error: unknown, partial: OutboundAnswer | null): OutboundError {
  if (error instanceof OutboundError) return partial ? new OutboundError(error.failure, error.message, partial) : error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  const [failure, words] = KNOWN[code] ?? byKind(code)
  return new OutboundError(failure, words, partial)
}

/** Node names the errors of certificates by OpenSSL's words, without a common prefix: they are what is left. */
function byKind(code: string): readonly [OutboundFailure, string] {
  if (code.startsWith('HPE_')) return ['not_http', `the answer is not HTTP (${code})`]
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return ['tls', `TLS failed (${code})`]
  if (/CERT|SIGNATURE|ISSUER|CRL|HOSTNAME/.test(code)) return ['tls', `the certificate is not valid (${code})`]
  return ['unreachable', `the connection failed (${code})`]
}
