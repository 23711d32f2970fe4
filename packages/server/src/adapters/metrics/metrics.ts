import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../ports/clock.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import { createChainSyncMetrics } from './chain-sync.ts'
import { createDeliveryMetrics } from './delivery.ts'
import { createInvoiceMetrics } from './invoice.ts'
import { createMailMetrics } from './mail.ts'
import { createSetAsideMetrics } from './set-aside.ts'
import { createSignInMetrics } from './sign-in.ts'
import { createSwapMetrics } from './swap.ts'

/**
 * Registers the metrics of every process, and of the roles that this one has, so that a scrape shows no values that it
 * never sets.
 * @param roles the roles of this process, as in the setting `ROLES`
 */
export function createMetrics(registry: Registry, clock: Clock, roles: readonly string[]): Metrics {
  const kernelUnused = new Gauge({
    name: 'zatgate_scan_kernel_unused',
    help: '1 since the scan kernel could not run or computed something wrong. The slower plain path is used instead.',
    registers: [registry],
  })
  return {
    ...NO_METRICS,
    kernelUnused: () => kernelUnused.set(1),
    ...((roles.includes('api') || roles.includes('watcher')) && createInvoiceMetrics(registry)),
    ...(roles.includes('watcher') && createChainSyncMetrics(registry, clock)),
    ...(roles.includes('delivery') && createDeliveryMetrics(registry)),
    ...(roles.includes('delivery') && createMailMetrics(registry)),
    // The watcher polls swaps, and so does the API before another start.
    ...((roles.includes('api') || roles.includes('watcher')) && createSwapMetrics(registry)),
    ...((roles.includes('watcher') || roles.includes('delivery')) && createSetAsideMetrics(registry)),
    // The API takes codes, and the delivery role mails them.
    ...((roles.includes('api') || roles.includes('delivery')) && createSignInMetrics(registry)),
  }
}
