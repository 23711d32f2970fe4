import type * as Wire from '@zatgate/sdk/wire'
import type { AttemptRow } from '../../ports/repository/delivery.ts'

export function presentAttempt(attempt: AttemptRow): Wire.DeliveryAttempt {
  return {
    id: attempt.publicId,
    delivery_id: attempt.deliveryPublicId,
    invoice_id: attempt.invoicePublicId,
    event_type: attempt.eventType,
    url: attempt.url,
    status_code: attempt.statusCode,
    error: attempt.error,
    attempt: attempt.attempt,
    duration_ms: attempt.durationMs,
    created_at: attempt.createdAt,
  }
}
