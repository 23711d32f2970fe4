import { Counter, Gauge, type Registry } from 'prom-client'
import type { Metrics } from '../../ports/metrics.ts'

/** Registers the metrics of webhook deliveries. */
export function createDeliveryMetrics(registry: Registry): Pick<Metrics, 'attemptEnded' | 'setInFlight'> {
  const attempts = new Counter({
    name: 'zatgate_webhook_attempts_total',
    help: 'Finished webhook delivery attempts, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const underWay = new Gauge({
    name: 'zatgate_webhook_attempts_under_way',
    help: 'Webhook delivery attempts in progress in this process.',
    registers: [registry],
  })
  return {
    attemptEnded: outcome => attempts.labels(outcome).inc(),
    setInFlight: count => underWay.set(count),
  }
}

/**
 * Registers the gauge of open deliveries.
 * @param countOpen counts the deliveries that are waiting or being sent; called at each scrape
 */
export function addOpenDeliveriesGauge(registry: Registry, countOpen: () => Promise<number>): void {
  new Gauge({
    name: 'zatgate_webhook_deliveries_open',
    help: 'Webhook deliveries that are neither delivered, failed nor canceled.',
    registers: [registry],
    async collect() {
      this.set(await countOpen())
    },
  })
}
