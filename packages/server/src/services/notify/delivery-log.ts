import type { Account } from '../../domain/account/account.ts'
import type { AttemptDetail, AttemptRow, DeliveryFilter, DeliveryRow } from '../../ports/repository/notify/delivery.ts'
import type { Page } from '../../ports/repository/page.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { findByPublicId } from '../public-id.ts'
import { bodyOf } from './endpoint-message.ts'

/** Selects deliveries to list. `endpoint`: a public id, or `webhook`. */
export interface LogFilter extends Omit<DeliveryFilter, 'endpointId'> {
  readonly endpoint?: string
}

export interface ShownAttempt extends AttemptDetail {
  readonly requestBody: string
}

/** The deliveries of an account to its webhook and its endpoints, as its owner sees them. */
export interface DeliveryLog {
  /** Newest first. @throws AppError `no_such_endpoint` */
  deliveries(account: Account, page: Page, filter?: LogFilter): Promise<DeliveryRow[]>
  /** Newest first. An unknown invoice has no attempts. */
  attempts(account: Account, page: Page, invoiceId?: string): Promise<AttemptRow[]>
  /** The newest attempts of a delivery, newest first. */
  attemptsOf(account: Account, deliveryId: string): Promise<AttemptRow[]>
  /** An attempt with its request and response bodies. @throws AppError `no_such_attempt` */
  attempt(account: Account, id: string): Promise<ShownAttempt>
}

/** More than an endpoint makes within three days. */
const MAX_LISTED_ATTEMPTS = 100

export function createDeliveryLog(store: Store): DeliveryLog {
  return {
    deliveries: (account, page, { endpoint, ...filter } = {}) =>
      store.read(async tx => {
        if (endpoint === undefined) return tx.deliveries.list(account.id, page, filter)
        if (endpoint === 'webhook') return tx.deliveries.list(account.id, page, { ...filter, endpointId: null })
        const find = (publicId: string) => tx.endpoints.byPublicId(account.id, publicId)
        const { id } = await findByPublicId('no_such_endpoint', endpoint, find)
        return tx.deliveries.list(account.id, page, { ...filter, endpointId: id })
      }),

    async attempts(account, page, invoiceId) {
      const filter = invoiceId === undefined ? {} : { invoicePublicId: invoiceId.toLowerCase() }
      return store.read(tx => tx.deliveries.listAttempts(account.id, page, filter))
    },

    attemptsOf: (account, deliveryPublicId) =>
      store.read(tx => tx.deliveries.attemptsOf(account.id, deliveryPublicId, MAX_LISTED_ATTEMPTS)),

    attempt: (account, publicId) =>
      findByPublicId('no_such_attempt', publicId, id =>
        store.read(async tx => {
          const attempt = await tx.deliveries.attemptByPublicId(account.id, id)
          return attempt && { ...attempt, requestBody: await requestBodyOf(tx, attempt) }
        }),
      ),
  }
}

/** The body that was sent. The payment in one of BTCPay's dialect is as it stands now. */
async function requestBodyOf(
  tx: Tx,
  { receiver, endpointPublicId, event, ...attempt }: AttemptDetail,
): Promise<string> {
  if (receiver === null || endpointPublicId === null) return event.body
  const { deliveryPublicId, part, originalId, attempt: number, publicId: attemptId } = attempt
  const endpoint = { ...receiver, publicId: endpointPublicId, accountId: event.accountId }
  const delivery = { publicId: deliveryPublicId, part, originalId }
  return (await bodyOf(tx, { endpoint, event, delivery, attempt: number, attemptId })) ?? event.body
}
