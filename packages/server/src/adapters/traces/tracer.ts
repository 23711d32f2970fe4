import type { Clock } from '../../ports/clock.ts'
import type { HttpClient } from '../../ports/http-client.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { Span, Tracer } from '../../ports/tracer.ts'
import { type EndedSpan, encodeSpans } from './otlp.ts'

/** Further spans are dropped while this many wait, as with a collector that does not respond. */
const MAX_WAITING = 2_048
const MAX_BATCH = 512
const FLUSH_MS = 2_000
const DEADLINE_MS = 3_000
const MAX_RESPONSE_BYTES = 64 * 1024
/** W3C Trace Context, version 00. An id of zeros is invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

export interface OtlpTracer extends Tracer {
  /** Sends one last batch if the collector responds, and ends the loop. */
  close(): Promise<void>
}

export interface OtlpTracerDeps {
  /** Base URL of the collector, without `/v1/traces`. */
  readonly endpoint: string
  /** The roles of this process. */
  readonly roles: readonly string[]
  readonly http: HttpClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * Sends spans to an OpenTelemetry collector with OTLP over HTTP, as JSON, in batches. Spans that a collector does not
 * accept are dropped.
 */
export function createOtlpTracer(deps: OtlpTracerDeps): OtlpTracer {
  const { http, clock, random, log } = deps
  const url = `${deps.endpoint.replace(/\/+$/, '')}/v1/traces`
  const resource = { 'service.name': 'zatgate', 'zatgate.roles': deps.roles.join(',') }
  const waiting: EndedSpan[] = []
  const closing = new AbortController()
  let dropped = 0
  let failures = 0

  async function send(spans: readonly EndedSpan[]): Promise<void> {
    const { status } = await http.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: encodeSpans(spans, resource),
      deadlineMs: DEADLINE_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      keepBytes: 0,
    })
    if (status < 200 || status >= 300) throw new Error(`the collector answered ${status}`)
  }

  async function flush(): Promise<void> {
    const batch = waiting.splice(0, MAX_BATCH)
    if (batch.length === 0) return
    try {
      await send(batch)
      if (failures > 0) log.info({ failures, dropped }, 'the collector of traces accepts spans again')
      failures = 0
      dropped = 0
    } catch (error) {
      failures += 1
      dropped += batch.length
      if (failures === 1) log.warn({ err: error, dropped }, 'spans could not be sent to the collector of traces')
    }
  }

  async function work(): Promise<void> {
    while (!closing.signal.aborted) {
      await flush()
      if (waiting.length < MAX_BATCH) await clock.sleep(FLUSH_MS, closing.signal)
    }
    // A collector that does not respond must not delay the stop.
    if (failures === 0) await flush()
  }

  function hex(bytes: number): string {
    return Buffer.from(random.bytes(bytes)).toString('hex')
  }

  const start: Tracer['start'] = (kind, traceparent = '') => {
    const [, traceId = hex(16), parentSpanId = null] = TRACEPARENT.exec(traceparent) ?? []
    const startMs = clock.nowMs()
    const span: Span = {
      end(name, failed, attributes = {}) {
        if (waiting.length >= MAX_WAITING) {
          dropped += 1
          return
        }
        const endMs = Math.max(startMs, clock.nowMs())
        waiting.push({ traceId, spanId: hex(8), parentSpanId, kind, name, startMs, endMs, failed, attributes })
      },
    }
    return span
  }

  const ended = Promise.resolve().then(work)
  return {
    start,
    async run(kind, name, attributes, run) {
      const span = start(kind)
      try {
        const result = await run()
        span.end(name, false, attributes)
        return result
      } catch (error) {
        span.end(name, true, attributes)
        throw error
      }
    },
    async close() {
      closing.abort()
      await ended
    },
  }
}
