import { randomUUID } from 'node:crypto'
import { RETRY_DELAYS_MS } from '../../src/domain/notify/delivery-schedule.ts'
import type { Store } from '../../src/ports/store.ts'

/** Later than any worker of a test looks. */
const FAR_MS = 4_000_000_000_000

/** Stores deliveries with these bodies whose last attempt was answered with 503. The account needs a webhook. */
export async function insertFailed(store: Store, accountId: number, bodies: readonly string[]): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const event = { accountId, invoiceId: null, eventType: 'plan.updated', url: null, createdAt: now - 3_600 } as const
  await store.write(async tx => {
    const { eventType: type, url: _, ...about } = event
    await tx.events.append(
      bodies.map(body => ({
        ...{ ...about, type, body, publicId: randomUUID() },
        deliveries: [{ ...event, publicId: randomUUID(), dueAtMs: FAR_MS }],
      })),
    )
  })
  await store.write(async tx => {
    const deliveries = await tx.deliveries.listDue([{ accountId, limit: bodies.length }], FAR_MS)
    const attempts = RETRY_DELAYS_MS.length + 1
    const started = deliveries.map(delivery => ({
      publicId: randomUUID(),
      delivery,
      progress: { state: 'sending', attempts, dueAtMs: FAR_MS } as const,
      url: 'https://shop.example/webhook',
      startedAt: now - 3_000,
    }))
    await tx.deliveries.startAttempts(started)
    await tx.deliveries.finishAttempts(
      started.map(({ publicId, delivery }) => ({
        publicId,
        deliveryPublicId: delivery.publicId,
        accountId,
        progress: { state: 'failed', attempts } as const,
        statusCode: 503,
        error: 'answered 503',
        durationMs: 20,
        response: 'down',
        requestHeaders: null,
        responseHeaders: null,
      })),
    )
    await tx.deliveries.reschedule([accountId])
  })
}
