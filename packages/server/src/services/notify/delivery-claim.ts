import { fairShares } from '../../domain/notify/delivery.ts'
import { type SendingProgress, startAttempt } from '../../domain/notify/delivery-schedule.ts'
import { webhookSecretSealContext } from '../../domain/notify/webhook.ts'
import { deliveryReference, isRowFault, retrySetAsideSecs, webhookReference } from '../../domain/set-aside.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { OpenDelivery, StartedAttempt } from '../../ports/repository/notify/delivery.ts'
import type { Webhook } from '../../ports/repository/notify/webhook.ts'
import type { SetAside } from '../../ports/repository/set-aside.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import type { SetAsides } from '../set-aside.ts'
import { mailFailures } from './delivery-failure.ts'

/** A logged attempt to make now, with the secret that signs it. */
export interface DeliveryJob extends StartedAttempt {
  readonly secret: string
}

/** A webhook with its secret. */
interface OpenWebhook extends Webhook {
  readonly secret: string
}

/** Limits a claim to some accounts, or to some deliveries of one account. */
interface ClaimPart {
  readonly accountIds: readonly number[]
  readonly publicIds?: readonly string[]
}

/** How many more attempts may run. */
export interface FreeSlots {
  readonly total: number
  forAccount(accountId: number): number
  /** Ids of accounts without a free slot. */
  readonly fullAccountIds: readonly number[]
  /**
   * Whether this process is making an attempt of the delivery, or has made one whose result is neither recorded nor being
   * recorded. A stall can outlast the lease of its own attempt.
   */
  isAttempting(publicId: string): boolean
}

/** A webhook whose secret does not open. */
interface ClosedWebhook {
  readonly webhook: Webhook
  readonly error: unknown
}

/** Claims due deliveries for the free slots of a process. */
export interface DeliveryClaims {
  /** @returns also the webhooks whose secret does not open: nothing of them is claimed */
  claim(tx: Tx, slots: FreeSlots, nowMs: number): Promise<Claimed>
  /** Claims for each account alone if need be, and within an account for each delivery. Sets aside each that fails alone. */
  claimApart(slots: FreeSlots): Promise<DeliveryJob[]>
  /**
   * Claims a delivery that is set aside. It stays so when there is an attempt to make, and is tried again later should
   * the process stop.
   */
  claimSetAside(entry: SetAside): Promise<DeliveryJob[]>
  /** Sets aside the webhooks whose secret does not open. Never rejects: they are met again. */
  setClosedAside(closed: readonly ClosedWebhook[]): Promise<void>
  /** @throws when the secret does not open */
  openSecret(webhook: Webhook): string
}

interface Claimed {
  readonly jobs: DeliveryJob[]
  readonly closed: readonly ClosedWebhook[]
  /** The accounts whose webhooks are locked. */
  readonly accountIds: readonly number[]
}

const ONE_SLOT: FreeSlots = { total: 1, forAccount: () => 1, fullAccountIds: [], isAttempting: () => false }
const INTERRUPTED = 'interrupted: the service stopped before the response arrived'

export function createDeliveryClaims(deps: {
  readonly store: Store
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly setAsides: SetAsides
}): DeliveryClaims {
  const { store, vault, clock, random, log, setAsides } = deps

  /** Claims due deliveries of locked webhooks. */
  async function claimDue(
    tx: Tx,
    webhooks: readonly OpenWebhook[],
    slots: FreeSlots,
    nowMs: number,
    publicIds?: readonly string[],
  ): Promise<DeliveryJob[]> {
    const limits = fairShares(
      webhooks.map(({ accountId }) => slots.forAccount(accountId)),
      slots.total,
    )
    const requested = webhooks.map(({ accountId }, index) => ({
      accountId,
      limit: limits[index] ?? 0,
      ...(publicIds && { publicIds }),
    }))
    const listed = await tx.deliveries.listDue(requested, nowMs)
    const due = listed.filter(({ publicId }) => !slots.isAttempting(publicId))
    const steps = due.map(delivery => ({ delivery, next: startAttempt(delivery.progress, nowMs) }))
    await tx.deliveries.markInterrupted(due.filter(isInterrupted).map(idOf), INTERRUPTED)
    const failedFor = await tx.deliveries.markFailed(
      steps.flatMap(({ delivery, next }) => (next.state === 'failed' ? [delivery.id] : [])),
    )
    await mailFailures(tx, failedFor, () => INTERRUPTED, Math.floor(nowMs / 1000))
    const byAccount = new Map(webhooks.map(webhook => [webhook.accountId, webhook]))
    const jobs = steps.flatMap(({ delivery, next }) => {
      const webhook = byAccount.get(delivery.accountId)
      return webhook && next.state === 'sending' ? [toJob(delivery, next, webhook, nowMs)] : []
    })
    // Another process may have recorded a late success of an attempt whose lease has ended.
    const started = await tx.deliveries.startAttempts(jobs)
    return jobs.filter(({ delivery }) => started.has(delivery.id))
  }

  function toJob(delivery: OpenDelivery, progress: SendingProgress, webhook: OpenWebhook, nowMs: number): DeliveryJob {
    const url = delivery.url ?? webhook.url
    return {
      publicId: random.uuid(),
      delivery,
      progress,
      url,
      secret: webhook.secret,
      startedAt: Math.floor(nowMs / 1000),
    }
  }

  function openSecret({ accountId, sealedSecret }: Webhook): string {
    return Buffer.from(vault.open(sealedSecret, webhookSecretSealContext(accountId))).toString()
  }

  async function claim(tx: Tx, slots: FreeSlots, nowMs: number, part?: ClaimPart): Promise<Claimed> {
    const { total, fullAccountIds } = slots
    const due = total > 0 ? await tx.deliveries.lockDueWebhooks(nowMs, total, fullAccountIds, part?.accountIds) : []
    const open: OpenWebhook[] = []
    const closed: ClosedWebhook[] = []
    for (const webhook of due) {
      try {
        open.push({ ...webhook, secret: openSecret(webhook) })
      } catch (error) {
        closed.push({ webhook, error })
      }
    }
    const jobs = open.length > 0 ? await claimDue(tx, open, slots, nowMs, part?.publicIds) : []
    return { jobs, closed, accountIds: due.map(({ accountId }) => accountId) }
  }

  async function setClosedAside(closed: readonly ClosedWebhook[]): Promise<void> {
    for (const { webhook, error } of closed) {
      const recorded = setAsides.record(webhookReference(webhook), error)
      await recorded.catch(err => log.warn({ account: webhook.accountId, err }, 'a webhook could not be set aside'))
    }
  }

  async function claimApart(slots: FreeSlots): Promise<DeliveryJob[]> {
    const nowMs = clock.nowMs()
    const jobs: DeliveryJob[] = []
    const left = (): FreeSlots => ({ ...slots, total: slots.total - jobs.length })
    const claimPart = async (part: ClaimPart) => {
      const claimed = await store.write(async tx => {
        const claimed = await claim(tx, left(), nowMs, part)
        await tx.deliveries.reschedule(claimed.accountIds)
        return claimed
      })
      for (const job of claimed.jobs) jobs.push(job)
      await setClosedAside(claimed.closed)
    }
    const due =
      slots.total > 0
        ? await store.query(tx => tx.deliveries.listDueWebhooks(nowMs, slots.total, slots.fullAccountIds))
        : []
    await setAsides.forEachBisected(due, webhookReference, async webhooks => {
      const accountIds = webhooks.map(({ accountId }) => accountId)
      try {
        await claimPart({ accountIds })
      } catch (error) {
        const [accountId] = accountIds
        if (accountId === undefined || accountIds.length > 1 || !isRowFault(error)) throw error
        const ids = await store.query(tx => tx.deliveries.listDueIds(accountId, nowMs, slots.forAccount(accountId)))
        await setAsides.forEachBisected(
          ids,
          id => deliveryReference(id, accountId),
          publicIds => claimPart({ accountIds, publicIds }),
        )
        // Another process may have set the delivery aside that failed; if it fails again, the webhook does.
        if (ids.length === 0) await claimPart({ accountIds })
      }
    })
    return jobs
  }

  async function claimSetAside(entry: SetAside): Promise<DeliveryJob[]> {
    const { reference, accountId, failures } = entry
    const accountIds = accountId === null ? [] : [accountId]
    const nowMs = clock.nowMs()
    const { jobs, closed } = await store.write(async tx => {
      await tx.deliveries.lockWebhooks(accountIds)
      const current = await tx.setAside.lock(entry)
      // Another process tries it.
      if (current?.nextAttemptAt !== entry.nextAttemptAt) return { jobs: [], closed: [] }
      const lostAtMs = await tx.deliveries.makeDue(reference, nowMs)
      if (lostAtMs !== null) {
        await tx.setAside.put({ ...current, nextAttemptAt: Math.ceil(lostAtMs / 1000) })
        return { jobs: [], closed: [] }
      }
      await tx.setAside.remove(entry)
      await tx.deliveries.reschedule(accountIds)
      const claimed = await claim(tx, ONE_SLOT, nowMs, { accountIds, publicIds: [reference] })
      if (claimed.jobs.length > 0)
        await tx.setAside.put({ ...current, nextAttemptAt: Math.floor(nowMs / 1000) + retrySetAsideSecs(failures + 1) })
      await tx.deliveries.reschedule(accountIds)
      return claimed
    })
    await setClosedAside(closed)
    return jobs
  }

  return { claim, claimApart, claimSetAside, setClosedAside, openSecret }
}

function isInterrupted({ progress }: OpenDelivery): boolean {
  return progress.state === 'sending'
}

function idOf({ id }: OpenDelivery): number {
  return id
}
