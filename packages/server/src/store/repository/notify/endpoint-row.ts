import type { Selectable } from 'kysely'
import type { Endpoint } from '../../../domain/notify/endpoint.ts'
import type { EventType } from '../../../domain/notify/event.ts'
import type { GreenfieldEvent } from '../../../domain/notify/greenfield-event.ts'
import type { FollowingEndpoint, SealedEndpoint } from '../../../ports/repository/notify/endpoint.ts'
import { num, numOrNull } from '../../mapping.ts'
import type { EndpointsTable } from '../../tables.ts'

export function toGreenfieldEvents(row: { readonly greenfield_events: string | null }): GreenfieldEvent[] | null {
  return row.greenfield_events === null ? null : (JSON.parse(row.greenfield_events) as GreenfieldEvent[])
}

export function toEndpoint(row: Selectable<EndpointsTable>): Endpoint {
  return {
    id: num(row.id),
    publicId: row.public_id,
    accountId: num(row.account_id),
    url: row.url,
    dialect: row.dialect,
    types: row.types === null ? null : (JSON.parse(row.types) as EventType[]),
    greenfieldEvents: toGreenfieldEvents(row),
    application: row.application,
    schedule: row.schedule,
    enabled: num(row.enabled) === 1,
    failingSince: numOrNull(row.failing_since),
    pausedAt: numOrNull(row.paused_at),
    createdAt: num(row.created_at),
    updatedAt: num(row.updated_at),
  }
}

export function toSealed(row: Selectable<EndpointsTable>): SealedEndpoint {
  return {
    ...toEndpoint(row),
    sealedSecret: row.secret,
    earlierSealedSecret: row.earlier_secret,
    earlierSecretUntil: numOrNull(row.earlier_secret_until),
  }
}

type Progress = Pick<
  FollowingEndpoint,
  'failures' | 'isProbing' | 'failingSince' | 'firstFailedSeq' | 'retryAtMs' | 'pausedAt'
>

export function progressColumns({ failures, isProbing, failingSince, firstFailedSeq, retryAtMs, pausedAt }: Progress) {
  return {
    failures,
    is_probing: Number(isProbing),
    failing_since: failingSince,
    first_failed_seq: firstFailedSeq,
    retry_at_ms: retryAtMs,
    paused_at: pausedAt,
  }
}

export function toFollowing(row: Selectable<EndpointsTable>): FollowingEndpoint {
  return {
    ...toSealed(row),
    cursorSeq: num(row.cursor_seq),
    failures: num(row.failures),
    isProbing: num(row.is_probing) === 1,
    firstFailedSeq: numOrNull(row.first_failed_seq),
    retryAtMs: numOrNull(row.retry_at_ms),
  }
}
