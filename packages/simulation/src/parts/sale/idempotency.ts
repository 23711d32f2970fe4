import type { World } from '../../world/world.ts'

/** How long an idempotency key returns what its first request has created. */
const RETENTION_MS = 86_400_000

/** Whether the service must remember a request from this time (Unix milliseconds), by whichever of its clocks. */
export function isRemembered({ scheduler, clockErrors }: World, atMs: number): boolean {
  return scheduler.nowMs - atMs + (clockErrors.maxMs - clockErrors.minMs) < RETENTION_MS
}
