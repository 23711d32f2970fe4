import { Counter, Gauge, type Registry } from 'prom-client'
import { SET_ASIDE_KINDS } from '../../domain/set-aside.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { SetAsideCount } from '../../ports/repository/set-aside.ts'

/** Registers the count of rows that background work sets aside. */
export function createSetAsideMetrics(registry: Registry): Pick<Metrics, 'rowSetAside'> {
  const rows = new Counter({
    name: 'zatgate_rows_set_aside_total',
    help: 'Rows that background work has set aside because it failed for them alone, by kind.',
    labelNames: ['kind'],
    registers: [registry],
  })
  for (const kind of SET_ASIDE_KINDS) rows.labels(kind)
  return { rowSetAside: kind => rows.labels(kind).inc() }
}

/**
 * Registers the gauge of rows that are set aside.
 * @param counts by kind in the database; called at each scrape
 */
export function addSetAsideGauge(registry: Registry, counts: () => Promise<readonly SetAsideCount[]>): void {
  new Gauge({
    name: 'zatgate_rows_set_aside',
    help: 'Rows that are set aside now, by kind. They are tried again later; "zatgate doctor" lists them.',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const found = new Map((await counts()).map(({ kind, rows }) => [kind, rows]))
      for (const kind of SET_ASIDE_KINDS) this.labels(kind).set(found.get(kind) ?? 0)
    },
  })
}
