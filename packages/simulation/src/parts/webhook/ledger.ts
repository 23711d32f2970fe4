import { createVault } from '@zatgate/server/adapters/crypto/vault'
import type { Owner } from '../../runtime/scheduler.ts'
import { query, queryOne } from '../../world/query.ts'
import type { WebhookRequest } from '../../world/receivers.ts'
import type { World } from '../../world/world.ts'

/** A row of the deliveries, as the database returns it. */
export interface DeliveryRow {
  readonly id: bigint
  readonly public_id: string
  readonly account_id: bigint
  readonly invoice_id: bigint | null
  readonly event_type: string
  /** The number of its event. */
  readonly event_seq: bigint
  /** The body of its event. */
  readonly body: string
  readonly state: 'waiting' | 'sending' | 'delivered' | 'failed' | 'canceled'
  readonly attempts: bigint
  readonly due_at_ms: bigint | null
  readonly created_at: bigint
}

/** A row of the delivery log. */
export interface AttemptRow {
  readonly delivery_id: bigint
  readonly attempt: bigint
  readonly url: string
  readonly status_code: bigint | null
  readonly error: string | null
  readonly duration_ms: bigint | null
}

/** Where a delivery goes, and the secret that signs it. */
export interface Target {
  readonly url: string
  readonly secret: string
}

/** A committed claim of a delivery by a process: permission for one request. */
export interface Claim {
  readonly process: Owner
  /** 1 to 4. */
  readonly attempt: number
  /** The targets that were in force during the claim, or later until the request. */
  readonly targets: Target[]
  /** Committed with at least two other use cases: the webhook that one has set and the other replaced is not known. */
  readonly mayHaveUnknownTarget?: boolean
  request: WebhookRequest | null
}

/** A delivery with all claims that the judge has seen. */
export interface KnownDelivery {
  row: DeliveryRow
  readonly claims: Claim[]
  /** Claims that a restored database does not contain: their processes may still send and record them. */
  readonly forgotten: readonly Claim[]
}

const DELIVERIES = `SELECT d.id, d.public_id, d.account_id, d.invoice_id, d.event_type, d.event_seq, e.body, d.state,
  d.attempts, d.due_at_ms, d.created_at
  FROM deliveries d LEFT JOIN events e ON e.account_id = d.account_id AND e.seq = d.event_seq`
const OF_WEBHOOKS = `${DELIVERIES} WHERE d.endpoint_id IS NULL`
const OPEN_AND_NEW = `${OF_WEBHOOKS} AND (d.due_at_ms IS NOT NULL OR d.id > ?) ORDER BY d.id`
const ATTEMPT_COLUMNS = 'delivery_id, attempt, url, status_code, error, duration_ms FROM delivery_attempts'
const PRUNED = 'SELECT pruned_seq FROM event_counters WHERE account_id = ?'
const WEBHOOKS = 'SELECT account_id, url, secret FROM webhooks'

/** Deliveries that have not ended, and those after an id. */
export const readOpenAndNew = query<DeliveryRow>(OPEN_AND_NEW)

export function lastDeliveryId({ database }: World): bigint {
  const sql = 'SELECT max(id) AS id FROM deliveries WHERE endpoint_id IS NULL'
  return database.committed<{ id: bigint | null }>(sql)[0]?.id ?? 0n
}

export const readDelivery = queryOne<DeliveryRow>(`${OF_WEBHOOKS} AND d.id = ?`)

export const readAll = query<DeliveryRow>(`${OF_WEBHOOKS} ORDER BY d.id`)

/** The log of a delivery. */
export const readAttempts = query<AttemptRow>(`SELECT ${ATTEMPT_COLUMNS} WHERE delivery_id = ? ORDER BY attempt`)

/** The number of the newest event of an account that is no longer kept; 0: none. */
export function readPrunedSeq({ database }: World, accountId: bigint): bigint {
  return database.committed<{ pruned_seq: bigint }>(PRUNED, accountId)[0]?.pruned_seq ?? 0n
}

/** The secret of an account's webhook, or of one of its endpoints. */
export function openSecret(
  world: World,
  sealed: Uint8Array,
  accountId: bigint,
  table: 'webhooks' | 'endpoints' = 'webhooks',
): string {
  const context = { table, column: 'secret', row: Number(accountId) } as const
  const vault = createVault(world.encryptionKeys(), { bytes: () => new Uint8Array(), uuid: () => '' })
  return Buffer.from(vault.open(sealed, context)).toString()
}

/** The webhooks, with their sealed secrets. */
export const readWebhooks = query<{ account_id: bigint; url: string; secret: Uint8Array }>(WEBHOOKS)
