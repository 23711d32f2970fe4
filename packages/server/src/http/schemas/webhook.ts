import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_URL_CHARS } from '../../domain/webhook.ts'
import { closed, of, UnixSecs } from './common.ts'

const webhookMembers = {
  url: Type.String(),
  created_at: UnixSecs('Creation time.'),
  updated_at: UnixSecs('Time of the last change of the URL or the secret.'),
}

const SecretText = Type.String({ description: 'Signing secret, `whsec_…`. Shown only once.' })

export const Webhook = of<Wire.Webhook>()(Type.Object(webhookMembers))

export const SetWebhook = of<Wire.SetWebhookRequest>()(
  Type.Object(
    {
      url: Type.String({
        maxLength: MAX_URL_CHARS,
        description: 'Absolute https URL without credentials or fragment.',
      }),
    },
    closed,
  ),
)

export const SetWebhookAnswer = of<Wire.SetWebhookResponse>()(
  Type.Object({ ...webhookMembers, secret: Type.Optional(SecretText) }),
)

export const RotatedSecret = of<Wire.RotatedSecret>()(Type.Object({ secret: SecretText }))
