import { Counter, Gauge, type Registry } from 'prom-client'
import type { Mailer } from '../../ports/mailer.ts'
import type { Metrics } from '../../ports/metrics.ts'

/** Registers the counter of mails. */
export function createMailMetrics(registry: Registry): Pick<Metrics, 'mailEnded'> {
  const mails = new Counter({
    name: 'zatgate_mails_total',
    help: 'Mails that were given to the mail server, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return { mailEnded: outcome => mails.labels(outcome).inc() }
}

/**
 * Registers the gauge of waiting mails.
 * @param countWaiting counts the mails that are not sent; called at each scrape
 */
export function addWaitingMailsGauge(registry: Registry, countWaiting: () => Promise<number>): void {
  new Gauge({
    name: 'zatgate_mails_waiting',
    help: 'Mails that are not sent yet, those postponed after a failure included. At most 10,000 are counted.',
    registers: [registry],
    async collect() {
      this.set(await countWaiting())
    },
  })
}

/** A mailer that counts its mails. */
export function measuredMailer(mailer: Mailer, metrics: Pick<Metrics, 'mailEnded'>): Mailer {
  return {
    async send(mail) {
      try {
        await mailer.send(mail)
        metrics.mailEnded('sent')
      } catch (error) {
        metrics.mailEnded('failed')
        throw error
      }
    },
    close: () => mailer.close(),
  }
}
