import type { SpanAttributes, SpanKind } from '../../ports/tracer.ts'

/** An ended span. Times in Unix milliseconds. */
export interface EndedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly kind: SpanKind
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly failed: boolean
  readonly attributes: SpanAttributes
}

/** Numbers of opentelemetry/proto/trace/v1/trace.proto. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const STATUS_UNSET = 0
const STATUS_ERROR = 2

/** Encodes spans as an ExportTraceServiceRequest in the JSON of OTLP 1.x. */
export function encodeSpans(spans: readonly EndedSpan[], resource: SpanAttributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'zatgate' }, spans: spans.map(encodeSpan) }],
      },
    ],
  })
}

function encodeSpan({ traceId, spanId, parentSpanId, kind, name, startMs, endMs, failed, attributes }: EndedSpan) {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(endMs),
    attributes: encodeAttributes(attributes),
    status: { code: failed ? STATUS_ERROR : STATUS_UNSET },
  }
}

function encodeAttributes(attributes: SpanAttributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.trunc(value)) } : { stringValue: value },
  }))
}

/** 64-bit integers are strings in OTLP's JSON. */
function nanos(ms: number): string {
  return (BigInt(Math.trunc(ms)) * 1_000_000n).toString()
}
