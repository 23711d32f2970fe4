import { webhookSignatures } from './webhook-signature.ts'

/** An event that is sent to an endpoint. */
export interface Message {
  readonly eventId: string
  readonly seq: number
  /** The body of the event. */
  readonly body: string
}

/** The newest first. */
export type Secrets = readonly [string, ...string[]]

/** How the events of an endpoint are written and signed. */
export interface Dialect {
  body(message: Message): string
  /**
   * The headers of an attempt, signed with each of the secrets, the newest first.
   * @param body what `body` has returned @param atSecs the time of the attempt
   */
  headers(message: Message, body: string, secrets: Secrets, atSecs: number): Record<string, string>
}

/**
 * The webhook's body, with the event's id and number at its end. `webhook-id` is the id of the event, the same whenever it
 * is sent again.
 */
export const ZATGATE_DIALECT: Dialect = {
  body: ({ eventId, seq, body }) => `${body.slice(0, -1)},"event_id":${JSON.stringify(eventId)},"seq":${seq}}`,

  headers: ({ eventId }, body, secrets, atSecs) => ({
    'content-type': 'application/json',
    'user-agent': 'zatgate-webhooks/1',
    ...webhookSignatures(secrets, eventId, atSecs, body),
  }),
}
