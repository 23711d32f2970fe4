import type { Registry } from 'prom-client'
import type { Clock } from '../../ports/clock.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import { createChainSyncMetrics } from './chain-sync.ts'
import { createDeliveryMetrics } from './delivery.ts'

/**
 * Registers the metrics of the roles that this process has, so that a scrape shows no values that it never sets.
 * @param roles the roles of this process, as in the setting `ROLES`
 */
export function createMetrics(registry: Registry, clock: Clock, roles: readonly string[]): Metrics {
  return {
    ...NO_METRICS,
    ...(roles.includes('watcher') && createChainSyncMetrics(registry, clock)),
    ...(roles.includes('delivery') && createDeliveryMetrics(registry)),
  }
}
