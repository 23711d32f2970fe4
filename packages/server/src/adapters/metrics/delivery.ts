import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Metrics } from '../../ports/metrics.ts'

/** Registers the metrics of webhook deliveries. */
export function createDeliveryMetrics(
  registry: Registry,
): Pick<Metrics, 'attemptEnded' | 'deliveryEnded' | 'setInFlight'> {
  const attempts = new Counter({
    name: 'zatgate_webhook_attempts_total',
    help: 'Finished webhook delivery attempts, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'zatgate_webhook_attempt_seconds',
    help: 'Time from the start of a webhook attempt to its end, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.05, 0.2, 0.5, 1, 2, 5],
    registers: [registry],
  })
  const delay = new Histogram({
    name: 'zatgate_webhook_delivery_delay_seconds',
    help: 'Time from an event to the end of its webhook delivery, by outcome. One that failed has used all its attempts.',
    labelNames: ['outcome'],
    buckets: [0.5, 1, 2, 5, 15, 60, 120, 400, 1800],
    registers: [registry],
  })
  const underWay = new Gauge({
    name: 'zatgate_webhook_attempts_under_way',
    help: 'Webhook delivery attempts in progress in this process.',
    registers: [registry],
  })
  return {
    attemptEnded(outcome, secs) {
      attempts.labels(outcome).inc()
      seconds.labels(outcome).observe(secs)
    },
    deliveryEnded: (outcome, secs) => delay.labels(outcome).observe(secs),
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
    help: 'Webhook deliveries that are neither delivered, failed nor canceled. At most 10,000 are counted.',
    registers: [registry],
    async collect() {
      this.set(await countOpen())
    },
  })
}
