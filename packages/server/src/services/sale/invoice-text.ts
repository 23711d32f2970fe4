import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { mayEraseTexts } from '../../domain/sale/invoice-text.ts'
import { DAY_SECS, formatUtcMinute, startOfDay } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { TimePosition } from '../../ports/repository/page.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { bisect } from '../set-aside.ts'
import { createTurns } from '../turns.ts'

/** An account's invoices with a description or metadata from before a time. */
export interface TextErasure {
  /** The number of invoices whose texts were erased, or would be. */
  readonly erased: number
  /** They keep their texts: a payment may still count. */
  readonly open: number
  /** They keep their texts: an event that has them is still to be delivered. */
  readonly undelivered: number
  /** They keep their texts: the database refused the change. The log says why. */
  readonly failed: number
}

/**
 * Erases what a shop wrote for its invoices: their descriptions and metadata, and the copies of both in the bodies of
 * events, in one transaction for each invoice. Order ids stay: they are the bookkeeping of the shop.
 */
export interface InvoiceTexts {
  /** Erases those of invoices created before a time, in Unix seconds. */
  erase(account: Account, before: number, actor: Actor): Promise<TextErasure>
  /** The effect that `erase` would have now. */
  preview(account: Account, before: number): Promise<TextErasure>
  /**
   * Erases a bounded number of texts that are older than the setting allows. Those that wait are tried again in each run.
   * @returns whether there may be more to erase now
   */
  eraseOld(): Promise<boolean>
}

/** Their rows are locked meanwhile. */
const BATCH = 100
const PAGES_PER_RUN = 10

type Outcome = keyof TextErasure

/** How far an account's invoices are looked through. */
interface Progress {
  readonly accountId: number
  readonly before: number
  after: TimePosition | null
  /** The audit log has an entry. */
  isRecorded: boolean
}

export function createInvoiceTexts(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly invoiceTextRetentionDays: number | null
}): InvoiceTexts {
  const { store, clock, log, invoiceTextRetentionDays } = deps
  const ownTurn = createTurns()
  /** How far `eraseOld` is in its account. Null: it goes on with the next one. */
  let progress: Progress | null = null
  let lastAccountId = 0

  /** @param lock whether they are changed next */
  async function classify(tx: Tx, { accountId, before }: Progress, ids: readonly number[], lock: boolean) {
    const now = nowSecs(clock)
    const invoices = lock ? await tx.invoices.lock(ids) : await tx.invoices.byIds(ids)
    // After a fail-over, another invoice may have a row that was listed before.
    const own = invoices.filter(invoice => invoice.accountId === accountId)
    const closed = own.filter(invoice => mayEraseTexts(invoice, before, now)).map(({ id }) => id)
    const undelivered = await tx.invoiceTexts.undelivered(accountId, closed)
    return new Map(
      ids.map((id): [number, Outcome] => {
        if (!closed.includes(id)) return [id, 'open']
        return [id, undelivered.has(id) ? 'undelivered' : 'erased']
      }),
    )
  }

  const nextPage = (tx: Tx, { accountId, before, after }: Progress) =>
    tx.invoiceTexts.list(accountId, before, after, BATCH)

  /** @returns the outcome of each invoice of the next page, which are fewer than `BATCH` at the end */
  async function erasePage(at: Progress, actor: Actor): Promise<Outcome[]> {
    const page = await store.query(tx => nextPage(tx, at))
    const outcomes: Outcome[] = []
    const { failed } = await bisect(page, async part => {
      const classified = await store.write(async tx => {
        const ids = part.map(({ id }) => id)
        const found = await classify(tx, at, ids, true)
        const erased = ids.filter(id => found.get(id) === 'erased')
        await tx.invoiceTexts.erase(at.accountId, erased)
        if (erased.length > 0 && !at.isRecorded) await record(tx, at, actor)
        return [...found.values()]
      })
      at.isRecorded ||= classified.includes('erased')
      for (const outcome of classified) outcomes.push(outcome)
    })
    for (const { error: err } of failed) {
      log.error({ account: at.accountId, err }, 'the texts of an invoice cannot be erased; those of others are')
      outcomes.push('failed')
    }
    at.after = page.at(-1) ?? at.after
    return outcomes
  }

  async function record(tx: Tx, { accountId, before }: Progress, actor: Actor): Promise<void> {
    const detail = `created before ${formatUtcMinute(before)}`
    await tx.audit.append({ accountId, kind: 'invoice_texts_erased', actor, detail, createdAt: nowSecs(clock) })
  }

  async function countAll(next: () => Promise<readonly Outcome[]>): Promise<TextErasure> {
    const counts = { erased: 0, open: 0, undelivered: 0, failed: 0 }
    for (;;) {
      const outcomes = await next()
      for (const outcome of outcomes) counts[outcome] += 1
      if (outcomes.length < BATCH) return counts
      await ownTurn()
    }
  }

  const start = ({ id }: Pick<Account, 'id'>, before: number): Progress => {
    return { accountId: id, before, after: null, isRecorded: false }
  }

  return {
    async erase(account, before, actor) {
      const at = start(account, before)
      return countAll(() => erasePage(at, actor))
    },

    async preview(account, before) {
      const at = start(account, before)
      return countAll(() =>
        store.read(async tx => {
          const page = await nextPage(tx, at)
          at.after = page.at(-1) ?? at.after
          const ids = page.map(({ id }) => id)
          return [...(await classify(tx, at, ids, false)).values()]
        }),
      )
    },

    async eraseOld() {
      if (invoiceTextRetentionDays === null) return false
      // By whole days, so that an account has an entry in the audit log once a day.
      const before = startOfDay(nowSecs(clock)) - invoiceTextRetentionDays * DAY_SECS
      for (let pages = 0; pages < PAGES_PER_RUN; pages++) {
        if (progress === null) {
          const id = await store.query(tx => tx.invoiceTexts.accountAfter(lastAccountId, before))
          lastAccountId = id ?? 0
          if (id === null) return false
          progress = start({ id }, before)
        }
        const { length } = await erasePage(progress, SERVICE)
        if (length < BATCH) progress = null
      }
      return true
    },
  }
}
