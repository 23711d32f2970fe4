import type { Account } from '../domain/account.ts'
import type { ChainProblem } from '../domain/chain-problem.ts'
import { type ChainTime, chainTime, MEDIAN_BLOCKS } from '../domain/chain-time.ts'
import { noSuch } from '../domain/error.ts'
import { confirmationsOf } from '../domain/invoice.ts'
import { sumZat, type Zat } from '../domain/money.ts'
import type { ConsensusParams } from '../domain/network-upgrade.ts'
import { DAY_SECS, startOfDay, startOfMonth, startOfWeek } from '../domain/time.ts'
import { isUuid } from '../domain/uuid.ts'
import { MAX_INDEX, viewingKeyPlace } from '../domain/viewing-key.ts'
import type { DayFigures } from '../ports/repository/dashboard.ts'
import type { Invoice, PaymentRow } from '../ports/repository/invoice.ts'
import type { AttemptRow } from '../ports/repository/webhook.ts'
import type { Clock, Rows, Store, Vault, Viewer } from '../ports.ts'
import { nowSecs } from '../ports.ts'

export interface Figure {
  readonly receivedZat: Zat
  /** Found paid in the period. */
  readonly invoices: number
}

/** How an account stands. Days, weeks (from Monday) and months are those of UTC. */
export interface Standing {
  readonly today: Figure
  readonly week: Figure
  readonly month: Figure
  /** The last 30, today included, oldest first; none left out. */
  readonly days: readonly DayFigures[]
  readonly open: { readonly pending: number; readonly detected: number; readonly late: number }
  /** Paid invoices whose payments the chain took back: the newest ten, and how many there are. */
  readonly takenBack: readonly Invoice[]
  readonly takenBackTotal: number
  /** The newest attempt to deliver, where it failed. */
  readonly failedAttempt: AttemptRow | null
  readonly recent: readonly Invoice[]
  /** What the newest blocks say of the chain source and of the service's clock. */
  readonly chainTime: ChainTime
  /** What the chain source lacks, as the watcher found it last. */
  readonly chainProblems: readonly ChainProblem[]
  /** How far the account has come on its first way. */
  readonly steps: { readonly viewingKey: boolean; readonly apiKey: boolean; readonly invoice: boolean }
  readonly webhookSet: boolean
}

export interface InvoiceDetail {
  readonly invoice: Invoice
  readonly payments: readonly (PaymentRow & { readonly confirmed: number })[]
  /** Height of the last block read; 0 before the first. */
  readonly tip: number
  /** The newest 50. */
  readonly attempts: readonly AttemptRow[]
  readonly webhookSet: boolean
}

export interface Dashboard {
  standing(account: Account): Promise<Standing>
  /**
   * Invoices by their id, their address, or the id of a transaction that paid them. Ids may be shortened to their first
   * 6 characters; what is less, or nothing of these, finds nothing.
   */
  search(account: Account, text: string): Promise<Invoice[]>
  /** One of the account's own. @throws Fault `no_such_invoice` */
  invoice(account: Account, publicId: string): Promise<InvoiceDetail>
}

const DAYS = 30
const RECENT = 5
const TAKEN_BACK = 10
const FOUND = 50
const ATTEMPTS = 50

export function createDashboard(deps: {
  readonly store: Store
  readonly viewer: Viewer
  readonly vault: Vault
  readonly clock: Clock
  readonly params: ConsensusParams
  readonly lateWatchDays: number
}): Dashboard {
  const { store, viewer, vault, clock, params, lateWatchDays } = deps

  /** An address is found by its diversifier index under each of the account's keys, which no index has to be kept for. */
  async function byAddress(rows: Rows, account: Account, address: string): Promise<Invoice[]> {
    const at = []
    for (const viewingKeyId of await rows.dashboard.viewingKeyIds(account.id)) {
      const key = await rows.viewingKeys.byId(viewingKeyId)
      if (!key) continue
      const incoming = vault.open(key.sealed, viewingKeyPlace(key.id))
      const diversifierIndex = viewer.indexOf(incoming, address)
      if (diversifierIndex !== null && diversifierIndex <= MAX_INDEX) at.push({ viewingKeyId, diversifierIndex })
    }
    const found = at.length > 0 ? await rows.invoices.atIndexes(at) : []
    return found.filter(
      invoice => invoice.accountId === account.id && invoice.purpose === 'sale' && invoice.address === address,
    )
  }

  return {
    standing: account =>
      store.read(async rows => {
        const now = nowSecs(clock)
        const today = startOfDay(now)
        const from = today - (DAYS - 1) * DAY_SECS
        const week = startOfWeek(now)
        const month = startOfMonth(now)
        const paid = await rows.dashboard.paidByDay(account.id, Math.min(from, week, month))
        const since = (start: number) => total(paid.filter(({ day }) => day >= start))
        const [lastAttempt] = await rows.deliveries.attempts(account.id, { limit: 1 })
        const recent = await rows.invoices.list(account.id, { limit: RECENT })
        return {
          today: since(today),
          week: since(week),
          month: since(month),
          days: everyDay(paid, from),
          open: {
            pending: await rows.dashboard.countByStatus(account.id, 'pending', 0),
            detected: await rows.dashboard.countByStatus(account.id, 'detected', 0),
            late: await rows.dashboard.countByStatus(account.id, 'underpaid', now - (lateWatchDays + 1) * DAY_SECS),
          },
          takenBack: await rows.dashboard.needingAttention(account.id, TAKEN_BACK),
          takenBackTotal: await rows.dashboard.countNeedingAttention(account.id),
          failedAttempt: lastAttempt && lastAttempt.error !== null ? lastAttempt : null,
          recent,
          chainProblems: await rows.chain.problems(),
          chainTime: chainTime(params, await rows.chain.newest(MEDIAN_BLOCKS), now),
          steps: {
            viewingKey: account.viewingKeyId !== null,
            apiKey: (await rows.apiKeys.list(account.id, { limit: 1 })).length > 0,
            invoice: recent.length > 0,
          },
          webhookSet: (await rows.webhooks.byAccount(account.id)) !== null,
        }
      }),

    async search(account, text) {
      const wanted = text
        .trim()
        .toLowerCase()
        .replace(/^zcash:/, '')
        .replace(/\?.*$/, '')
      if (/^u(?:test|regtest)?1[a-z0-9]{20,}$/.test(wanted)) return store.read(rows => byAddress(rows, account, wanted))
      if (!/^[0-9a-f-]{6,64}$/.test(wanted)) return []
      return store.read(async rows => {
        const found = await rows.dashboard.byIdPrefix(account.id, wanted, FOUND)
        return found.length > 0 ? found : rows.dashboard.byTxidPrefix(account.id, wanted, FOUND)
      })
    },

    async invoice(account, publicId) {
      const detail = isUuid(publicId) && (await store.read(rows => findDetail(rows, account, publicId.toLowerCase())))
      if (!detail) throw noSuch('invoice')
      return detail
    },
  }
}

async function findDetail(rows: Rows, account: Account, publicId: string): Promise<InvoiceDetail | null> {
  const invoice = await rows.invoices.byPublicId(publicId)
  if (invoice?.accountId !== account.id) return null
  const tip = (await rows.chain.tip())?.height ?? 0
  const payments = await rows.payments.ofInvoices([invoice.id])
  return {
    invoice,
    tip,
    payments: payments.map(payment => ({ ...payment, confirmed: confirmationsOf(payment.place, tip) })),
    attempts: await rows.deliveries.attempts(account.id, { limit: ATTEMPTS }, { invoicePublicId: publicId }),
    webhookSet: (await rows.webhooks.byAccount(account.id)) !== null,
  }
}

function total(days: readonly DayFigures[]): Figure {
  return {
    receivedZat: sumZat(days.map(day => day.receivedZat)),
    invoices: days.reduce((sum, day) => sum + day.invoices, 0),
  }
}

function everyDay(paid: readonly DayFigures[], from: number): DayFigures[] {
  const known = new Map(paid.map(figures => [figures.day, figures]))
  return Array.from({ length: DAYS }, (_, index) => {
    const day = from + index * DAY_SECS
    return known.get(day) ?? { day, receivedZat: 0n, invoices: 0 }
  })
}
