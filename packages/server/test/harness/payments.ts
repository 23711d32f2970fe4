import { sumZat } from '../../src/domain/money.ts'
import type { InvoicePayments } from '../../src/domain/sale/invoice-state.ts'
import { confirmedThrough, type Payment } from '../../src/domain/sale/payment.ts'
import type { PaymentRow } from '../../src/ports/repository/sale/payment.ts'
import type { Tx } from '../../src/ports/store.ts'

/** More payments than a test records. */
const ALL = 1_000_000

/** The payments of invoices in the order of recording, dropped payments included. */
export async function paymentsOf(tx: Tx, invoiceIds: readonly number[]): Promise<PaymentRow[]> {
  const rows: PaymentRow[] = []
  for (const id of new Set(invoiceIds)) for (const row of await tx.payments.newest(id, ALL)) rows.push(row)
  return rows.sort((a, b) => a.seq - b.seq)
}

/** Sums up payments one by one: what the database has to sum up. */
export function summarize(payments: readonly Payment[], confirmations: number, tip: number): InvoicePayments {
  const live = payments.filter(({ location }) => location.at !== 'dropped')
  const unmined = live.filter(({ location }) => location.at === 'mempool')
  const mined = live.flatMap(({ location, valueZat, awaitsWitness = false }) =>
    location.at === 'mined' ? [{ height: location.height, valueZat, awaitsWitness }] : [],
  )
  const through = confirmedThrough(confirmations, tip)
  const unconfirmed = mined.map(({ height }) => height).filter(height => height > through)
  const sum = (some: readonly { readonly valueZat: bigint }[]) => sumZat(some.map(({ valueZat }) => valueZat))
  return {
    unminedZat: sum(unmined),
    minedZat: sum(mined),
    confirmedZat: sum(mined.filter(({ height, awaitsWitness }) => height <= through && !awaitsWitness)),
    unconfirmedHeight: unconfirmed.length > 0 ? Math.min(...unconfirmed) : null,
    txid: live.toSorted((a, b) => a.seq - b.seq).at(-1)?.txid ?? null,
    dropped: payments.filter(({ location }) => location.at === 'dropped'),
    firstUnmined: unmined,
  }
}
