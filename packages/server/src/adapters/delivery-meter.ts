import { Counter, Gauge, type Registry } from 'prom-client'
import type { DeliveryMeter } from '../ports.ts'

export function createDeliveryMeter(registry: Registry): DeliveryMeter {
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
  return {
    attempt: outcome => attempts.labels(outcome).inc(),
    underWay: count => underWay.set(count),
  }
}
