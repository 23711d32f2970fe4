import type { Account } from '../src/domain/account/account.ts'
import { DAY_SECS } from '../src/domain/time.ts'
import type { Store } from '../src/ports/store.ts'
import type { ExportFile } from '../src/services/sale/export.ts'
import { openTestContainer, scopeOf } from '../test/harness/container.ts'
import { ManualClock } from '../test/harness/manual-clock.ts'
import { testViewingKey } from '../test/harness/viewing-key.ts'
import { instantAddresses } from './addresses.ts'
import { addManyInvoices } from './many-invoices.ts'
import { compareSizes, type Filled, type Work } from './sizes.ts'

/** From the environment variable BENCH_INVOICES. The goal applies to 1,000,000. */
const LARGE = Number(process.env.BENCH_INVOICES ?? 100_000)
const PAGE = 50
/** The sales of a year end now. */
const YEAR_SECS = 365 * DAY_SECS

/** A database with this many invoices of one account over a year. The works return when a merchant sees the result. */
async function openFilled(url: string, invoices: number): Promise<Filled> {
  const stack = new AsyncDisposableStack()
  const clock = new ManualClock()
  const adapters = { databaseUrl: url, clock, noteScanner: instantAddresses() }
  const { infrastructure, services } = await openTestContainer(scopeOf(stack), adapters)
  const created = await services.accounts.findOrCreate('shop@example.org')
  const account = await services.viewingKeys.setWithoutNotification(created, testViewingKey())
  const [from, to] = [clock.secs - YEAR_SECS, clock.secs]
  const startedAt = performance.now()
  await addManyInvoices(url, { accountId: account.id, viewingKeyId: account.viewingKeyId!, invoices, from, to })
  const fillMs = performance.now() - startedAt
  const works = worksOf({ store: infrastructure.store, services, clock }, account, invoices)
  return { fillMs, works, close: () => stack.disposeAsync() }
}

type Services = Awaited<ReturnType<typeof openTestContainer>>['services']

interface Opened {
  readonly store: Store
  readonly services: Services
  readonly clock: ManualClock
}

/** As many rows are read of both databases. */
function worksOf({ store, services, clock }: Opened, account: Account, invoices: number): Record<string, Work> {
  const { dashboard, exports, refunds } = services
  const idOf = (n: number) => `00000000-0000-4000-8000-${100_000_000_000 + n}`
  const list = (filter: Parameters<Services['invoices']['list']>[2] = {}, before?: string) => {
    return () => services.invoices.list(account, { limit: PAGE, ...(before !== undefined && { before }) }, filter)
  }
  const middle = idOf(invoices / 2)
  const now = clock.secs
  const month = { from: now - 60 * DAY_SECS, to: now - 30 * DAY_SECS }
  const ofMonth = { createdFrom: month.from, createdTo: month.to }
  const ofHalfYear = { createdFrom: now - YEAR_SECS, createdTo: now - YEAR_SECS / 2 }
  const rowsOf = (file: () => ExportFile, rows: number) => async () => {
    let read = 0
    for await (const chunk of file().chunks) {
      read += chunk.split('\r\n').length - 1
      if (read >= rows) break
    }
  }
  return {
    'first page': list(),
    'page in the middle': list({}, middle),
    'last page': list({}, idOf(PAGE)),
    paid: list({ statuses: ['paid'] }),
    'paid, in the middle': list({ statuses: ['paid'] }, middle),
    'pending, of which there are none': list({ statuses: ['pending'] }),
    'a month': list(ofMonth),
    'paid or expired': list({ statuses: ['paid', 'expired'] }),
    'paid or expired, in the middle': list({ statuses: ['paid', 'expired'] }, middle),
    'paid or expired, in a month': list({ statuses: ['paid', 'expired'], ...ofMonth }),
    'all but detected': list({ statuses: ['pending', 'paid', 'underpaid', 'expired'] }),
    'an order, paid or expired': list({ statuses: ['paid', 'expired'], orderId: String(invoices / 2) }),
    'expired in a month': list({ statuses: ['expired'], ...ofMonth }),
    'late in half a year': list({ late: true, ...ofHalfYear }),
    'part paid': list({ partPaid: true }),
    overpaid: list({ overpaid: true }),
    late: list({ late: true }),
    'late, in the middle': list({ late: true }, middle),
    canceled: list({ canceled: true }),
    refunded: list({ refunded: true }),
    'refunded, in the middle': list({ refunded: true }, middle),
    'an order': list({ orderId: String(invoices / 2) }),
    'an order in half a year': list({ orderId: '7', ...ofHalfYear }),
    'search of an order': () => dashboard.search(account, String(invoices / 2)),
    'search of the beginning of orders': () => dashboard.search(account, '1'),
    'search of no order': () => dashboard.search(account, 'x'),
    'search of an id': () => dashboard.search(account, idOf(7).slice(0, -1)),
    'search of no id': () => dashboard.search(account, 'ffffff'),
    overview: () => {
      clock.advance(4)
      return dashboard.summary(account)
    },
    'page of an invoice': () => dashboard.invoice(account, idOf(3)),
    'export of 300 rows of a month': rowsOf(() => exports.invoices(account, null, 'csv', month), 300),
    'export of 300 rows of all': rowsOf(() => exports.invoices(account, null, 'csv', { from: 0 }), 300),
    'page of an export of all, near its end': () => {
      const after = { createdAt: now - DAY_SECS, id: 0 }
      return store.query(tx => tx.dashboard.listByTime(account.id, { from: 0, to: now }, after, 20))
    },
    refunds: () => refunds.list(account, { limit: PAGE }, undefined, 'hidden'),
    'refunds that are ready': () => refunds.list(account, { limit: PAGE }, 'ready', 'hidden'),
    'refunds awaiting an address, of which there are none': () =>
      refunds.list(account, { limit: PAGE }, 'awaiting_address', 'hidden'),
    'export of 100 refunds': rowsOf(() => exports.refunds(account, null, 'csv', { from: 0 }), 100),
  }
}

await compareSizes({ rows: 'invoices', large: LARGE, rounds: 7 }, openFilled)
