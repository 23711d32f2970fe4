import { type Selectable, sql } from 'kysely'
import type { Zat } from '../../../domain/money.ts'
import type { PaymentLink } from '../../../domain/sale/payment-link.ts'
import { LINK_FIELDS } from '../../../domain/sale/payment-link-fields.ts'
import type { PaymentLinkRepository } from '../../../ports/repository/sale/payment-link.ts'
import { rowReader, rowValues } from '../../field.ts'
import { num } from '../../mapping.ts'
import { idOfAccount } from '../../owned-id.ts'
import { paginate, readPage } from '../../paginate.ts'
import type { Db, PaymentLinksTable } from '../../tables.ts'

/** The condition of a partial index, word for word. */
const IS_OPEN = sql<boolean>`link_id IS NOT NULL AND status IN ('pending', 'detected')`

const readLink = rowReader<Omit<PaymentLink, 'keypadHash'>>(LINK_FIELDS)

function toLink(row: Selectable<PaymentLinksTable>): PaymentLink {
  return { ...readLink(row), keypadHash: row.keypad_hash }
}

const NAMES = Object.keys(LINK_FIELDS) as (keyof typeof LINK_FIELDS)[]
const TERMS = NAMES.filter(name => 'request' in LINK_FIELDS[name])
const INSERTED = [...TERMS, 'publicId', 'accountId', 'createdAt', 'updatedAt'] as const
const CHANGED = [...TERMS, 'pausedAt', 'updatedAt'] as const

export function paymentLinkRepository(db: Db): PaymentLinkRepository {
  const all = () => db.selectFrom('payment_links').selectAll()
  const first = async (query: { executeTakeFirst(): Promise<Selectable<PaymentLinksTable> | undefined> }) => {
    const row = await query.executeTakeFirst()
    return row ? toLink(row) : null
  }
  /** Open invoices of an account's links without a payment. The index has few of them. */
  const unpaid = (accountId: number) =>
    db
      .selectFrom('invoices')
      .innerJoin('link_invoices', 'link_invoices.invoice_id', 'invoices.id')
      .where('invoices.account_id', '=', accountId)
      .where(IS_OPEN)
      .where('invoices.received_zat', '=', 0)

  return {
    async insert(link) {
      const row = await db
        .insertInto('payment_links')
        .values(rowValues(LINK_FIELDS, link, INSERTED) as never)
        .returningAll()
        .executeTakeFirstOrThrow()
      return toLink(row)
    },

    byPublicId: publicId => first(all().where('public_id', '=', publicId)),

    byKeypad: hash => first(all().where('keypad_hash', '=', hash)),

    async list(accountId, page) {
      const cursorOf = (before: string) => idOfAccount(db, 'payment_links', accountId, before)
      const links = all().where('account_id', '=', accountId)
      return (await readPage(paginate(links, page, ['id'], cursorOf), page, cursorOf)).map(toLink)
    },

    async count(accountId) {
      const row = await db
        .selectFrom('payment_links')
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async update(link) {
      await db
        .updateTable('payment_links')
        .set({ ...rowValues(LINK_FIELDS, link, CHANGED), keypad_hash: link.keypadHash })
        .where('id', '=', link.id)
        .execute()
    },

    async heldUnits({ id, accountId, publicId }) {
      // One statement: between two, an invoice could become paid, and be in neither count.
      const open = db
        .selectFrom('invoices')
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .where('account_id', '=', accountId)
        .where('link_id', '=', publicId)
        .where(IS_OPEN)
      const row = await db
        .selectFrom('payment_links')
        .select(() => ['paid_count' as const, open.as('open')])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return num(row.paid_count) + num(row.open ?? 0)
    },

    async countOpen({ accountId, publicId }, source, client, since) {
      const row = await unpaid(accountId)
        .where('link_invoices.source', '=', source)
        .select(({ fn }) => [
          fn.countAll<bigint>().as('account'),
          sql<bigint>`count(CASE WHEN invoices.link_id = ${publicId} THEN 1 END)`.as('link'),
        ])
        .executeTakeFirstOrThrow()
      const ofClient =
        client === null
          ? null
          : await db
              .selectFrom('link_invoices')
              .innerJoin('invoices', 'invoices.id', 'link_invoices.invoice_id')
              .where('link_invoices.account_id', '=', accountId)
              .where('link_invoices.client', '=', client)
              .where('invoices.created_at', '>', since)
              .where('invoices.received_zat', '=', 0)
              .select(eb => eb.fn.countAll<bigint>().as('count'))
              .executeTakeFirstOrThrow()
      return {
        ofClient: num(ofClient?.count ?? 0),
        ofLink: num(row.link),
        ofAccount: num(row.account),
      }
    },

    async addInvoice({ invoiceId, accountId, source, client, countedAt, since }) {
      const old = db
        .selectFrom('invoices')
        .select('id')
        .where('invoices.id', '=', sql<bigint>`link_invoices.invoice_id`)
      await db
        .updateTable('link_invoices')
        .set({ client: null })
        .where('account_id', '=', accountId)
        .where('client', 'is not', null)
        .where(({ exists }) => exists(old.where('invoices.created_at', '<=', since)))
        .execute()
      await db
        .insertInto('link_invoices')
        .values({ invoice_id: invoiceId, account_id: accountId, source, client, counted_at: countedAt })
        .execute()
    },

    async markCounted(invoiceId, at) {
      const result = await db
        .updateTable('link_invoices')
        .set({ counted_at: at })
        .where('invoice_id', '=', invoiceId)
        .where('counted_at', 'is', null)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    async addPaid(changes) {
      const byLink = new Map<string, { count: number; zat: Zat }>()
      for (const { linkId, count, zat } of changes) {
        const sum = byLink.get(linkId) ?? { count: 0, zat: 0n }
        byLink.set(linkId, { count: sum.count + count, zat: sum.zat + zat })
      }
      for (const [linkId, { count, zat }] of [...byLink].sort(([a], [b]) => (a < b ? -1 : 1)))
        await db
          .updateTable('payment_links')
          .set({ paid_count: sql`paid_count + ${count}`, paid_zat: sql`paid_zat + ${zat}` })
          .where('public_id', '=', linkId)
          .execute()
    },
  }
}
