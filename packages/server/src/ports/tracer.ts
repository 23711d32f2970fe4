/** Facts about a span. Never an id of an invoice or account, an address, an email or a secret. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/** `server`: a request received; `client`: a request sent; `internal`: work without a request. */
export type SpanKind = 'server' | 'client' | 'internal'

/** A measured piece of work that has begun. */
export interface Span {
  /** Ends the span. @param attributes are added to those of its start */
  end(name: string, failed: boolean, attributes?: SpanAttributes): void
}

/** Records how long work takes, for OpenTelemetry. No call waits or throws because of the collector. */
export interface Tracer {
  /** Begins a span. @param traceparent the W3C header of a trusted caller, whose trace it continues */
  start(kind: SpanKind, traceparent?: string): Span
  /** Runs work in a span, which has failed when the work rejects. */
  run<T>(kind: SpanKind, name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>
}

/** Records nothing. */
export const NO_TRACER: Tracer = {
  start: () => ({ end: () => {} }),
  run: (_kind, _name, _attributes, work) => work(),
}
