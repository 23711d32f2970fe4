import { greenfieldSignature, webhookSignatures } from './webhook-signature.ts'

/** An event that is sent to an endpoint. */
export interface Message {
  readonly eventId: string
  readonly seq: number
  /** The body of the event. */
  readonly body: string
}

/** The newest first. */
export type Secrets = readonly [string, ...string[]]

/** How events are written and signed: our own way, or as BTCPay does. */
export type Dialect = 'zatgate' | 'greenfield'

/** The webhook's body, with the event's id and number at its end. */
export function endpointBody({ eventId, seq, body }: Message): string {
  return `${body.slice(0, -1)},"event_id":${JSON.stringify(eventId)},"seq":${seq}}`
}

/**
 * The headers of an attempt. Our own are signed with each of the secrets, and `webhook-id` is the id of the event, the same
 * whenever it is sent again. BTCPay's clients expect one signature: the newest secret alone signs.
 * @param atSecs the time of the attempt
 */
export function endpointHeaders(
  dialect: Dialect,
  { eventId, body, secrets, atSecs }: { eventId: string; body: string; secrets: Secrets; atSecs: number },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'zatgate-webhooks/1',
    ...(dialect === 'greenfield'
      ? { 'BTCPay-Sig': greenfieldSignature(secrets[0], body) }
      : webhookSignatures(secrets, eventId, atSecs, body)),
  }
}
