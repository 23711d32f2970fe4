import { Gauge, Histogram, type Registry } from 'prom-client'
import type { Store } from '../../ports/store.ts'

/** A store that measures its transactions, the wait for a connection included; without a registry the store itself. */
export function measuredStore(store: Store, registry: Registry | null): Store {
  if (registry === null) return store
  const seconds = new Histogram({
    name: 'zatgate_database_transaction_seconds',
    help: 'Time of a transaction from its call to its end, by kind. It includes the wait for a connection and for locks.',
    labelNames: ['kind'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const underWay = new Gauge({
    name: 'zatgate_database_transactions_under_way',
    help: 'Transactions that run or wait for a connection in this process.',
    registers: [registry],
  })

  async function measured<T>(kind: string, run: () => Promise<T>): Promise<T> {
    const end = seconds.labels(kind).startTimer()
    underWay.inc()
    try {
      return await run()
    } finally {
      end()
      underWay.dec()
    }
  }

  return {
    ...store,
    read: work => measured('read', () => store.read(work)),
    query: work => measured('query', () => store.query(work)),
    write: work => measured('write', () => store.write(work)),
    writeBatched: (accountId, work) => measured('batched_write', () => store.writeBatched(accountId, work)),
  }
}
