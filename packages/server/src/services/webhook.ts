import type { Account } from '../domain/account.ts'
import { type Actor, SERVICE } from '../domain/audit.ts'
import { MAX_OPEN_DELIVERIES } from '../domain/delivery.ts'
import { AppError, invalidField, notFound } from '../domain/error.ts'
import type { EventType } from '../domain/event.ts'
import { webhookReference } from '../domain/set-aside.ts'
import { isUuid } from '../domain/uuid.ts'
import {
  TEST_EVENT_BODY,
  WEBHOOK_SECRET_PREFIX,
  webhookSecretSealContext,
  webhookUrlProblem,
} from '../domain/webhook.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { AttemptDetail, AttemptRow } from '../ports/repository/delivery.ts'
import type { Page } from '../ports/repository/page.ts'
import type { Webhook } from '../ports/repository/webhook.ts'
import type { Store, Tx } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'
import { recordChange } from './audit.ts'

const SECRET_BYTES = 32
const RETRY_SECS = 60

/** Management of the account's webhook and its deliveries by the account owner. */
export interface Webhooks {
  /** @throws AppError `webhook_not_set` (404) */
  read(account: Account): Promise<Webhook>
  /**
   * Sets the URL for all deliveries from now on, including pending retries. `secret` is available only in this result. It
   * is null when the account already had a webhook, whose secret is kept. The present URL changes and mails nothing.
   * @throws AppError `invalid_url`
   */
  set(account: Account, url: string, actor?: Actor): Promise<{ webhook: Webhook; secret: string | null }>
  /** Removes the webhook and cancels pending deliveries. @throws AppError `webhook_not_set` (404) */
  remove(account: Account, actor?: Actor): Promise<void>
  /** Returns the new secret once. The previous secret no longer signs deliveries. @throws AppError `webhook_not_set` (409) */
  rotateSecret(account: Account, actor?: Actor): Promise<string>
  /** Queues a test event and returns the delivery's id. @throws AppError `webhook_not_set` (409), `too_many_deliveries` */
  test(account: Account): Promise<string>
  /**
   * Queues a delivery's body again and returns the new delivery's id.
   * @throws AppError `no_such_delivery`, `webhook_not_set` (409), `too_many_deliveries`
   */
  resend(account: Account, deliveryId: string): Promise<string>
  /** Newest first. An unknown invoice has no attempts. */
  attempts(account: Account, page: Page, invoiceId?: string): Promise<AttemptRow[]>
  /** An attempt with its request and response bodies. @throws AppError `no_such_attempt` */
  attempt(account: Account, id: string): Promise<AttemptDetail>
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

  const generateSecret = () => WEBHOOK_SECRET_PREFIX + Buffer.from(random.bytes(SECRET_BYTES)).toString('base64')
  const seal = (account: Account, secret: string) =>
    vault.seal(Buffer.from(secret), webhookSecretSealContext(account.id))

  /** Queues a delivery that the owner requested. */
  async function enqueue(tx: Tx, account: Account, content: DeliveryContent): Promise<string> {
    await tx.deliveries.lockWebhooks([account.id])
    if ((await tx.deliveries.countOpenOf(account.id, MAX_OPEN_DELIVERIES)) >= MAX_OPEN_DELIVERIES)
      throw tooManyDeliveries()
    const publicId = random.uuid()
    const createdAt = nowSecs(clock)
    const delivery = { ...content, publicId, accountId: account.id, createdAt, dueAtMs: clock.nowMs() }
    const created = await tx.deliveries.insert([delivery])
    if (created === 0) throw notSet('conflict')
    return publicId
  }

  return {
    async read(account) {
      return (await store.read(tx => tx.webhooks.byAccount(account.id))) ?? fail(notSet('not_found'))
    },

    async set(account, url, actor = SERVICE) {
      const problem = webhookUrlProblem(url, allowPrivate)
      if (problem !== null) throw invalidField('url', problem)
      const now = nowSecs(clock)
      const secret = generateSecret()
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
        if (!current) throw new AppError('conflict', 'webhook_removed', 'webhook removed at the same time: try again')
        return { webhook: current, secret: isFirst ? secret : null }
      })
    },

    async remove(account, actor = SERVICE) {
      await store.write(async tx => {
        if (!(await tx.webhooks.remove(account.id))) throw notSet('not_found')
        await recordChange(tx, account, actor, { kind: 'webhook_removed', at: nowSecs(clock) })
      })
    },

    async rotateSecret(account, actor = SERVICE) {
      const secret = generateSecret()
      const sealed = seal(account, secret)
      const now = nowSecs(clock)
      await store.write(async tx => {
        if (!(await tx.webhooks.setSecret(account.id, sealed, now))) throw notSet('conflict')
        const webhook = await tx.webhooks.byAccount(account.id)
        if (webhook) await tx.setAside.remove(webhookReference(webhook))
        await tx.deliveries.reschedule([account.id])
        await recordChange(tx, account, actor, { kind: 'webhook_secret_rotated', at: now })
      })
      return secret
    },

    test: account =>
      store.write(tx => enqueue(tx, account, { invoiceId: null, eventType: 'test', body: TEST_EVENT_BODY })),

    async resend(account, deliveryId) {
      if (!isUuid(deliveryId)) throw notFound('delivery')
      return store.write(async tx => {
        const delivery = await tx.deliveries.byPublicId(account.id, deliveryId.toLowerCase())
        if (!delivery) throw notFound('delivery')
        const { invoiceId, eventType, body } = delivery
        return enqueue(tx, account, { invoiceId, eventType, body })
      })
    },

    async attempts(account, page, invoiceId) {
      const filter = invoiceId === undefined ? {} : { invoicePublicId: invoiceId.toLowerCase() }
      return store.read(tx => tx.deliveries.listAttempts(account.id, page, filter))
    },

    async attempt(account, id) {
      const found =
        isUuid(id) && (await store.read(tx => tx.deliveries.attemptByPublicId(account.id, id.toLowerCase())))
      return found || fail(notFound('attempt'))
    },
  }
}

interface DeliveryContent {
  readonly invoiceId: number | null
  readonly eventType: EventType
  readonly body: string
}

function notSet(kind: 'not_found' | 'conflict'): AppError {
  return new AppError(kind, 'webhook_not_set', 'webhook not set')
}

function tooManyDeliveries(): AppError {
  return new AppError('too_many', 'too_many_deliveries', 'too many deliveries are waiting, try again later', {
    retryAfterSecs: RETRY_SECS,
  })
}

function fail(error: Error): never {
  throw error
}
