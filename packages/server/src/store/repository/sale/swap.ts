import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { MAX_MEASURED } from '../../../domain/count.ts'
import type { SwapEventType } from '../../../domain/sale/swap.ts'
import type { NewSwap, Swap, SwapRepository } from '../../../ports/repository/sale/swap.ts'
import { countUpTo } from '../../count.ts'
import { keptStatement } from '../../kept-statement.ts'
import { distinctAscending, inChunks, num, numOrNull } from '../../mapping.ts'
import type { Db, SwapsTable } from '../../tables.ts'
import { lacksAmount } from './invoice.ts'
import { claimPolls, listDuePolls } from './swap-poll.ts'
import { swapPruneRepository } from './swap-prune.ts'
import { swapStartRepository } from './swap-start.ts'

/** All columns but the provider's raw responses, which are not needed here. */
const COLUMNS = [
  'swaps.id',
  'swaps.public_id',
  'swaps.invoice_id',
  'swaps.asset_id',
  'swaps.symbol',
  'swaps.blockchain',
  'swaps.decimals',
  'swaps.refund_to',
  'swaps.deposit_address',
  'swaps.deposit_memo',
  'swaps.amount_in',
  'swaps.min_amount_in',
  'swaps.amount_in_usd',
  'swaps.time_estimate',
  'swaps.deadline',
  'swaps.quote_deadline',
  'swaps.created_at',
  'swaps.status',
  'swaps.provider_status',
  'swaps.updated_at_ms',
  'swaps.last_report_at',
  'swaps.deposit_seen_at',
  'swaps.success_at',
  'swaps.sent_events',
  'swaps.failed_polls',
  'swaps.needs_attention',
  'swaps.deposited_amount',
  'swaps.refunded_amount',
  'swaps.refund_reason',
  'swaps.contract_address',
  'swaps.amount_out_usd',
  'swaps.deposit_txid',
  'invoices.expires_at as invoice_expires_at',
  'invoices.public_id as invoice_public_id',
] as const

/** Asked every few seconds. */
const findPollAtMs = {
  asc: keptStatement(db => pollTimes(db).orderBy('next_poll_at_ms', 'asc').limit(sql.lit(1))),
  desc: keptStatement(db => pollTimes(db).orderBy('next_poll_at_ms', 'desc').limit(sql.lit(1))),
}

function pollTimes(db: Db) {
  return db.selectFrom('swaps').select('next_poll_at_ms as at').where('next_poll_at_ms', 'is not', null)
}

/** Queries contain literals, since a partial index is not used for a bound value. */
export function swapRepository(db: Db): SwapRepository {
  const select = () => db.selectFrom('swaps').innerJoin('invoices', 'invoices.id', 'swaps.invoice_id').select(COLUMNS)

  /** The newest swaps that need attention. */
  const stuck = () =>
    db.selectFrom('swaps').where('needs_attention', '=', sql.lit(1)).orderBy('id', 'desc').limit(MAX_MEASURED)

  async function byIds(ids: readonly number[]): Promise<Swap[]> {
    const rows = await inChunks(distinctAscending(ids), 1, batch =>
      select().where('swaps.id', 'in', batch).orderBy('swaps.id').execute(),
    )
    return rows.map(toSwap)
  }

  async function byId(id: number): Promise<Swap | null> {
    const row = await select().where('swaps.id', '=', id).executeTakeFirst()
    return row ? toSwap(row) : null
  }

  /** The first or the last planned poll. */
  async function pollAtMs(direction: 'asc' | 'desc'): Promise<number | null> {
    const [row] = await findPollAtMs[direction](db, 1, [])
    return numOrNull(row?.at ?? null)
  }

  return {
    byId,
    byIds,

    async byPublicId(publicId) {
      const row = await select().where('swaps.public_id', '=', publicId).executeTakeFirst()
      return row ? toSwap(row) : null
    },

    async insert(swap, firstPollAtMs) {
      const row = await db
        .insertInto('swaps')
        .values({
          public_id: swap.publicId,
          invoice_id: swap.invoiceId,
          asset_id: swap.assetId,
          symbol: swap.symbol,
          blockchain: swap.blockchain,
          decimals: swap.decimals,
          contract_address: swap.contractAddress,
          refund_to: swap.refundTo,
          deposit_address: swap.depositAddress,
          deposit_memo: swap.depositMemo,
          amount_in: swap.amountIn.toString(),
          min_amount_in: swap.minAmountIn.toString(),
          amount_in_usd: swap.amountInUsd,
          amount_out_usd: swap.amountOutUsd,
          time_estimate: swap.timeEstimate,
          deadline: swap.deadline,
          quote_deadline: swap.quoteDeadline,
          quote_raw: swap.quoteRaw,
          created_at: swap.createdAt,
          next_poll_at_ms: firstPollAtMs,
          deposit_key: depositKey(swap),
        })
        .onConflict(conflict => conflict.column('deposit_key').doNothing())
        .returning('id')
        .executeTakeFirst()
      if (!row) return null
      const inserted = await byId(num(row.id))
      if (!inserted) throw new Error('the inserted swap was not found')
      return inserted
    },

    async replace(id, at) {
      await db.updateTable('swaps').set({ replaced_at: at }).where('id', '=', id).execute()
    },

    async payingSwap(invoiceId) {
      const row = await select()
        .where('swaps.invoice_id', '=', invoiceId)
        .where('swaps.status', 'not in', ['PENDING_DEPOSIT', 'REFUNDED', 'FAILED'])
        .orderBy(sql`case when swaps.status = 'SUCCESS' then 0 else 1 end`)
        .orderBy('swaps.id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row ? toSwap(row) : null
    },

    async update(id, outcome) {
      await db
        .updateTable('swaps')
        .set({
          status: outcome.status,
          provider_status: outcome.providerStatus,
          updated_at_ms: outcome.updatedAtMs,
          last_report_at: outcome.lastReportAt,
          deposit_seen_at: outcome.depositSeenAt,
          success_at: outcome.successAt,
          sent_events: outcome.sentEvents.join(' '),
          failed_polls: outcome.failedPolls,
          keeps_invoice_open: outcome.keepsInvoiceOpen ? 1 : 0,
          needs_attention: outcome.needsAttention ? 1 : 0,
          next_poll_at_ms: outcome.nextPollAtMs,
          deposited_amount: outcome.deposit.deposited?.toString() ?? null,
          refunded_amount: outcome.deposit.refunded?.toString() ?? null,
          refund_reason: outcome.deposit.refundReason,
          deposit_txid: outcome.deposit.txid,
          ...(outcome.statusRaw !== null && { status_raw: outcome.statusRaw }),
        })
        .where('id', '=', id)
        .execute()
    },

    async anyKeepsInvoiceOpen(invoiceId) {
      const row = await db
        .selectFrom('swaps')
        .select('id')
        .where('invoice_id', '=', invoiceId)
        .where('keeps_invoice_open', '=', 1)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    nextPollAtMs: () => pollAtMs('asc'),
    latestPollAtMs: () => pollAtMs('desc'),

    listDue: async (nowMs, limit) => byIds(await listDuePolls(db, nowMs, limit)),
    claimDue: async (nowMs, untilMs, limit, only) =>
      byIds(await claimPolls(db, only ?? (await listDuePolls(db, nowMs, limit)), nowMs, untilMs)),

    async pollNoLaterThan(invoiceId, atMs) {
      await db
        .updateTable('swaps')
        .set({ next_poll_at_ms: atMs })
        .where('invoice_id', '=', invoiceId)
        .where('next_poll_at_ms', '>', atMs)
        .execute()
    },

    async needingAttention(limit, accountId) {
      const rows = await select()
        .where('swaps.id', 'in', stuck().select('id'))
        .where(lacksAmount)
        // `+ 0` keeps the databases from reading all invoices of the account: few swaps need attention.
        .$if(accountId !== undefined, query => query.where(sql<boolean>`invoices.account_id + 0 = ${accountId}`))
        .orderBy('swaps.id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toSwap)
    },

    countNeedingAttention() {
      const unpaid = db
        .selectFrom(stuck().select('invoice_id').as('stuck'))
        .innerJoin('invoices', 'invoices.id', 'stuck.invoice_id')
        .select('stuck.invoice_id')
        .where(lacksAmount)
      return countUpTo(db, unpaid, MAX_MEASURED)
    },

    ...swapPruneRepository(db),
    ...swapStartRepository(db),
  }
}

function bigintOrNull(digits: string | null): bigint | null {
  return digits === null ? null : BigInt(digits)
}

/** Identifies a deposit. An address contains no spaces. */
function depositKey({ depositAddress, depositMemo }: NewSwap): string {
  return `${depositAddress} ${depositMemo ?? ''}`
}

type UnselectedColumn =
  | 'quote_raw'
  | 'status_raw'
  | 'replaced_at'
  | 'keeps_invoice_open'
  | 'next_poll_at_ms'
  | 'deposit_key'

type Row = Omit<Selectable<SwapsTable>, UnselectedColumn> & {
  readonly invoice_expires_at: bigint | number
  readonly invoice_public_id: string
}

function toSwap(row: Row): Swap {
  return {
    id: num(row.id),
    publicId: row.public_id,
    invoiceId: num(row.invoice_id),
    assetId: row.asset_id,
    symbol: row.symbol,
    blockchain: row.blockchain,
    decimals: num(row.decimals),
    contractAddress: row.contract_address,
    refundTo: row.refund_to,
    depositAddress: row.deposit_address,
    depositMemo: row.deposit_memo,
    amountIn: BigInt(row.amount_in),
    minAmountIn: BigInt(row.min_amount_in),
    amountInUsd: row.amount_in_usd,
    amountOutUsd: row.amount_out_usd,
    timeEstimate: num(row.time_estimate),
    deadline: num(row.deadline),
    quoteDeadline: num(row.quote_deadline),
    createdAt: num(row.created_at),
    invoicePublicId: row.invoice_public_id,
    invoiceExpiresAt: num(row.invoice_expires_at),
    status: row.status,
    providerStatus: row.provider_status,
    updatedAtMs: num(row.updated_at_ms),
    lastReportAt: numOrNull(row.last_report_at),
    depositSeenAt: numOrNull(row.deposit_seen_at),
    successAt: numOrNull(row.success_at),
    sentEvents: row.sent_events.split(' ').filter(event => event !== '') as SwapEventType[],
    failedPolls: num(row.failed_polls),
    needsAttention: num(row.needs_attention) === 1,
    deposit: {
      deposited: bigintOrNull(row.deposited_amount),
      refunded: bigintOrNull(row.refunded_amount),
      refundReason: row.refund_reason,
      txid: row.deposit_txid,
    },
  }
}
