import type * as Wire from '@zatgate/sdk/wire'
import type { Session } from '../../domain/session.ts'

export function presentSession(session: Session): Wire.Session {
  return {
    id: session.publicId,
    label: session.label,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    last_used_at: session.lastUsedAt,
  }
}
