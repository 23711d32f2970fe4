import type { Selectable } from 'kysely'
import type { Webhook, WebhookRepository } from '../../../ports/repository/notify/webhook.ts'
import { num } from '../../mapping.ts'
import type { Db, WebhooksTable } from '../../tables.ts'

export function webhookRepository(db: Db): WebhookRepository {
  return {
    async byAccount(accountId) {
      const row = await db.selectFrom('webhooks').selectAll().where('account_id', '=', accountId).executeTakeFirst()
      return row ? toWebhook(row) : null
    },

    async insert(webhook) {
      const result = await db
        .insertInto('webhooks')
        .values({
          account_id: webhook.accountId,
          url: webhook.url,
          secret: webhook.sealedSecret,
          created_at: webhook.createdAt,
          updated_at: webhook.updatedAt,
        })
        .onConflict(conflict => conflict.column('account_id').doNothing())
        .executeTakeFirst()
      return num(result.numInsertedOrUpdatedRows ?? 0n) === 1
    },

    async setUrl(accountId, url, at) {
      const row = await db
        .updateTable('webhooks')
        .set({ url, updated_at: at })
        .where('account_id', '=', accountId)
        .where('url', '!=', url)
        .returningAll()
        .executeTakeFirst()
      return row ? toWebhook(row) : null
    },

    async setSecret(accountId, sealedSecret, at) {
      const result = await db
        .updateTable('webhooks')
        .set({ secret: sealedSecret, updated_at: at })
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    async remove(accountId) {
      const result = await db.deleteFrom('webhooks').where('account_id', '=', accountId).executeTakeFirst()
      if (result.numDeletedRows === 0n) return false
      await db
        .updateTable('deliveries')
        .set({ state: 'canceled', due_at_ms: null })
        .where('account_id', '=', accountId)
        .where('due_at_ms', 'is not', null)
        .execute()
      return true
    },

    async list(afterAccountId, limit) {
      const rows = await db
        .selectFrom('webhooks')
        .selectAll()
        .where('account_id', '>', afterAccountId)
        .orderBy('account_id')
        .limit(limit)
        .execute()
      return rows.map(toWebhook)
    },

    async reseal(accountId, read, sealedSecret) {
      const result = await db
        .updateTable('webhooks')
        .set({ secret: sealedSecret })
        .where('account_id', '=', accountId)
        .where('secret', '=', read)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
  }
}

export function toWebhook(row: Selectable<WebhooksTable>): Webhook {
  return {
    accountId: num(row.account_id),
    url: row.url,
    sealedSecret: row.secret,
    createdAt: num(row.created_at),
    updatedAt: num(row.updated_at),
  }
}
