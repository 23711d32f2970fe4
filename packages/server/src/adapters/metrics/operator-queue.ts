import { Gauge, type Registry } from 'prom-client'
import type { OperatorQueue } from '../../ports/metrics.ts'

/**
 * Registers the gauge of items that wait for the operator.
 * @param waiting counts them in the database; called at each scrape
 */
export function addOperatorQueueGauge(registry: Registry, waiting: () => Promise<OperatorQueue>): void {
  new Gauge({
    name: 'zatgate_operator_queue',
    help: 'Withdrawals to pay out, and withdrawals and paid plans that need attention.',
    labelNames: ['what'],
    registers: [registry],
    async collect() {
      const { payouts, withdrawals, plans } = await waiting()
      this.labels('payout').set(payouts)
      this.labels('withdrawal').set(withdrawals)
      this.labels('plan').set(plans)
    },
  })
}
