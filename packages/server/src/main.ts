import { encryptionKeyId } from './adapters/crypto/vault.ts'
import type { Logger } from './adapters/system/logger.ts'
import type { Config } from './config/settings.ts'
import { openContainer, type Services } from './container.ts'
import type { Clock } from './ports/clock.ts'
import type { Random } from './ports/random.ts'
import type { Store } from './ports/store.ts'
import { startApiRole, startDeliveryRole, startHealthChecks, startWatcherRole } from './roles.ts'
import type { MigrationWatch } from './store/migrate.ts'
import { thisProcess } from './store/process.ts'
import type { SandboxTools } from './web/context.ts'

export interface ServiceOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** Tools that the pages offer on a simulated network. */
  readonly sandboxTools?: SandboxTools
  /** Follows and stops the migrations of an older database. */
  readonly migration?: MigrationWatch
  /** Waits some minutes for a PostgreSQL that cannot be reached yet. Called with the reason. Default: fails at once. */
  readonly onWait?: (reason: string) => void
}

/** A running service. */
export interface Service extends Services {
  /** The address of the API; empty when this process does not have the role `api`. */
  readonly url: string
  /** Where only the health checks are served; null without `HEALTH_PORT`. */
  readonly healthPort: number | null
  readonly store: Store
  /** Stops accepting work, finishes work in progress within time limits, and releases all resources. */
  close(): Promise<void>
}

/**
 * Starts the components of the configured roles. When one fails to start, all are closed again.
 * @throws when the database, the encryption key or the listen address is not usable
 */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  if (config.sandbox)
    throw new Error('the settings name no network: the sandbox completes them before the service starts')
  const { logger, sandboxTools = null, ...overrides } = options
  await using stack = new AsyncDisposableStack()
  const process = thisProcess(config.encryptionKeys.map(encryptionKeyId))
  const container = await openContainer(config, { ...overrides, ...(logger && { log: logger }), process }, stack)
  const { roles } = config
  const url = roles.includes('api') ? await startApiRole(container, sandboxTools, stack) : ''
  const publicUrl = config.publicUrl ?? url
  const healthPort = config.healthPort === null ? null : await startHealthChecks(container, config.healthPort, stack)
  if (roles.includes('delivery')) startDeliveryRole(container, publicUrl, stack)
  if (roles.includes('watcher')) startWatcherRole(container, publicUrl, stack)

  const running = stack.move()
  return {
    url,
    healthPort,
    store: container.infrastructure.store,
    ...container.services,
    close: () => running.disposeAsync(),
  }
}
