import { Counter, type Registry } from 'prom-client'
import type { Metrics } from '../../ports/metrics.ts'

/** Registers the metrics of swaps. */
export function createSwapMetrics(registry: Registry): Pick<Metrics, 'swapReportRefused'> {
  const refused = new Counter({
    name: 'zatgate_swap_reports_refused_total',
    help: 'Reports of the swap provider that were refused because their time is minutes ahead of the clock.',
    registers: [registry],
  })
  return { swapReportRefused: () => refused.inc() }
}
