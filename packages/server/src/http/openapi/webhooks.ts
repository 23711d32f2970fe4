import type { EventType } from '../../domain/event.ts'
import { EVENTS } from '../schemas/event.ts'
import { EXAMPLES } from './examples.ts'
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

const header = (name: string, description: string, example: string) => ({
  ...{ name, in: 'header', required: true, description, example },
  schema: { type: 'string' },
})

const HEADERS = [
  header(
    'X-Service-Signature',
    'HMAC-SHA256 of the raw body in lower-case hex, keyed with the whole secret string as UTF-8.',
    'b34a7f44d2f1d7ad53d3a6bd1a7d6f8e3e6d1b6a8c6a0a3a1b4f7e9b3d0c2a11',
  ),
  header('webhook-id', 'The same for every attempt of a delivery.', '6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f'),
  header('webhook-timestamp', 'Time of the attempt in Unix seconds.', '1795600000'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`, keyed with the decoded bytes of ' +
      'the secret after `whsec_`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

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
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema, ...(EXAMPLES[type] && { example: EXAMPLES[type].request }) } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  )
}
