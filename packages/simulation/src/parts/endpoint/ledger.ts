import type { ServiceProcess } from '../../service/process.ts'
import { query, queryOne } from '../../world/query.ts'
import type { WebhookRequest } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'
import { openSecret } from '../webhook/ledger.ts'

/** A row of the endpoints, as the database returns it. */
export interface EndpointRow {
  readonly id: bigint
  readonly public_id: string
  readonly account_id: bigint
  readonly url: string
  /** JSON; null: all but `test`. */
  readonly types: string | null
  readonly schedule: 'standard' | 'persistent'
  readonly enabled: bigint
  readonly secret: Uint8Array
  readonly earlier_secret: Uint8Array | null
  readonly earlier_secret_until: bigint | null
  readonly cursor_seq: bigint
  readonly failures: bigint
  readonly is_probing: bigint
  readonly failing_since: bigint | null
  readonly retry_at_ms: bigint | null
  readonly due_at_ms: bigint | null
  readonly paused_at: bigint | null
  readonly removed_at: bigint | null
}

/** A row of the deliveries to endpoints. */
export interface EndpointDeliveryRow {
  readonly id: bigint
  readonly public_id: string
  readonly account_id: bigint
  readonly endpoint_id: bigint
  readonly event_seq: bigint
  readonly event_type: string
  readonly state: 'waiting' | 'sending' | 'delivered' | 'failed' | 'canceled'
  readonly attempts: bigint
  /** When it is tried next, or the attempt in flight counts as lost. Null: it has ended. */
  readonly due_at_ms: bigint | null
  /** It holds up no later event. */
  readonly passed: bigint
  readonly created_at: bigint
}

/** Where an endpoint's events go, and the secrets that sign them, the newest first. */
export interface EndpointTarget {
  readonly url: string
  readonly secrets: readonly [string, ...string[]]
  /** Until when the earlier secret signs too, in Unix milliseconds. */
  readonly earlierUntilMs: number
}

/** A committed claim of a delivery by a process: permission for one request. */
export interface EndpointClaim {
  readonly process: ServiceProcess
  /** 1 or more. */
  readonly attempt: number
  readonly accountId: bigint
  readonly seq: bigint
  /** Before and after the commit. */
  readonly targets: readonly EndpointTarget[]
  request: WebhookRequest | null
}

/** A delivery with all claims that the judge has seen, also those that a restored database does not contain. */
export interface KnownEndpointDelivery {
  row: EndpointDeliveryRow
  readonly claims: EndpointClaim[]
}

const ENDPOINTS = `SELECT id, public_id, account_id, url, types, schedule, enabled, secret, earlier_secret,
  earlier_secret_until, cursor_seq, failures, is_probing, failing_since, retry_at_ms, due_at_ms, paused_at, removed_at
  FROM endpoints ORDER BY id`
const DELIVERIES = `SELECT id, public_id, account_id, endpoint_id, event_seq, event_type, state, attempts,
  endpoint_due_at_ms AS due_at_ms, passed, created_at FROM deliveries WHERE endpoint_id IS NOT NULL`
const OPEN_AND_NEW = `${DELIVERIES} AND (endpoint_due_at_ms IS NOT NULL OR id > ?) ORDER BY id`
const COUNTERS = 'SELECT account_id, seq, pruned_seq FROM event_counters'

export const readEndpoints = query<EndpointRow>(ENDPOINTS)

/** Deliveries that have not ended, and those after an id. */
export const readOpenAndNew = query<EndpointDeliveryRow>(OPEN_AND_NEW)

export const readAll = query<EndpointDeliveryRow>(`${DELIVERIES} ORDER BY id`)

export const readDelivery = queryOne<EndpointDeliveryRow>(`${DELIVERIES} AND id = ?`)

export function lastDeliveryId({ database }: World): bigint {
  const sql = 'SELECT max(id) AS id FROM deliveries WHERE endpoint_id IS NOT NULL'
  return database.committed<{ id: bigint | null }>(sql)[0]?.id ?? 0n
}

/** The numbers of an account's events. */
export interface EventCounter {
  readonly account_id: bigint
  /** The newest. */
  readonly seq: bigint
  /** The newest that is no longer kept. */
  readonly pruned_seq: bigint
}

/** By account. */
export function readCounters({ database }: World): Map<bigint, EventCounter> {
  return new Map(database.committed<EventCounter>(COUNTERS).map(row => [row.account_id, row]))
}

/** Opens the secrets of endpoints, each once. */
export function createSecretReader(world: World): (sealed: Uint8Array, accountId: bigint) => string {
  const opened = new Map<string, string>()
  return (sealed, accountId) => {
    const name = Buffer.from(sealed).toString('hex')
    const known = opened.get(name)
    if (known !== undefined) return known
    const secret = openSecret(world, sealed, accountId, 'endpoints')
    opened.set(name, secret)
    return secret
  }
}

/** Whether events are sent to the endpoint. */
export function isActive({ enabled, paused_at: paused, removed_at: removed }: EndpointRow): boolean {
  return enabled === 1n && paused === null && removed === null
}

/** Whether the endpoint gets events of the type without a request of its owner. */
export function wants({ types }: EndpointRow, type: string): boolean {
  return types === null ? type !== 'test' : (JSON.parse(types) as string[]).includes(type)
}
