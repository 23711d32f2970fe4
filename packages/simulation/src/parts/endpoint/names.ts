import type { EndpointDeliveryRow, EndpointRow } from './ledger.ts'

/** Its state, for the coverage. */
export function stateOf(row: EndpointRow): string {
  if (row.removed_at !== null) return 'removed'
  if (row.paused_at !== null) return 'paused'
  if (row.enabled === 0n) return 'disabled'
  return row.failing_since === null ? 'active' : 'failing'
}

/** The server of its receiver, for the story. */
export function hostOf({ url }: EndpointRow): string {
  return new URL(url).host.split('.')[0] ?? url
}

/** For the story. */
export function about({ event_seq: seq, event_type: type, state, attempts }: EndpointDeliveryRow): string {
  return `event ${seq} (${type}, ${state} after ${attempts})`
}
