import type { Account } from '../domain/account.ts'
import type { ChainProblem } from '../domain/chain-problem.ts'
import { type ChainTime, chainTime, MEDIAN_BLOCKS } from '../domain/chain-time.ts'
import { notFound } from '../domain/error.ts'
import { sumZat, type Zat } from '../domain/money.ts'
import type { ConsensusParams } from '../domain/network-upgrade.ts'
import { countConfirmations } from '../domain/payment.ts'
import { DAY_SECS, startOfDay, startOfMonth, startOfWeek } from '../domain/time.ts'
import { isUuid } from '../domain/uuid.ts'
import { MAX_DIVERSIFIER_INDEX, viewingKeySealContext } from '../domain/viewing-key.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { NoteScanner } from '../ports/note-scanner.ts'
import type { DailyTotals } from '../ports/repository/dashboard.ts'
import type { AttemptRow } from '../ports/repository/delivery.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { PaymentRow } from '../ports/repository/payment.ts'
import type { Store, Tx } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'

export interface PeriodTotals {
  readonly receivedZat: Zat
  /** Invoices that became paid in the period. */
  readonly invoices: number
}

/** Summary of an account. Days, weeks (from Monday) and months are in UTC. */
export interface DashboardSummary {
  readonly today: PeriodTotals
  readonly week: PeriodTotals
  readonly month: PeriodTotals
  /** The last 30 days including today, oldest first. Days without payments are included. */
  readonly days: readonly DailyTotals[]
  readonly open: { readonly pending: number; readonly detected: number; readonly late: number }
  /** The newest ten paid invoices with payments removed by a reorganisation. */
  readonly reorged: readonly Invoice[]
  /** Number of all such invoices. */
  readonly reorgedTotal: number
  /** The newest delivery attempt if it failed; null otherwise. */
  readonly failedAttempt: AttemptRow | null
  readonly recent: readonly Invoice[]
  /** State of the chain source and of the service's clock, derived from the newest blocks. */
  readonly chainTime: ChainTime
  /** Current problems of the chain source. */
  readonly chainProblems: readonly ChainProblem[]
  /** Completed setup steps of the account. */
  readonly setupSteps: { readonly viewingKey: boolean; readonly apiKey: boolean; readonly invoice: boolean }
  readonly webhookSet: boolean
}

export interface InvoiceDetail {
  readonly invoice: Invoice
  readonly payments: readonly (PaymentRow & { readonly confirmed: number })[]
  /** Height of the newest recorded block; 0 before the first. */
  readonly tip: number
  /** The newest 50. */
  readonly attempts: readonly AttemptRow[]
  readonly webhookSet: boolean
}

export interface Dashboard {
  summary(account: Account): Promise<DashboardSummary>
  /**
   * Finds invoices by id, address, or the id of a transaction that pays them. Ids may be shortened to a prefix of at
   * least 6 characters. Other text returns an empty list.
   */
  search(account: Account, text: string): Promise<Invoice[]>
  /** Details of one invoice of the account. @throws AppError `no_such_invoice` */
  invoice(account: Account, publicId: string): Promise<InvoiceDetail>
}

const DAYS = 30
const RECENT_LIMIT = 5
const REORGED_LIMIT = 10
const SEARCH_LIMIT = 50
const ATTEMPT_LIMIT = 50

export function createDashboard(deps: {
  readonly store: Store
  readonly noteScanner: NoteScanner
  readonly vault: Vault
  readonly clock: Clock
  readonly params: ConsensusParams
  readonly lateWatchDays: number
}): Dashboard {
  const { store, noteScanner, vault, clock, params, lateWatchDays } = deps

  /** Decrypts the diversifier index of the address with each of the account's keys, so that no address index is needed. */
  async function byAddress(tx: Tx, account: Account, address: string): Promise<Invoice[]> {
    const at = []
    for (const viewingKeyId of await tx.dashboard.viewingKeyIds(account.id)) {
      const key = await tx.viewingKeys.byId(viewingKeyId)
      if (!key) continue
      const incoming = vault.open(key.sealed, viewingKeySealContext(key.id))
      const diversifierIndex = noteScanner.diversifierIndexOf(incoming, address)
      if (diversifierIndex !== null && diversifierIndex <= MAX_DIVERSIFIER_INDEX)
        at.push({ viewingKeyId, diversifierIndex })
    }
    const found = at.length > 0 ? await tx.invoices.byDiversifierIndexes(at) : []
    return found.filter(
      invoice => invoice.accountId === account.id && invoice.purpose === 'sale' && invoice.address === address,
    )
  }

  return {
    summary: account =>
      store.read(async tx => {
        const now = nowSecs(clock)
        const today = startOfDay(now)
        const from = today - (DAYS - 1) * DAY_SECS
        const week = startOfWeek(now)
        const month = startOfMonth(now)
        const paid = await tx.dashboard.paidByDay(account.id, Math.min(from, week, month))
        const since = (start: number) => totalsOf(paid.filter(({ day }) => day >= start))
        const [lastAttempt] = await tx.deliveries.listAttempts(account.id, { limit: 1 })
        const recent = await tx.invoices.list(account.id, { limit: RECENT_LIMIT })
        return {
          today: since(today),
          week: since(week),
          month: since(month),
          days: everyDay(paid, from),
          open: {
            pending: await tx.dashboard.countByStatus(account.id, 'pending', 0),
            detected: await tx.dashboard.countByStatus(account.id, 'detected', 0),
            late: await tx.dashboard.countByStatus(account.id, 'underpaid', now - (lateWatchDays + 1) * DAY_SECS),
          },
          reorged: await tx.dashboard.needingAttention(account.id, REORGED_LIMIT),
          reorgedTotal: await tx.dashboard.countNeedingAttention(account.id),
          failedAttempt: lastAttempt && lastAttempt.error !== null ? lastAttempt : null,
          recent,
          chainProblems: await tx.chain.problems(),
          chainTime: chainTime(params, await tx.chain.newestHeaders(MEDIAN_BLOCKS), now),
          setupSteps: {
            viewingKey: account.viewingKeyId !== null,
            apiKey: (await tx.apiKeys.list(account.id, { limit: 1 })).length > 0,
            invoice: recent.length > 0,
          },
          webhookSet: (await tx.webhooks.byAccount(account.id)) !== null,
        }
      }),

    async search(account, text) {
      const query = text
        .trim()
        .toLowerCase()
        .replace(/^zcash:/, '')
        .replace(/\?.*$/, '')
      if (/^u(?:test|regtest)?1[a-z0-9]{20,}$/.test(query)) return store.read(tx => byAddress(tx, account, query))
      if (!/^[0-9a-f-]{6,64}$/.test(query)) return []
      return store.read(async tx => {
        const found = await tx.dashboard.byIdPrefix(account.id, query, SEARCH_LIMIT)
        return found.length > 0 ? found : tx.dashboard.byTxidPrefix(account.id, query, SEARCH_LIMIT)
      })
    },

    async invoice(account, publicId) {
      const detail = isUuid(publicId) && (await store.read(tx => findDetail(tx, account, publicId.toLowerCase())))
      if (!detail) throw notFound('invoice')
      return detail
    },
  }
}

async function findDetail(tx: Tx, account: Account, publicId: string): Promise<InvoiceDetail | null> {
  const invoice = await tx.invoices.byPublicId(publicId)
  if (invoice?.accountId !== account.id) return null
  const tip = (await tx.chain.tip())?.height ?? 0
  const payments = await tx.payments.byInvoices([invoice.id])
  return {
    invoice,
    tip,
    payments: payments.map(payment => ({ ...payment, confirmed: countConfirmations(payment.location, tip) })),
    attempts: await tx.deliveries.listAttempts(account.id, { limit: ATTEMPT_LIMIT }, { invoicePublicId: publicId }),
    webhookSet: (await tx.webhooks.byAccount(account.id)) !== null,
  }
}

function totalsOf(days: readonly DailyTotals[]): PeriodTotals {
  return {
    receivedZat: sumZat(days.map(day => day.receivedZat)),
    invoices: days.reduce((sum, day) => sum + day.invoices, 0),
  }
}

function everyDay(paid: readonly DailyTotals[], from: number): DailyTotals[] {
  const known = new Map(paid.map(totals => [totals.day, totals]))
  return Array.from({ length: DAYS }, (_, index) => {
    const day = from + index * DAY_SECS
    return known.get(day) ?? { day, receivedZat: 0n, invoices: 0 }
  })
}
