import deliveries from './events.json' with { type: 'json' }
import operations from './examples.json' with { type: 'json' }

/** A request and its response as they were really made. A test repeats them and compares. */
interface Example {
  readonly request?: unknown
  readonly response?: unknown
}

/** An event as a webhook really received it, or as the feed has it. A test repeats it and compares. */
interface EventExample {
  /** By name in lower case. Absent: the webhook of the account does not get it. */
  readonly headers?: Readonly<Record<string, string>>
  /** Its compact JSON is what was signed. */
  readonly body: unknown
}

/** By operation id. */
export const EXAMPLES: Readonly<Record<string, Example>> = operations

/** By event type. */
export const EVENT_EXAMPLES: Readonly<Record<string, EventExample>> = deliveries.events

/** The secret that signed the examples of the events. */
export const EXAMPLE_SECRET = deliveries.secret
