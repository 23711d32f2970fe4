import type { EventType } from '../../domain/event.ts'
import { EVENTS } from '../schemas/event.ts'
import { EVENT_EXAMPLES, EXAMPLE_SECRET } from './examples.ts'
import type { JsonObject } from './shared-schemas.ts'

const WHEN: Readonly<Record<EventType, string>> = {
  'invoice.paid': 'The invoice is paid: its full amount is confirmed.',
  'invoice.underpaid': 'The invoice expired with a payment that is too small.',
  'swap.refunded': 'The swap provider refunded a swap. The invoice stays pending.',
  'swap.failed': 'A swap failed. The invoice stays pending.',
  'swap.incomplete_deposit': 'The buyer deposited less than the quoted amount. The invoice stays pending.',
  'withdrawal.updated': 'The status of a withdrawal changed.',
  'plan.updated': 'The plan of the account changed.',
  test: 'The owner of the account requested a test delivery.',
}

/** The headers of a delivery, and what they contain. */
const HEADERS: Readonly<Record<string, string>> = {
  'X-Service-Signature':
    'HMAC-SHA256 of the raw body in lower-case hex, keyed with the whole secret string as UTF-8. It covers no ' +
    'time, so check `webhook-signature` instead. The example is signed ' +
    `with \`${EXAMPLE_SECRET}\`, as compact JSON.`,
  'webhook-id': 'The same for every attempt of a delivery.',
  'webhook-timestamp': 'Time of the attempt in Unix seconds.',
  'webhook-signature':
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`, keyed with the decoded bytes of ' +
    'the secret after `whsec_`. The example has the same secret.',
}

function headersOf(type: EventType): JsonObject[] {
  const example = EVENT_EXAMPLES[type]?.headers ?? {}
  return Object.entries(HEADERS).map(([name, description]) => ({
    ...{ name, in: 'header', required: true, description, example: example[name.toLowerCase()] },
    schema: { type: 'string' },
  }))
}

const RESPONSES = {
  '2XX': { description: 'Received. Respond within 5 seconds, and do slow work afterwards.' },
  default: {
    description:
      'Any other status, and no response within 5 seconds, is a failure: three more attempts follow, 10, 60 and 300 seconds after the end of the previous one.',
  },
}

/** The requests that the service sends to the webhook of an account. */
export function webhooks(): JsonObject {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([type, schema]) => [
      type,
      {
        post: {
          operationId: `on${type.replace(/(^|[._])(\w)/g, (_all, _dot, letter: string) => letter.toUpperCase())}`,
          summary: WHEN[type as EventType],
          description:
            'Verify a signature with the raw body before you parse it. The same event can arrive more than once.',
          tags: ['events'],
          security: [],
          parameters: headersOf(type as EventType),
          requestBody: {
            required: true,
            content: { 'application/json': { schema, example: EVENT_EXAMPLES[type]?.body } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  )
}
