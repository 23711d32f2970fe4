import type * as Wire from '@zatgate/sdk/wire'
import type { ApiKey } from '../../domain/api-key.ts'

export function presentApiKey(key: ApiKey): Wire.ApiKey {
  return {
    id: key.publicId,
    name: key.name,
    last4: key.last4,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}
