import { type Calls, query } from './calls.ts'
import { delay } from './delay.ts'
import { ZatgateError } from './error.ts'
import { type AccountEvent, type EventPage, follow } from './follow.ts'
import type { CallOptions, FollowOptions } from './options.ts'
import { rawBodies } from './raw-bodies.ts'
import type { EventQuery, FeedEvent } from './wire.ts'

/** The events of the account: `client.events`. Needs the session token, or a scoped API key with `events:read`. */
export class Events {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * One page of events, oldest first.
   * @throws ZatgateError 410 `events_pruned`, whose `body.first_seq` is the first event that is kept
   */
  list(page: EventQuery = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.#page(page, options)
  }

  /**
   * Yields each event once, in order, and waits for new ones until the signal aborts or the loop is left. It reconnects after
   * lost connections, timeouts, and status 429 or 5xx, and never gives up. Store the `seq` of the last event that you have
   * handled, and pass it as `after` at the next start.
   * @throws ZatgateError for any other status, such as 410 `events_pruned`, and when the first response is not that of a
   *   zatgate service
   */
  follow(options: FollowOptions = {}): AsyncGenerator<AccountEvent, void, undefined> {
    return follow((page, signal) => this.#page(page, { ...(signal && { signal }), retries: 0 }), options, delay)
  }

  async #page(page: EventQuery, options: CallOptions & { retries?: number }): Promise<EventPage> {
    const path = `/v1/account/events${query(page)}`
    const { text, headers } = await this.#calls.ownerText(path, { ...options, waitMs: (page.wait ?? 0) * 1000 })
    const events = parseEvents(text)
    const nextAfter = Number(headers.get('x-next-after') ?? events.at(-1)?.seq ?? page.after ?? 0)
    return { events, nextAfter }
  }
}

function parseEvents(text: string): AccountEvent[] {
  try {
    const events = JSON.parse(text) as FeedEvent[]
    const bodies = rawBodies(text)
    if (!Array.isArray(events) || bodies.length !== events.length) throw new TypeError('no list of events')
    return events.map((event, index) => ({ ...event, rawBody: bodies[index] as string }))
  } catch (cause) {
    const message = 'the response is no list of events; check that baseUrl is a zatgate service'
    throw new ZatgateError(200, 'invalid_response', message, { cause })
  }
}
