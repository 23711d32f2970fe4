import { createVault } from '@zatgate/server/adapters/crypto/vault'
import type { EndpointDeliveryRow, EndpointRow } from '../../../src/parts/endpoint/ledger.ts'
import { ENCRYPTION_KEY, type ServiceProcess } from '../../../src/service/process.ts'
import { NOW_SECS } from '../fake-world.ts'

export const NOW_MS = NOW_SECS * 1000
export const SECRET = 'a secret of the shop'
export const URL = 'https://endpoint-1.example.org/webhook'
export const PROCESS = { name: 'process 1', alive: true, clock: { nowMs: () => NOW_MS } } as unknown as ServiceProcess
const VAULT = createVault([ENCRYPTION_KEY], { bytes: count => new Uint8Array(count), uuid: () => '' })

/** A persistent endpoint that has been sent nothing. */
export const ENDPOINT: EndpointRow = {
  id: 1n,
  public_id: 'endpoint-1',
  account_id: 1n,
  url: URL,
  types: null,
  schedule: 'persistent',
  enabled: 1n,
  secret: VAULT.seal(Buffer.from(SECRET), { table: 'endpoints', column: 'secret', row: 1 }),
  earlier_secret: null,
  earlier_secret_until: null,
  cursor_seq: 0n,
  failures: 0n,
  is_probing: 0n,
  failing_since: null,
  retry_at_ms: null,
  due_at_ms: null,
  paused_at: null,
  removed_at: null,
}

/** The first attempt at the delivery of event 1. */
export const SENDING: EndpointDeliveryRow = {
  id: 1n,
  public_id: 'delivery-1',
  account_id: 1n,
  endpoint_id: 1n,
  event_seq: 1n,
  event_type: 'invoice.paid',
  state: 'sending',
  attempts: 1n,
  due_at_ms: BigInt(NOW_MS + 15_000),
  passed: 0n,
  created_at: BigInt(NOW_SECS),
}
