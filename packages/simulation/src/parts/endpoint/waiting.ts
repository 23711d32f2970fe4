import type { World } from '../../world/world.ts'
import { isLeftOut } from '../poison/ledger.ts'
import type { SeenEvent } from './account-log.ts'
import type { EndpointDeliveryRow, EndpointRow } from './ledger.ts'
import { about, hostOf } from './names.ts'

/** A clock that was ahead may put attempts off, and the next event after a success until there is a new one. */
const PUT_OFF_MS = 60_000

/** An active endpoint with the events and the deliveries that it waits for. */
export interface Waiting {
  readonly row: EndpointRow
  /** Events that were not begun. */
  readonly owed: readonly SeenEvent[]
  readonly open: readonly EndpointDeliveryRow[]
}

/** Why an endpoint has not settled after all faults have ended; null when all have. */
export function findUnsettled(
  world: World,
  endpoints: readonly Waiting[],
  works: (url: string) => boolean,
): string | null {
  const { nowMs } = world.scheduler
  const isAhead = world.clockErrors.maxMs > 0
  const isPutOff = (atMs: bigint | null) => isAhead && atMs !== null && Number(atMs) > nowMs + PUT_OFF_MS
  for (const { row, owed, open } of endpoints) {
    const isStuck = row.schedule === 'persistent' && !works(row.url)
    const isBusy = open.some(({ state, due_at_ms: due }) => state === 'sending' && isPutOff(due))
    const isLookedAtLater = isPutOff(row.retry_at_ms) || isPutOff(row.due_at_ms)
    if (isStuck || isBusy || isLookedAtLater || isLeftOut(world, 'endpoint', row.public_id)) continue
    const [event] = owed
    if (event) return `${hostOf(row)} has not been sent event ${event.seq}`
    const delivery = open.find(({ due_at_ms: due }) => !isPutOff(due))
    if (delivery) return `${about(delivery)} to ${hostOf(row)} is due in ${Number(delivery.due_at_ms) - nowMs} ms`
  }
  return null
}

/**
 * Why something for a working receiver is delayed; null when nothing is.
 * @param latestMs when it was to be sent at the latest
 */
export function findDelayed(
  endpoints: readonly Waiting[],
  worksSince: (url: string) => number | null,
  latestMs: number,
): string | null {
  for (const { row, owed, open } of endpoints) {
    const since = worksSince(row.url)
    const isBusy = row.retry_at_ms !== null || open.some(({ state }) => state === 'sending')
    if (isBusy || since === null || since > latestMs) continue
    const overdue = open.find(({ due_at_ms: due }) => Number(due) <= latestMs)
    if (overdue) return `${about(overdue)} to ${hostOf(row)} was due at ${overdue.due_at_ms}`
    const late = owed.find(({ atMs }) => atMs <= latestMs)
    if (late) return `event ${late.seq} was not sent to ${hostOf(row)}`
  }
  return null
}
