import { Gauge, type Registry } from 'prom-client'
import type { ReportedRates } from '../../ports/rate.ts'

/** Adds the prices of the currencies in use, read on each scrape: of each source, and the rate that comes of them. */
export function addRateGauges(registry: Registry, report: ReportedRates['report']): void {
  const registers = [registry]
  new Gauge({
    name: 'zatgate_rate_quote',
    help: 'The latest price of 1 ZEC of each source, in currencies in use.',
    labelNames: ['source', 'currency'],
    registers,
    collect() {
      this.reset()
      for (const { currency, quotes } of report())
        for (const { source, price } of quotes) this.set({ source, currency }, Number(price))
    },
  })
  new Gauge({
    name: 'zatgate_rate',
    help: 'The price of 1 ZEC that is used, in currencies in use. 0 without a rate.',
    labelNames: ['currency'],
    registers,
    collect() {
      this.reset()
      for (const { currency, rate } of report()) this.set({ currency }, Number(rate?.price ?? 0))
    },
  })
}
