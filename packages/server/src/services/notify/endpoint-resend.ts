import { AppError } from '../../domain/error.ts'
import { type Endpoint, isActive, MAX_OPEN_OF_ENDPOINT } from '../../domain/notify/endpoint.ts'
import type { Delivery } from '../../ports/repository/notify/delivery.ts'
import type { Tx } from '../../ports/store.ts'

const RETRY_SECS = 60

/** @throws AppError `endpoint_disabled` */
export function requireActive(endpoint: Pick<Endpoint, 'enabled' | 'pausedAt'>): void {
  if (!isActive(endpoint)) throw new AppError('endpoint_disabled')
}

/** Bounds what an owner queues for a locked endpoint. @throws AppError `too_many_deliveries` */
export async function requireRoom(tx: Tx, { id }: Pick<Endpoint, 'id'>): Promise<void> {
  const open = await tx.endpointDeliveries.openOf(id, MAX_OPEN_OF_ENDPOINT)
  if (open.length >= MAX_OPEN_OF_ENDPOINT) throw new AppError('too_many_deliveries', { retryAfterSecs: RETRY_SECS })
}

/**
 * Sends the event of a delivery to its endpoint again, apart from the order of the events.
 * @param publicId of the new delivery
 * @throws AppError `no_such_endpoint`, `endpoint_disabled`, `too_many_deliveries`
 */
export async function resendToEndpoint(
  tx: Tx,
  resent: Delivery & { readonly endpointPublicId: string },
  { publicId, nowMs }: { readonly publicId: string; readonly nowMs: number },
): Promise<void> {
  const { endpointPublicId, accountId, invoiceId, eventSeq, eventType, part, originalId } = resent
  const endpoint = await tx.endpoints.lockByPublicId(endpointPublicId)
  if (!endpoint) throw new AppError('no_such_endpoint')
  requireActive(endpoint)
  await requireRoom(tx, endpoint)
  const createdAt = Math.floor(nowMs / 1000)
  const event = { accountId, invoiceId, eventSeq, eventType, createdAt }
  const original = { part, originalId: originalId ?? resent.publicId }
  const delivery = { publicId, endpointId: endpoint.id, ...event, ...original }
  await tx.endpointDeliveries.insert(delivery, nowMs, true)
  await tx.endpoints.goBackTo(endpoint.id, endpoint.cursorSeq, nowMs)
  tx.notify('events')
}
