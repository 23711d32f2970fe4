import type { Account } from '../../domain/account/account.ts'
import { MAX_COUNT } from '../../domain/count.ts'
import { AppError } from '../../domain/error.ts'
import { MAX_OPEN_DELIVERIES } from '../../domain/notify/delivery.ts'
import { TEST_EVENT_BODY } from '../../domain/notify/webhook.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Delivery } from '../../ports/repository/notify/delivery.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { findByPublicId } from '../public-id.ts'
import { resendToEndpoint } from './endpoint-resend.ts'

/** Deliveries that the account's owner requests. */
export interface Resends {
  /** Queues a test event and returns the delivery's id. @throws AppError `webhook_not_set` (409), `too_many_deliveries` */
  test(account: Account): Promise<string>
  /**
   * Queues a delivery's body again, to the webhook or the endpoint that it went to, and returns the new delivery's id.
   * @throws AppError `no_such_delivery`, `webhook_not_set` (409), `no_such_endpoint`, `endpoint_disabled`,
   * `too_many_deliveries`
   */
  resend(account: Account, deliveryId: string): Promise<string>
  /**
   * Queues the bodies of the deliveries to the webhook that have failed for good again, oldest first, without test events:
   * as many as fit beside those that wait. Each is sent again once.
   * @param since only those created at this time or later, in Unix seconds
   * @throws AppError `webhook_not_set` (409), `too_many_deliveries`
   */
  resendFailed(account: Account, since?: number): Promise<ResentDeliveries>
  /** The number of deliveries that `resendFailed` would send again, counted up to `MAX_COUNT` and one. */
  countFailed(account: Account): Promise<number>
}

/** `left`: the number that did not fit, counted up to `MAX_COUNT` and one. */
interface ResentDeliveries {
  readonly resent: number
  readonly left: number
}

type DeliveryContent = Pick<Delivery, 'invoiceId' | 'eventSeq' | 'eventType' | 'url'>

const RETRY_SECS = 60

export function createResends(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}): Resends {
  const { store, clock, random } = deps

  /** Locks the webhook, if there is one. @returns how many more deliveries the owner may queue */
  async function lockRoom(tx: Tx, account: Account): Promise<{ room: number; hasWebhook: boolean }> {
    const locked = await tx.deliveries.lockWebhooks([account.id])
    const room = MAX_OPEN_DELIVERIES - (await tx.deliveries.countOpenOf(account.id, MAX_OPEN_DELIVERIES))
    if (room > 0) return { room, hasWebhook: locked.has(account.id) }
    throw new AppError('too_many_deliveries', {
      retryAfterSecs: RETRY_SECS,
    })
  }

  /** @returns the ids of the new deliveries */
  async function enqueue(tx: Tx, account: Account, contents: readonly DeliveryContent[]): Promise<string[]> {
    const due = { accountId: account.id, createdAt: nowSecs(clock), dueAtMs: clock.nowMs() }
    const deliveries = contents.map(({ invoiceId, eventSeq, eventType, url }) => {
      return { invoiceId, eventSeq, eventType, url, publicId: random.uuid(), ...due }
    })
    const created = await tx.deliveries.insert(deliveries)
    if (created < deliveries.length) throw new AppError('webhook_required')
    return deliveries.map(({ publicId }) => publicId)
  }

  return {
    test: account =>
      store.write(async tx => {
        // One that is set from now on could be removed again before the delivery is written.
        const { hasWebhook } = await lockRoom(tx, account)
        if (!hasWebhook) throw new AppError('webhook_required')
        const event = { accountId: account.id, invoiceId: null, createdAt: nowSecs(clock) }
        const publicId = random.uuid()
        const delivery = { ...event, publicId, eventType: 'test', url: null, dueAtMs: clock.nowMs() } as const
        const written = { ...event, type: 'test', body: TEST_EVENT_BODY, publicId: random.uuid() } as const
        await tx.events.append([{ ...written, deliveries: [delivery] }])
        tx.notify('events')
        return publicId
      }),

    async resend(account, deliveryId) {
      return store.write(async tx => {
        const delivery = await findByPublicId('no_such_delivery', deliveryId, id =>
          tx.deliveries.byPublicId(account.id, id),
        )
        const { endpointPublicId } = delivery
        if (endpointPublicId !== null) {
          const publicId = random.uuid()
          await resendToEndpoint(tx, { ...delivery, endpointPublicId }, { publicId, nowMs: clock.nowMs() })
          return publicId
        }
        await lockRoom(tx, account)
        const [publicId = ''] = await enqueue(tx, account, [delivery])
        await tx.deliveries.markResent([delivery.id], nowSecs(clock))
        return publicId
      })
    },

    resendFailed: (account, since) =>
      store.write(async tx => {
        const { room } = await lockRoom(tx, account)
        const failed = await tx.deliveries.listFailed(account.id, room, since)
        if (failed.length === 0) return { resent: 0, left: 0 }
        await enqueue(tx, account, failed)
        await tx.deliveries.markResent(
          failed.map(({ id }) => id),
          nowSecs(clock),
        )
        return { resent: failed.length, left: await tx.deliveries.countFailed(account.id, MAX_COUNT + 1, since) }
      }),

    countFailed: account => store.read(tx => tx.deliveries.countFailed(account.id, MAX_COUNT + 1)),
  }
}
