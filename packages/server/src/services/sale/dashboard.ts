import type { Account } from '../../domain/account/account.ts'
import type { ApiKey } from '../../domain/account/api-key.ts'
import { MAX_DIVERSIFIER_INDEX, viewingKeySealContext } from '../../domain/account/viewing-key.ts'
import { knownThrough } from '../../domain/chain/chain-knowledge.ts'
import type { ChainProblem } from '../../domain/chain/chain-problem.ts'
import type { ChainTime } from '../../domain/chain/clock-agreement.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import { MAX_TOTALLED } from '../../domain/count.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { type InvoiceReason, storedReason } from '../../domain/sale/invoice-state.ts'
import { confirmedThrough, countConfirmations, type PaymentSummary } from '../../domain/sale/payment.ts'
import { MAX_LISTED_REFUNDS, type Refund, withoutUnseenAddress } from '../../domain/sale/refund.ts'
import { mayHoldDeposit, type SwapEventType } from '../../domain/sale/swap.ts'
import { DAY_SECS } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { NoteScanner } from '../../ports/note-scanner.ts'
import type { AttemptRow } from '../../ports/repository/notify/delivery.ts'
import type { Totals } from '../../ports/repository/page.ts'
import type { InvoiceFilter } from '../../ports/repository/sale/invoice.ts'
import type { PaymentRow } from '../../ports/repository/sale/payment.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import { checkClock } from '../chain/clock-check.ts'
import { findByPublicId } from '../public-id.ts'
import { createRecentResults } from '../recent-results.ts'
import { createTurns } from '../turns.ts'
import { type DashboardFigures, readFigures, startOfListedDays } from './dashboard-figures.ts'

/** Completed setup steps of an account. */
export interface SetupSteps {
  readonly viewingKey: boolean
  readonly apiKey: boolean
  readonly invoice: boolean
}

/** Summary of an account. */
export interface DashboardSummary extends DashboardFigures {
  /** The newest ten paid invoices with payments removed by a reorganisation. */
  readonly reorged: readonly Invoice[]
  /** The newest ten of the overpaid invoices. */
  readonly overpaid: readonly Invoice[]
  /** The newest ten of the late paid ones. */
  readonly late: readonly Invoice[]
  /** Invoices of the newest failed swaps of the last 30 days whose deposit the provider has, and that are not paid. */
  readonly failedSwaps: readonly Invoice[]
  /** API keys that end within two weeks. At most ten. */
  readonly endingKeys: readonly ApiKey[]
  readonly recent: readonly Invoice[]
  /** State of the chain source and of the service's clock, derived from the newest blocks. */
  readonly chainTime: ChainTime
  /** Current problems of the chain source. */
  readonly chainProblems: readonly ChainProblem[]
  readonly setupSteps: SetupSteps
  readonly webhookSet: boolean
}

export interface InvoiceDetail {
  readonly invoice: Invoice
  /** Why it has its status; null: not known, see `storedReason`. */
  readonly because: InvoiceReason | null
  /** The newest 100, and the newest 100 dropped ones, in the order of recording. */
  readonly payments: readonly (PaymentRow & { readonly confirmed: number })[]
  /** There are earlier payments. */
  readonly hasMorePayments: boolean
  readonly sums: PaymentSummary
  /** Newest first, at most `MAX_LISTED_REFUNDS`, without the addresses that the merchant has not seen yet. */
  readonly refunds: readonly Refund[]
  /** Height of the newest recorded block; 0 before the first. */
  readonly tip: number
  /** The newest 50. */
  readonly attempts: readonly AttemptRow[]
  readonly webhookSet: boolean
}

export interface Dashboard {
  summary(account: Account): Promise<DashboardSummary>
  setupSteps(account: Account): Promise<SetupSteps>
  /**
   * Finds invoices by the beginning of their order id; otherwise by id, address, or the id of a transaction that pays
   * them. Ids may be shortened to a prefix of at least 6 characters. An address is found under the newest 100 viewing keys.
   */
  search(account: Account, text: string): Promise<Invoice[]>
  /** Number and received sum of the newest invoices of a filter, at most `MAX_TOTALLED` + 1. Some seconds old. */
  totals(account: Account, filter: InvoiceFilter): Promise<Totals>
  /** Details of one invoice of the account. @throws AppError `no_such_invoice` */
  invoice(account: Account, publicId: string): Promise<InvoiceDetail>
}

const FIGURES = { maxAgeMs: 3_000, maxKeys: 1_000 }
const RECENT_LIMIT = 5
/** How long before its end an API key is named. */
const KEY_WARNING_SECS = 14 * DAY_SECS
/** Invoices of each kind that needs attention. */
const LISTED_LIMIT = 10
const SEARCH_LIMIT = 50
const ATTEMPT_LIMIT = 50
const PAYMENT_LIMIT = 100
/** Longer than an address with an amount. */
const MAX_SEARCH_CHARS = 512
/** An account has about one a year. Each takes a sixth of a millisecond. */
const MAX_SEARCHED_KEYS = 100
const KEYS_PER_TURN = 10

export function createDashboard(deps: {
  readonly store: Store
  readonly noteScanner: NoteScanner
  readonly vault: Vault
  readonly clock: Clock
  readonly params: ConsensusParams
  readonly lateWatchDays: number
}): Dashboard {
  const { store, noteScanner, vault, clock, params, lateWatchDays } = deps
  const ownTurn = createTurns()
  const recentResults = createRecentResults<DashboardFigures>(clock, FIGURES)
  const recentTotals = createRecentResults<Totals>(clock, FIGURES)

  /** Decrypts the diversifier index of the address with each of the account's keys, so that no address index is needed. */
  async function byAddress(account: Account, address: string): Promise<Invoice[]> {
    const diversifier = noteScanner.diversifierOf(address)
    if (!diversifier) return []
    const keys = await store.query(tx => tx.dashboard.viewingKeys(account.id, MAX_SEARCHED_KEYS))
    const at: { viewingKeyId: number; diversifierIndex: bigint }[] = []
    for (let from = 0; from < keys.length; from += KEYS_PER_TURN) {
      await ownTurn()
      for (const { id: viewingKeyId, sealed } of keys.slice(from, from + KEYS_PER_TURN)) {
        const incoming = vault.open(sealed, viewingKeySealContext(viewingKeyId))
        const diversifierIndex = noteScanner.diversifierIndexOf(incoming, diversifier)
        if (diversifierIndex <= MAX_DIVERSIFIER_INDEX) at.push({ viewingKeyId, diversifierIndex })
      }
    }
    const found = at.length > 0 ? await store.read(tx => tx.invoices.byDiversifierIndexes(at)) : []
    return found.filter(
      invoice => invoice.accountId === account.id && invoice.purpose === 'sale' && invoice.address === address,
    )
  }

  return {
    async summary(account) {
      // By the public id: after a fail-over another account may have the row.
      const recentFigures = await recentResults.get(account.publicId, () =>
        store.read(tx => readFigures(tx, account, nowSecs(clock), lateWatchDays)),
      )
      return store.read(async tx => {
        const now = nowSecs(clock)
        const from = startOfListedDays(now)
        const reorged = await tx.dashboard.needingAttention(account.id, LISTED_LIMIT)
        const overpaid = await tx.dashboard.overpaid(account.id, from, LISTED_LIMIT)
        const late = await tx.dashboard.late(account.id, from, LISTED_LIMIT)
        return {
          ...recentFigures,
          overpaid,
          overpaidTotal: overpaid.length < LISTED_LIMIT ? overpaid.length : recentFigures.overpaidTotal,
          late,
          lateTotal: late.length < LISTED_LIMIT ? late.length : recentFigures.lateTotal,
          reorged,
          reorgedTotal: reorged.length < LISTED_LIMIT ? reorged.length : recentFigures.reorgedTotal,
          failedSwaps: await failedSwaps(tx, account, from),
          endingKeys: await tx.apiKeys.endingSoon(account.id, now, now + KEY_WARNING_SECS, LISTED_LIMIT),
          recent: await tx.invoices.list(account.id, { limit: RECENT_LIMIT }),
          chainProblems: await tx.chain.problems(),
          chainTime: (await checkClock(tx, params, now)).chainTime,
          setupSteps: await setupSteps(tx, account),
          webhookSet: (await tx.webhooks.byAccount(account.id)) !== null,
        }
      })
    },

    setupSteps: account => store.read(tx => setupSteps(tx, account)),

    async search(account, text) {
      const query = queryOf(text)
      const ordered = await store.query(tx =>
        tx.dashboard.byOrderPrefix(account.id, text.slice(0, MAX_SEARCH_CHARS), SEARCH_LIMIT),
      )
      if (ordered.length > 0) return ordered
      if (/^u(?:test|regtest)?1[a-z0-9]{20,}$/.test(query)) return byAddress(account, query)
      if (!/^[0-9a-f-]{6,64}$/.test(query)) return []
      return store.read(async tx => {
        const found = await tx.dashboard.byIdPrefix(account.id, query, SEARCH_LIMIT)
        return found.length > 0 ? found : tx.dashboard.byTxidPrefix(account.id, query, SEARCH_LIMIT)
      })
    },

    totals: (account, filter) =>
      recentTotals.get(`${account.publicId} ${JSON.stringify(filter)}`, () =>
        store.query(tx => tx.dashboard.totals(account.id, filter, MAX_TOTALLED + 1)),
      ),

    invoice: (account, publicId) =>
      findByPublicId('no_such_invoice', publicId, id => store.read(tx => findDetail(tx, account, id, nowSecs(clock)))),
  }
}

/** The address or id in a search, which may be a payment request. */
function queryOf(text: string): string {
  const [query = ''] = text.slice(0, MAX_SEARCH_CHARS).trim().toLowerCase().split('?', 1)
  return query.startsWith('zcash:') ? query.slice('zcash:'.length) : query
}

/** A swap whose deposit was sent back, or that has none, asks nothing of the merchant. */
async function failedSwaps(tx: Tx, account: Account, from: number): Promise<Invoice[]> {
  const newest = (type: SwapEventType) => tx.events.listNewest(account.id, { limit: LISTED_LIMIT }, type)
  const events = [...(await newest('swap.failed')), ...(await newest('swap.incomplete_deposit'))]
  const ids = events.filter(({ createdAt }) => createdAt >= from).flatMap(({ invoiceId }) => invoiceId ?? [])
  if (ids.length === 0) return []
  const open = (await tx.invoices.byIds(ids)).filter(({ status }) => status !== 'paid')
  const swaps = await tx.swaps.byIds(open.flatMap(({ swapId }) => swapId ?? []))
  const withoutDeposit = new Set(swaps.filter(swap => !mayHoldDeposit(swap)).map(({ id }) => id))
  return open.filter(({ swapId }) => swapId === null || !withoutDeposit.has(swapId)).reverse()
}

async function setupSteps(tx: Tx, account: Account): Promise<SetupSteps> {
  return {
    viewingKey: account.viewingKeyId !== null,
    apiKey: (await tx.apiKeys.list(account.id, { limit: 1 })).length > 0,
    invoice: (await tx.invoices.list(account.id, { limit: 1 })).length > 0,
  }
}

async function findDetail(tx: Tx, account: Account, publicId: string, now: number): Promise<InvoiceDetail | null> {
  const invoice = await tx.invoices.byPublicId(publicId)
  if (invoice?.accountId !== account.id) return null
  const tip = (await tx.chain.tip())?.height ?? 0
  const syncedThrough = knownThrough(await tx.chain.syncedThrough(), now)
  const newest = await tx.payments.newest(invoice.id, PAYMENT_LIMIT + 1)
  const [dropped, live] = [newest.filter(isDropped), newest.filter(payment => !isDropped(payment))]
  const payments = [...live.slice(0, PAYMENT_LIMIT), ...dropped.slice(0, PAYMENT_LIMIT)].sort((a, b) => a.seq - b.seq)
  const through = confirmedThrough(invoice.confirmations, tip)
  const sums = await tx.payments.summaries([{ id: invoice.id, confirmedThrough: through }])
  return {
    invoice,
    because: storedReason(invoice, { tip, syncedThrough }),
    tip,
    payments: payments.map(payment => ({ ...payment, confirmed: countConfirmations(payment.location, tip) })),
    hasMorePayments: payments.length < newest.length,
    sums: sums.get(invoice.id)!,
    refunds: (await tx.refunds.ofInvoice(invoice.id, MAX_LISTED_REFUNDS)).map(withoutUnseenAddress),
    attempts: await tx.deliveries.listAttempts(account.id, { limit: ATTEMPT_LIMIT }, { invoicePublicId: publicId }),
    webhookSet: (await tx.webhooks.byAccount(account.id)) !== null,
  }
}

function isDropped({ location }: PaymentRow): boolean {
  return location.at === 'dropped'
}
