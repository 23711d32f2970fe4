import { addOpenDeliveriesGauge } from './adapters/metrics/delivery.ts'
import { addWaitingMailsGauge } from './adapters/metrics/mail.ts'
import { addOperatorQueueGauge } from './adapters/metrics/operator-queue.ts'
import { addRateGauges } from './adapters/metrics/rate.ts'
import { addSetAsideGauge } from './adapters/metrics/set-aside.ts'
import { maxOpenFiles } from './adapters/system/open-files.ts'
import { requestScope } from './adapters/system/request-scope.ts'
import { startWorkers } from './background.ts'
import type { Container } from './container.ts'
import { startHealthServer } from './http/health-server.ts'
import { createHttpServer, type HttpOptions } from './http/server.ts'
import type { SandboxTools } from './web/context.ts'
import { addSite, notFoundPage } from './web/site.ts'

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
  const { config, clock, keyedHash, random, log, rates, registry, store, noteScanner } = infrastructure
  const { addresses, billing, payouts } = services
  noteScanner.start()
  await addresses.start()
  addOperatorQueueGauge(registry, async () => ({
    ...(await payouts.countWaiting()),
    plans: await billing.countNeedingAttention(),
  }))
  addSetAsideGauge(registry, services.setAsides.countByKind)
  addRateGauges(registry, rates.report)
  const { network } = config
  const site: HttpOptions['site'] = (app, parts) =>
    addSite(app, { ...services, ...parts, rates, network, sandboxTools, keyedHash, random, clock, log })
  const server = await createHttpServer({
    settings: config,
    ...services,
    rates,
    store,
    site,
    notFoundPage: (error, request, reply) => notFoundPage(error, request, reply, config),
    maxOpenFiles: maxOpenFiles(),
    clock,
    random,
    log,
    requestScope,
    tracer: config.otlpEndpoint === null ? null : infrastructure.tracer,
    registry,
  })
  stack.adopt(server, adopted => adopted.close())
  return server.listen()
}

/** Starts the role `delivery`: sends webhooks and mails. */
export function startDeliveryRole(container: Container, publicUrl: string, stack: AsyncDisposableStack): void {
  const { infrastructure, services } = container
  addOpenDeliveriesGauge(infrastructure.registry, services.deliveries.countOpen)
  addWaitingMailsGauge(infrastructure.registry, () => infrastructure.store.query(tx => tx.mails.countWaiting()))
  startWorkers(container, publicUrl, stack, ['delivery', 'endpoint', 'mail', 'set aside by delivery'])
}

/** Starts the role `watcher`: chain sync, and the jobs that the clock triggers. */
export function startWatcherRole(container: Container, publicUrl: string, stack: AsyncDisposableStack): void {
  startWorkers(container, publicUrl, stack, [
    'cleanup',
    'billing',
    'swap',
    'expiry',
    'chain',
    'set aside by the watcher',
  ])
}

/** Serves the health checks and the metrics of a process on a separate port. @returns the port */
export async function startHealthChecks(
  { infrastructure: { config, log, registry }, services }: Container,
  port: number,
  stack: AsyncDisposableStack,
): Promise<number> {
  const metrics = { registry, token: config.metricsToken }
  const server = await startHealthServer({ host: config.host, port }, services.readiness, metrics, log)
  stack.adopt(server, adopted => adopted.close())
  return server.port
}
