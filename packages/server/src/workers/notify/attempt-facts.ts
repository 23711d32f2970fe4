import type { SpanAttributes } from '../../ports/tracer.ts'

/** The facts about an attempt in its span. @param statusCode null: no response */
export function attemptFacts(eventType: string, attempt: number, statusCode: number | null): SpanAttributes {
  return {
    'zatgate.event': eventType,
    'zatgate.attempt': attempt,
    ...(statusCode !== null && { 'http.response.status_code': statusCode }),
  }
}
