import { Counter, type Registry } from 'prom-client'
import type { Metrics } from '../../ports/metrics.ts'

/** Registers the metrics of swaps. */
export function createSwapMetrics(registry: Registry): Pick<Metrics, 'swapReportAhead'> {
  const ahead = new Counter({
    name: 'zatgate_swap_reports_ahead_total',
    help: 'Reports of the swap provider whose time is minutes ahead of the clock. They count.',
    registers: [registry],
  })
  return { swapReportAhead: () => ahead.inc() }
}
