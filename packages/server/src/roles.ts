import { addOpenDeliveriesGauge } from './adapters/metrics/delivery.ts'
import { addOperatorQueueGauge } from './adapters/metrics/operator-queue.ts'
import { type Container, createMailService } from './container.ts'
import type { App } from './http/app.ts'
import { createHttpServer } from './http/server.ts'
import type { SandboxTools } from './web/context.ts'
import { addSite, notFoundPage } from './web/site.ts'
import { startBillingLoop } from './workers/billing.ts'
import { startChainSync } from './workers/chain/sync.ts'
import { startCleanup } from './workers/cleanup.ts'
import { startDeliveryWorker } from './workers/delivery.ts'
import { startExpiryLoop } from './workers/invoice-expiry.ts'
import { startMailLoop } from './workers/mail.ts'
import { startSwapPolling } from './workers/swap.ts'

/**
 * Starts the role `api`: serves the API and the pages.
 * @param stack closes the server
 * @returns the URL that the server listens on
 */
export async function startApiRole(
  { infrastructure, services }: Container,
  sandboxTools: SandboxTools | null,
  stack: AsyncDisposableStack,
): Promise<string> {
  const { config, clock, log, rates, registry, store } = infrastructure
  const { billing, databaseIdentity, payouts } = services
  await databaseIdentity.advanceCountersAtStart()
  addOperatorQueueGauge(registry, async () => ({
    ...(await payouts.countWaiting()),
    plans: await billing.countNeedingAttention(),
  }))
  const { network } = config
  const site = (app: App, publicUrl: () => string) =>
    addSite(app, { ...services, rates, network, sandboxTools, publicUrl, clock, log })
  const server = await createHttpServer({ settings: config, ...services, store, site, notFoundPage, log, registry })
  stack.adopt(server, adopted => adopted.close())
  return server.listen()
}

/** Starts the role `delivery`: sends webhooks and mails. */
export function startDeliveryRole(container: Container, publicUrl: string, stack: AsyncDisposableStack): void {
  const { infrastructure, services } = container
  const { clock, log, mailer, metrics, registry, store } = infrastructure
  const { deliveries } = services
  addOpenDeliveriesGauge(registry, deliveries.countOpen)
  stopWith(stack, startDeliveryWorker({ deliveries, store, clock, log, metrics }))
  if (!mailer) return
  const mails = createMailService(infrastructure, mailer, () => publicUrl)
  stopWith(stack, startMailLoop({ store, mails, clock, log }))
}

/** Starts the role `watcher`: chain sync, and the jobs that the clock triggers. */
export function startWatcherRole({ infrastructure, services }: Container, stack: AsyncDisposableStack): void {
  const { chain, clock, log, metrics, noteScanner, store } = infrastructure
  const { billing, chainProblems, chainRecorder, cleanup, invoiceExpiry, payouts, recordedChain, scanKeys } = services
  const tasks = [cleanup.pruneIdempotencyKeys, cleanup.pruneEvents, cleanup.pruneDeliveries]
  stopWith(stack, startCleanup({ tasks, clock, log }))
  stopWith(stack, startBillingLoop({ billing, payouts, store, clock, log }))
  stopWith(stack, startSwapPolling({ store, poller: services.swapStatus, clock, log }))
  stopWith(stack, startExpiryLoop({ invoiceExpiry, clock, log }))
  stopWith(
    stack,
    startChainSync({ chain, noteScanner, chainRecorder, recordedChain, scanKeys, chainProblems, clock, log, metrics }),
  )
}

function stopWith(stack: AsyncDisposableStack, worker: { stop(): Promise<void> }): void {
  stack.adopt(worker, adopted => adopted.stop())
}
