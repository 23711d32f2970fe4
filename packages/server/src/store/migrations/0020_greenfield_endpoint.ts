import type { Dialect } from '../dialect.ts'

/**
 * Endpoints that get the events as BTCPay's API sends them.
 * - `endpoints.greenfield_events` are those that were chosen, a JSON list; null: all. `application`: the name of the API key
 *   that made the endpoint.
 * - `deliveries.part`: which message of its event a delivery sends, from 0 on. `original_id`: the public id of the delivery
 *   that it repeats.
 */
export function greenfieldEndpointMigration({ int }: Dialect): string[] {
  return [
    `ALTER TABLE endpoints ADD COLUMN dialect TEXT NOT NULL DEFAULT 'zatgate'`,
    'ALTER TABLE endpoints ADD COLUMN greenfield_events TEXT',
    'ALTER TABLE endpoints ADD COLUMN application TEXT',
    `ALTER TABLE deliveries ADD COLUMN part ${int} NOT NULL DEFAULT 0`,
    'ALTER TABLE deliveries ADD COLUMN original_id TEXT',
  ]
}
