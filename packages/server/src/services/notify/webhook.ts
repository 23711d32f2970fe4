import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import { WEBHOOK_SECRET_PREFIX, webhookSecretSealContext, webhookUrlProblem } from '../../domain/notify/webhook.ts'
import { webhookReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Webhook } from '../../ports/repository/notify/webhook.ts'
import type { Store } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import { recordChange } from '../account/audit.ts'
import { createDeliveryLog, type DeliveryLog } from './delivery-log.ts'
import { createResends, type Resends } from './webhook-resend.ts'

const SECRET_BYTES = 32

/** Management of the account's webhook and its deliveries by the account owner. */
export interface Webhooks extends Resends, DeliveryLog {
  /** @throws AppError `webhook_not_set` (404) */
  read(account: Account): Promise<Webhook>
  /**
   * Sets the URL for all deliveries from now on, including pending retries. `secret` is available only in this result. It
   * is null when the account already had a webhook, whose secret is kept. The present URL changes and mails nothing.
   * @throws AppError `invalid_url`
   */
  set(account: Account, url: string, actor?: Actor): Promise<{ webhook: Webhook; secret: string | null }>
  /**
   * Checks the webhook of an invoice: a URL as `set` accepts it. The account must have a webhook, whose secret signs.
   * @throws AppError `invalid_webhook_url`, `webhook_not_set` (409)
   */
  requireOwnUrl(account: Account, url: string): Promise<void>
  /** Removes the webhook and cancels pending deliveries. @throws AppError `webhook_not_set` (404) */
  remove(account: Account, actor?: Actor): Promise<void>
  /** Returns the new secret once. The previous secret no longer signs deliveries. @throws AppError `webhook_not_set` (409) */
  rotateSecret(account: Account, actor?: Actor): Promise<string>
}

export function createWebhooks(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  /** Also allows plain http, for development. */
  readonly allowPrivate: boolean
}): Webhooks {
  const { store, vault, clock, random, allowPrivate } = deps

  const seal = (account: Account, secret: string) =>
    vault.seal(Buffer.from(secret), webhookSecretSealContext(account.id))

  const resends = createResends({ store, clock, random })

  return {
    async read(account) {
      return (await store.read(tx => tx.webhooks.byAccount(account.id))) ?? fail(new AppError('webhook_not_set'))
    },

    async set(account, url, actor = SERVICE) {
      const problem = webhookUrlProblem(url, allowPrivate)
      if (problem !== null) throw invalidField('url', problem)
      const now = nowSecs(clock)
      const secret = generateWebhookSecret(random)
      const created = {
        accountId: account.id,
        url,
        sealedSecret: seal(account, secret),
        createdAt: now,
        updatedAt: now,
      }
      return store.write(async tx => {
        const isFirst = await tx.webhooks.insert(created)
        const webhook = isFirst ? created : await tx.webhooks.setUrl(account.id, url, now)
        const detail = new URL(url).host
        if (webhook) await recordChange(tx, account, actor, { kind: 'webhook_url_set', at: now, detail })
        const current = webhook ?? (await tx.webhooks.byAccount(account.id))
        if (!current) throw new AppError('webhook_removed')
        return { webhook: current, secret: isFirst ? secret : null }
      })
    },

    async requireOwnUrl(account, url) {
      const problem = webhookUrlProblem(url, allowPrivate)
      if (problem !== null) throw invalidField('webhook_url', problem)
      if (!(await store.query(tx => tx.webhooks.byAccount(account.id)))) throw new AppError('webhook_required')
    },

    async remove(account, actor = SERVICE) {
      await store.write(async tx => {
        if (!(await tx.webhooks.remove(account.id))) throw new AppError('webhook_not_set')
        await recordChange(tx, account, actor, { kind: 'webhook_removed', at: nowSecs(clock) })
      })
    },

    async rotateSecret(account, actor = SERVICE) {
      const secret = generateWebhookSecret(random)
      const sealed = seal(account, secret)
      const now = nowSecs(clock)
      await store.write(async tx => {
        if (!(await tx.webhooks.setSecret(account.id, sealed, now))) throw new AppError('webhook_required')
        const webhook = await tx.webhooks.byAccount(account.id)
        if (webhook) await tx.setAside.remove(webhookReference(webhook))
        await tx.deliveries.reschedule([account.id])
        await recordChange(tx, account, actor, { kind: 'webhook_secret_rotated', at: now })
      })
      return secret
    },

    ...resends,

    ...createDeliveryLog(store),
  }
}

/** A new signing secret. */
export function generateWebhookSecret(random: Random): string {
  return WEBHOOK_SECRET_PREFIX + Buffer.from(random.bytes(SECRET_BYTES)).toString('base64')
}

function fail(error: Error): never {
  throw error
}
