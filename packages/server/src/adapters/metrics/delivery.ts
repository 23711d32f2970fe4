import { Counter, Gauge, type Registry } from 'prom-client'
import type { DeliveryMeter } from '../../ports.ts'

/** @param countOpen deliveries that are not over; asked for when the metrics are */
export function createDeliveryMeter(registry: Registry, countOpen: () => Promise<number>): DeliveryMeter {
  const attempts = new Counter({
    name: 'zatgate_webhook_attempts_total',
    help: 'Attempts to deliver a webhook that ended, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const underWay = new Gauge({
    name: 'zatgate_webhook_attempts_under_way',
    help: 'Attempts to deliver a webhook that this process is making.',
    registers: [registry],
  })
  new Gauge({
    name: 'zatgate_webhook_deliveries_open',
    help: 'Webhook deliveries that have neither arrived nor been given up.',
    registers: [registry],
    async collect() {
      this.set(await countOpen())
    },
  })
  return {
    attempt: outcome => attempts.labels(outcome).inc(),
    underWay: count => underWay.set(count),
  }
}
