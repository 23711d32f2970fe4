import type * as Wire from '@zatgate/sdk/wire'
import type { Webhook } from '../../ports/repository/webhook.ts'

export function presentWebhook({ url, createdAt, updatedAt }: Webhook): Wire.Webhook {
  return { url, created_at: createdAt, updated_at: updatedAt }
}
