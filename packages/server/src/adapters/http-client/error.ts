import { certificateProblem } from '../../domain/certificate.ts'
import type { HttpClientFailure, HttpResponse } from '../../ports/http-client.ts'
import { HttpClientError } from '../../ports/http-client.ts'

const BY_CODE: Readonly<Record<string, readonly [HttpClientFailure, string]>> = {
  ECONNREFUSED: ['unreachable', 'connection refused'],
  ETIMEDOUT: ['unreachable', 'the connection attempt timed out'],
  EHOSTUNREACH: ['unreachable', 'host unreachable'],
  ENETUNREACH: ['unreachable', 'network unreachable'],
  ECONNRESET: ['reset', 'connection reset'],
  EPIPE: ['reset', 'connection reset'],
  ECONNABORTED: ['reset', 'connection reset'],
  HPE_HEADER_OVERFLOW: ['too_large', 'the response headers are too large'],
  EPROTO: ['tls', 'TLS failed'],
}

/** Converts an error to one whose message may be shown to the owner of the URL. */
export function toHttpClientError(error: unknown, partial: HttpResponse | null): HttpClientError {
  if (error instanceof HttpClientError)
    return partial ? new HttpClientError(error.failure, error.message, partial) : error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  const problem = certificateProblem(error)
  if (problem) return new HttpClientError('tls', problem.says, partial)
  const [failure, message] = BY_CODE[code] ?? byCodePattern(code)
  return new HttpClientError(failure, message, partial)
}

/** Classifies other codes. Node's certificate errors use OpenSSL names without a common prefix. */
function byCodePattern(code: string): readonly [HttpClientFailure, string] {
  if (code.startsWith('HPE_')) return ['not_http', `the response is not HTTP (${code})`]
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return ['tls', `TLS failed (${code})`]
  if (/CERT|SIGNATURE|ISSUER|CRL|HOSTNAME/.test(code)) return ['tls', `the certificate is not valid (${code})`]
  return ['unreachable', `the connection failed (${code})`]
}
