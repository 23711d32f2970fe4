import { finishAttempt } from '../../domain/notify/delivery-schedule.ts'
import { webhookSignatures } from '../../domain/notify/webhook-signature.ts'
import { deliveryReference, isRowFault, webhookReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { HttpClient } from '../../ports/http-client.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { FinishedAttempt } from '../../ports/repository/notify/delivery.ts'
import type { SetAside } from '../../ports/repository/set-aside.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import type { SetAsides } from '../set-aside.ts'
import { makeAttempt } from './attempt.ts'
import { createDeliveryClaims, type DeliveryJob, type FreeSlots } from './delivery-claim.ts'
import { mailFailures } from './delivery-failure.ts'

export interface Deliveries {
  /**
   * Records ended attempts and claims due deliveries for the free slots, in one transaction, or in none if there is
   * neither. Returned attempts are counted before any byte is sent. `nextDueAtMs` is the time of the next due delivery in
   * Unix milliseconds. When the transaction fails, each part of it runs alone, and the rows that fail alone are set aside.
   */
  recordAndClaim(
    ended: readonly FinishedAttempt[],
    slots: FreeSlots,
  ): Promise<{ jobs: DeliveryJob[]; nextDueAtMs: number | null }>
  /** Makes an attempt and returns its outcome. Never rejects. */
  attempt(job: DeliveryJob): Promise<FinishedAttempt>
  /** Tries again the webhooks and deliveries that are set aside. @returns whether there may be more */
  retrySetAside(): Promise<boolean>
  /** Number of deliveries that are not finished. */
  countOpen(): Promise<number>
}

/** Instead of a result that the database refuses. */
const NOT_STORED = {
  ...{ error: 'the result of this attempt could not be stored', response: null, statusCode: null },
  ...{ requestHeaders: null, responseHeaders: null },
}

export function createDeliveries(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly webhookHttp: HttpClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly setAsides: SetAsides
}): Deliveries {
  const { store, webhookHttp, clock, log, setAsides } = deps
  const { claim, claimApart, claimSetAside, setClosedAside, openSecret } = createDeliveryClaims(deps)

  async function recordEnded(tx: Tx, ended: readonly FinishedAttempt[]): Promise<number[]> {
    if (ended.length === 0) return []
    const failed = ended.filter(({ progress }) => progress.state === 'waiting').map(({ accountId }) => accountId)
    await tx.deliveries.lockWebhooks(failed)
    const failedFor = await tx.deliveries.finishAttempts(ended)
    const lastError = (id: number) =>
      ended.findLast(({ accountId, error }) => accountId === id && error !== null)?.error
    await mailFailures(tx, failedFor, accountId => lastError(accountId) ?? 'unknown', nowSecs(clock))
    return failed
  }

  /** Records each result alone if need be: a result that the database refuses is replaced by one without foreign text. */
  async function recordEndedApart(ended: readonly FinishedAttempt[]): Promise<void> {
    const write = (results: readonly FinishedAttempt[]) =>
      store.write(async tx => {
        await tx.deliveries.reschedule(await recordEnded(tx, results))
      })
    await setAsides.forEachBisected(
      ended,
      ({ deliveryPublicId, accountId }) => deliveryReference(deliveryPublicId, accountId),
      async results => {
        try {
          await write(results)
        } catch (error) {
          if (results.length > 1 || !isRowFault(error)) throw error
          await write(results.map(result => ({ ...result, ...NOT_STORED })))
        }
      },
    )
  }

  function headersOf({ delivery, secret }: DeliveryJob): Record<string, string> {
    return {
      'content-type': 'application/json',
      'user-agent': 'zatgate-webhooks/1',
      ...webhookSignatures([secret], delivery.publicId, Math.floor(clock.nowMs() / 1000), delivery.body),
    }
  }

  async function attempt(job: DeliveryJob): Promise<FinishedAttempt> {
    const { url, delivery } = job
    const request = { url, headers: headersOf(job), body: delivery.body }
    const { endedAtMs, ...result } = await makeAttempt({ http: webhookHttp, clock, log }, request, delivery.id)
    return {
      publicId: job.publicId,
      deliveryPublicId: delivery.publicId,
      accountId: delivery.accountId,
      progress: finishAttempt(job.progress, result.error === null, endedAtMs),
      ...result,
    }
  }

  /** Sends a delivery that is set aside. It stays so until its result is stored. */
  async function sendAlone(entry: SetAside): Promise<void> {
    const jobs = await claimSetAside(entry)
    for (const job of jobs) {
      const result = await attempt(job)
      const record = (stored: FinishedAttempt) =>
        store.write(async tx => {
          const failed = await recordEnded(tx, [stored])
          await tx.setAside.remove(entry)
          await tx.deliveries.reschedule(failed)
        })
      await record(result).catch(error => {
        if (!isRowFault(error)) throw error
        return record({ ...result, ...NOT_STORED })
      })
    }
  }

  return {
    async recordAndClaim(ended, slots) {
      if (ended.length === 0) {
        const earliestMs = await store.query(tx => tx.deliveries.nextDueAtMs())
        if (earliestMs === null || earliestMs > clock.nowMs()) return { jobs: [], nextDueAtMs: earliestMs }
      }
      try {
        const { jobs, closed, nextDueAtMs } = await store.write(async tx => {
          const nowMs = clock.nowMs()
          const failed = await recordEnded(tx, ended)
          const claimed = await claim(tx, slots, nowMs)
          await tx.deliveries.reschedule([...failed, ...claimed.accountIds])
          return { ...claimed, nextDueAtMs: await tx.deliveries.nextDueAtMs(nowMs) }
        })
        await setClosedAside(closed)
        return { jobs, nextDueAtMs }
      } catch (error) {
        if (!isRowFault(error)) throw error
        await recordEndedApart(ended)
        const jobs = await claimApart(slots)
        return { jobs, nextDueAtMs: await store.query(tx => tx.deliveries.nextDueAtMs(clock.nowMs())) }
      }
    },

    attempt,

    async retrySetAside() {
      const webhooks = await setAsides.retryDue('webhook', async ({ accountId, reference }) => {
        const webhook = accountId === null ? null : await store.query(tx => tx.webhooks.byAccount(accountId))
        if (!webhook || webhookReference(webhook).reference !== reference) return true
        openSecret(webhook)
        await store.write(async tx => {
          await tx.deliveries.lockWebhooks([webhook.accountId])
          await tx.deliveries.reschedule([webhook.accountId])
        })
        return true
      })
      const deliveries = await setAsides.retryDue('delivery', async entry => {
        await sendAlone(entry)
        return false
      })
      return webhooks || deliveries
    },

    countOpen: () => store.query(tx => tx.deliveries.countOpen()),
  }
}
