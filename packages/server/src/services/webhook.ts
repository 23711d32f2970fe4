import type { Account } from '../domain/account.ts'
import { notice } from '../domain/email-notification.ts'
import { Fault, invalidField, noSuch } from '../domain/error.ts'
import type { EventType } from '../domain/event.ts'
import { isUuid } from '../domain/uuid.ts'
import { LOG_SECS, MOST_WAITING, SECRET_PREFIX, secretPlace, TEST_BODY, webhookUrlFault } from '../domain/webhook.ts'
import type { Page } from '../ports/repository/account.ts'
import type { AttemptDetail, AttemptRow, Webhook } from '../ports/repository/webhook.ts'
import type { Clock, Random, Rows, Store, Vault } from '../ports.ts'
import { nowSecs } from '../ports.ts'

const SECRET_BYTES = 32
const PRUNE_AT_ONCE = 500
const RETRY_SECS = 60

/** What an owner does with the account's webhook and its deliveries. */
export interface Webhooks {
  /** @throws Fault `webhook_not_set` (404) */
  read(account: Account): Promise<Webhook>
  /**
   * Where events go from now on, retries under way too. `secret` is to be shown once; null when there was a webhook
   * already, whose secret stays.
   * @throws Fault `invalid_url`
   */
  set(account: Account, url: string): Promise<{ webhook: Webhook; secret: string | null }>
  /** What is not delivered yet is canceled. @throws Fault `webhook_not_set` (404) */
  remove(account: Account): Promise<void>
  /** The new secret, to be shown once; the old one signs nothing more. @throws Fault `webhook_not_set` (409) */
  rotateSecret(account: Account): Promise<string>
  /** Sends a test event; the delivery's id. @throws Fault `webhook_not_set` (409), `too_many_deliveries` */
  test(account: Account): Promise<string>
  /**
   * Sends a delivery's body again; the new delivery's id.
   * @throws Fault `no_such_delivery`, `webhook_not_set` (409), `too_many_deliveries`
   */
  resend(account: Account, deliveryId: string): Promise<string>
  /** Newest first. @throws nothing for an unknown invoice: it has no attempts */
  attempts(account: Account, page: Page, invoiceId?: string): Promise<AttemptRow[]>
  /** With what was sent and answered. @throws Fault `no_such_attempt` */
  attempt(account: Account, id: string): Promise<AttemptDetail>
  /** Forgets deliveries that are over and older than 30 days, some at a time; whether there may be more. */
  prune(): Promise<boolean>
}

export function createWebhooks(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  /** For development: plain http too. */
  readonly allowPrivate: boolean
}): Webhooks {
  const { store, vault, clock, random, allowPrivate } = deps

  const makeSecret = () => SECRET_PREFIX + Buffer.from(random.bytes(SECRET_BYTES)).toString('base64')
  const seal = (account: Account, secret: string) => vault.seal(Buffer.from(secret), secretPlace(account.id))

  /** A delivery that no event raised, but the owner. */
  async function send(rows: Rows, account: Account, what: Sent): Promise<string> {
    await rows.deliveries.hold([account.id])
    if ((await rows.deliveries.countOpenOf(account.id, MOST_WAITING)) >= MOST_WAITING) throw tooManyWaiting()
    const publicId = random.uuid()
    const createdAt = nowSecs(clock)
    const delivery = { ...what, publicId, accountId: account.id, createdAt, dueAtMs: clock.nowMs() }
    const made = await rows.deliveries.insert([delivery])
    if (made === 0) throw notSet('conflict')
    return publicId
  }

  return {
    async read(account) {
      return (await store.read(rows => rows.webhooks.byAccount(account.id))) ?? fail(notSet('not_found'))
    },

    async set(account, url) {
      const fault = webhookUrlFault(url, allowPrivate)
      if (fault !== null) throw invalidField('url', fault)
      const now = nowSecs(clock)
      const secret = makeSecret()
      const made = {
        accountId: account.id,
        url,
        sealedSecret: seal(account, secret),
        createdAt: now,
        updatedAt: now,
      }
      return store.write(async rows => {
        await rows.mails.append(notice(account, 'webhook_url_set', now, new URL(url).host))
        if (await rows.webhooks.insert(made)) return { webhook: made, secret }
        const webhook = await rows.webhooks.setUrl(account.id, url, now)
        if (!webhook) throw new Fault('conflict', 'webhook_removed', 'webhook removed at the same time: try again')
        return { webhook, secret: null }
      })
    },

    async remove(account) {
      await store.write(async rows => {
        if (!(await rows.webhooks.remove(account.id))) throw notSet('not_found')
        await rows.mails.append(notice(account, 'webhook_removed', nowSecs(clock)))
      })
    },

    async rotateSecret(account) {
      const secret = makeSecret()
      const sealed = seal(account, secret)
      const now = nowSecs(clock)
      await store.write(async rows => {
        if (!(await rows.webhooks.setSecret(account.id, sealed, now))) throw notSet('conflict')
        await rows.mails.append(notice(account, 'webhook_secret_rotated', now))
      })
      return secret
    },

    test: account => store.write(rows => send(rows, account, { invoiceId: null, eventType: 'test', body: TEST_BODY })),

    async resend(account, deliveryId) {
      if (!isUuid(deliveryId)) throw noSuch('delivery')
      return store.write(async rows => {
        const delivery = await rows.deliveries.byPublicId(account.id, deliveryId.toLowerCase())
        if (!delivery) throw noSuch('delivery')
        const { invoiceId, eventType, body } = delivery
        return send(rows, account, { invoiceId, eventType, body })
      })
    },

    async attempts(account, page, invoiceId) {
      const filter = invoiceId === undefined ? {} : { invoicePublicId: invoiceId.toLowerCase() }
      return store.read(rows => rows.deliveries.attempts(account.id, page, filter))
    },

    async attempt(account, id) {
      const found = isUuid(id) && (await store.read(rows => rows.deliveries.attempt(account.id, id.toLowerCase())))
      return found || fail(noSuch('attempt'))
    },

    async prune() {
      const before = nowSecs(clock) - LOG_SECS
      return (await store.write(rows => rows.deliveries.prune(before, PRUNE_AT_ONCE))) === PRUNE_AT_ONCE
    },
  }
}

interface Sent {
  readonly invoiceId: number | null
  readonly eventType: EventType
  readonly body: string
}

function notSet(kind: 'not_found' | 'conflict'): Fault {
  return new Fault(kind, 'webhook_not_set', 'webhook not set')
}

function tooManyWaiting(): Fault {
  return new Fault('too_many', 'too_many_deliveries', 'too many deliveries are waiting, try again later', {
    retryAfterSecs: RETRY_SECS,
  })
}

function fail(error: Error): never {
  throw error
}
