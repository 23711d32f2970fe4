import recorded from './examples.json' with { type: 'json' }

/** A request and its response as they were really made. A test repeats them and compares. */
interface Example {
  readonly request?: unknown
  readonly response?: unknown
}

/** By operation id, and by event type for webhooks, whose body is the `request`. */
export const EXAMPLES: Readonly<Record<string, Example>> = recorded
