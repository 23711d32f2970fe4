import { Counter, type Registry } from 'prom-client'
import type { Metrics } from '../../ports/metrics.ts'

/** Registers the counters of invoices. */
export function createInvoiceMetrics(registry: Registry): Pick<Metrics, 'invoiceCreated' | 'invoiceChanged'> {
  const created = new Counter({
    name: 'zatgate_invoices_created_total',
    help: 'Created invoices, by purpose: sale, plan or withdrawal.',
    labelNames: ['purpose'],
    registers: [registry],
  })
  const changed = new Counter({
    name: 'zatgate_invoice_status_changes_total',
    help: 'Changes of invoices to another status, by purpose and new status.',
    labelNames: ['purpose', 'status'],
    registers: [registry],
  })
  return {
    invoiceCreated: purpose => created.labels(purpose).inc(),
    invoiceChanged: (purpose, status) => changed.labels(purpose, status).inc(),
  }
}
