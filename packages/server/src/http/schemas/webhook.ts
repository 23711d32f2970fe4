import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_WEBHOOK_URL_CHARS } from '../../domain/webhook.ts'
import { named, noExtraFields, UnixSecs, wireSchema } from './common.ts'

const webhookMembers = {
  url: Type.String(),
  created_at: UnixSecs('Creation time.'),
  updated_at: UnixSecs('Time of the last change of the URL or the secret.'),
}

const SecretText = Type.String({ description: 'Signing secret, `whsec_…`. Shown only once.' })

export const Webhook = wireSchema<Wire.Webhook>()(named('Webhook', Type.Object(webhookMembers)))

export const SetWebhook = wireSchema<Wire.SetWebhookRequest>()(
  named(
    'SetWebhookRequest',
    Type.Object(
      {
        url: Type.String({
          maxLength: MAX_WEBHOOK_URL_CHARS,
          description: 'Absolute https URL without credentials or fragment.',
        }),
      },
      noExtraFields,
    ),
  ),
)

export const WebhookWithSecret = wireSchema<Wire.WebhookWithSecret>()(
  named('WebhookWithSecret', Type.Object({ ...webhookMembers, secret: Type.Optional(SecretText) })),
)

export const RotatedSecret = wireSchema<Wire.RotatedSecret>()(
  named('RotatedSecret', Type.Object({ secret: SecretText })),
)
