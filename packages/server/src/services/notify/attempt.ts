import { RESPONSE_BYTES_KEPT } from '../../domain/notify/delivery.ts'
import { ATTEMPT_TIMEOUT_MS } from '../../domain/notify/delivery-schedule.ts'
import { storableText } from '../../domain/text.ts'
import type { Clock } from '../../ports/clock.ts'
import { type HttpClient, HttpClientError } from '../../ports/http-client.ts'
import type { Log } from '../../ports/log.ts'
import type { FinishedAttempt } from '../../ports/repository/notify/delivery.ts'

/** The request of an attempt. */
export interface AttemptRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of an attempt, as the log keeps it. `error` is null for a success. */
export type AttemptResult = Pick<
  FinishedAttempt,
  'statusCode' | 'error' | 'durationMs' | 'response' | 'requestHeaders' | 'responseHeaders'
> & { readonly endedAtMs: number }

/** Frameworks may respond to webhooks with whole pages. A larger response is an error. */
const MAX_RESPONSE_BYTES = 1_048_576
const MAX_ERROR_CHARS = 500
const MAX_HEADER_CHARS = 4_096

/** Sends an event to a receiver. Never rejects. @param delivery names it in the log of the service */
export async function makeAttempt(
  { http, clock, log }: { readonly http: HttpClient; readonly clock: Clock; readonly log: Log },
  { url, headers, body }: AttemptRequest,
  delivery: number,
): Promise<AttemptResult> {
  const startedMs = clock.nowMs()
  const request = { url, headers, body, deadlineMs: ATTEMPT_TIMEOUT_MS }
  const limits = { maxBytes: MAX_RESPONSE_BYTES, keepBytes: RESPONSE_BYTES_KEPT }
  const { response, error } = await http.send({ method: 'POST', ...request, ...limits }).then(
    response => ({ response, error: statusProblem(response.status) }),
    (error: unknown) => {
      if (error instanceof HttpClientError) return { response: error.partial, error: error.message }
      log.error({ delivery, err: error }, 'a webhook could not be sent')
      return { response: null, error: 'internal error' }
    },
  )
  const endedAtMs = clock.nowMs()
  return {
    endedAtMs,
    statusCode: response?.status ?? null,
    error: error === null ? null : storableText(error, MAX_ERROR_CHARS),
    durationMs: Math.max(0, endedAtMs - startedMs),
    response: response && textOf(response.body),
    requestHeaders: headerLines(headers),
    responseHeaders: response && headerLines(response.headers),
  }
}

function statusProblem(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`
  return `answered ${status}`
}

function textOf(bytes: Uint8Array): string {
  return storableText(new TextDecoder().decode(bytes), RESPONSE_BYTES_KEPT)
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return storableText(lines.join('\n'), MAX_HEADER_CHARS)
}
