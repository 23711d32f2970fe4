import { type Container, createMailService } from './container.ts'
import { startBillingLoops } from './workers/account/billing.ts'
import { startChainSync } from './workers/chain/sync.ts'
import { startCleanup } from './workers/cleanup.ts'
import { startDeliveryWorker } from './workers/notify/delivery.ts'
import { startEndpointWorker } from './workers/notify/endpoint.ts'
import { startMailLoops } from './workers/notify/mail.ts'
import { startExpiryLoop } from './workers/sale/invoice-expiry.ts'
import { startSwapPolling } from './workers/sale/swap.ts'
import { startSetAsideLoop } from './workers/set-aside.ts'

/** The background jobs of the service, by name. Null: the service has no mail server. */
const WORKERS = {
  cleanup: ({ infrastructure, services: { accountDeletions, cleanup, invoiceTexts } }) => {
    const tasks = [...Object.values(cleanup), accountDeletions.eraseDue, invoiceTexts.eraseOld]
    return startCleanup({ ...infrastructure, tasks })
  },
  billing: ({ infrastructure, services }) => startBillingLoops({ ...infrastructure, ...services }),
  swap: ({ infrastructure, services }) => startSwapPolling({ ...infrastructure, poller: services.swapStatus }),
  expiry: ({ infrastructure, services }) => startExpiryLoop({ ...infrastructure, ...services }),
  chain: ({ infrastructure, services }) => startChainSync({ ...infrastructure, ...services }),
  delivery: ({ infrastructure, services }) => startDeliveryWorker({ ...infrastructure, ...services }),
  endpoint: ({ infrastructure, services }) => startEndpointWorker({ ...infrastructure, ...services }),
  'set aside by delivery': ({ infrastructure, services: { deliveries, endpointDeliveries, setAsides } }) => {
    const retries = [deliveries.retrySetAside, endpointDeliveries.retrySetAside]
    return startSetAsideLoop({ ...infrastructure, setAsides, retries })
  },
  'set aside by the watcher': ({ infrastructure, services }) => {
    const { accountDeletions, billing, retryInvoices, setAsides, swapStatus } = services
    const others = [accountDeletions, billing, swapStatus].map(service => service.retrySetAside)
    return startSetAsideLoop({ ...infrastructure, setAsides, retries: [retryInvoices, ...others] })
  },
  mail({ infrastructure, services: { setAsides } }, publicUrl) {
    const { mailer } = infrastructure
    if (!mailer) return null
    const mails = createMailService(infrastructure, mailer, () => publicUrl)
    return startMailLoops({ ...infrastructure, mails, setAsides })
  },
} satisfies Record<string, (container: Container, publicUrl: string) => { stop(): Promise<void> } | null>

export type WorkerName = keyof typeof WORKERS
export const WORKER_NAMES = Object.keys(WORKERS) as readonly WorkerName[]

/** Starts background jobs in this order. @param stack stops them */
export function startWorkers(
  container: Container,
  publicUrl: string,
  stack: AsyncDisposableStack,
  names: readonly WorkerName[],
): void {
  for (const name of names) {
    const worker = WORKERS[name](container, publicUrl)
    if (worker) stack.adopt(worker, adopted => adopted.stop())
  }
}
