import { type Container, createMailService } from '@zatgate/server/container'
import { startBillingLoop } from '@zatgate/server/workers/billing'
import { startChainSync } from '@zatgate/server/workers/chain/sync'
import { startCleanup } from '@zatgate/server/workers/cleanup'
import { startDeliveryWorker } from '@zatgate/server/workers/delivery'
import { startExpiryLoop } from '@zatgate/server/workers/invoice-expiry'
import { startMailLoop } from '@zatgate/server/workers/mail'
import { startSwapPolling } from '@zatgate/server/workers/swap'
import type { World } from '../world/world.ts'

/** A worker of the service. Chain sync and the expiry of invoices always run. */
export type Worker = 'billing' | 'cleanup' | 'delivery' | 'mail' | 'swap'

/** The workers that the parts of the world need. The others would only find nothing to do. */
export function workersOf(world: World): ReadonlySet<Worker> {
  return new Set(world.parts.flatMap(({ workers = [] }) => workers))
}

/** Starts the real workers of a process, as `roles.ts` does. @param stack stops them */
export function startWorkers(
  { infrastructure, services }: Container,
  workers: ReadonlySet<Worker>,
  stack: AsyncDisposableStack,
): void {
  const deps = { ...infrastructure, ...services }
  const { clock, log, mailer } = infrastructure
  const { cleanup } = services
  const stopWith = (worker: { stop(): Promise<void> }) => void stack.adopt(worker, adopted => adopted.stop())
  if (workers.has('cleanup')) {
    const tasks = [cleanup.pruneIdempotencyKeys, cleanup.pruneEvents, cleanup.pruneDeliveries]
    stopWith(startCleanup({ tasks, clock, log }))
  }
  if (workers.has('billing')) stopWith(startBillingLoop(deps))
  if (workers.has('swap')) stopWith(startSwapPolling({ ...deps, poller: services.swapStatus }))
  if (workers.has('delivery')) stopWith(startDeliveryWorker(deps))
  if (workers.has('mail') && mailer) {
    const mails = createMailService(infrastructure, mailer, () => 'https://pay.example.org')
    stopWith(startMailLoop({ ...deps, mails }))
  }
  stopWith(startExpiryLoop(deps))
  stopWith(startChainSync(deps))
}
