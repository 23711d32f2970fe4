import { Registry } from 'prom-client'
import type { Config } from '../config/settings.ts'
import { type Container, openContainer } from '../container.ts'
import type { Overrides } from '../infrastructure.ts'
import type { Chain } from '../ports/chain.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import { NO_METRICS } from '../ports/metrics.ts'
import type { Vault } from '../ports/vault.ts'
import type { Context } from './context.ts'
import { withMigrations } from './migration.ts'
import { requireDatabase, type StoreUse, withStore } from './store.ts'

/**
 * Runs work with the services on the database, beside a running service or without one. Nothing is prepared, measured or
 * traced, nothing listens, and no worker runs.
 */
export async function withServices<T>(
  { config, out }: Pick<Context, 'config' | 'out'>,
  work: (services: Container['services'], infrastructure: Container['infrastructure']) => Promise<T>,
  use: StoreUse = { out },
): Promise<T> {
  const settings = config()
  return withStore(
    settings,
    async store => {
      await using stack = new AsyncDisposableStack()
      const adapters = { store, registry: new Registry(), metrics: NO_METRICS, ...withoutSettings(settings) }
      const overrides = { ...adapters, isPrepared: false }
      const { services, infrastructure } = await openContainer({ ...settings, otlpEndpoint: null }, overrides, stack)
      return await work(services, infrastructure)
    },
    use,
  )
}

/** In place of the adapters whose settings only a running sandbox completes. */
function withoutSettings({ lightwalletdUrls, encryptionKeys }: Config): Overrides {
  const withoutKey = {
    vault: unset<Vault>('ENCRYPTION_KEY'),
    keyedHash: unset<KeyedHash>('ENCRYPTION_KEY'),
  }
  return {
    ...(lightwalletdUrls.length === 0 && { chain: unset<Chain>('LIGHTWALLETD_URL') }),
    ...(encryptionKeys.length === 0 && withoutKey),
  }
}

/** An adapter all of whose methods fail. */
function unset<T extends object>(setting: string): T {
  const fail = () => {
    throw new Error(`${setting} is not set`)
  }
  return new Proxy({} as T, { get: () => fail })
}

/**
 * Runs work with the container of `start`, so that a found payment also raises events and updates plans and withdrawals.
 * Nothing listens, and no worker runs.
 * @param command its name, for the message
 * @throws Error in the sandbox, whose chain exists only while it runs
 */
export async function withChain<T>(
  { config, out }: Pick<Context, 'config' | 'out'>,
  command: string,
  work: (container: Container) => Promise<T>,
): Promise<T> {
  const settings = config()
  if (settings.sandbox) throw new Error(`${command} needs NETWORK and LIGHTWALLETD_URL`)
  requireDatabase(settings)
  await using stack = new AsyncDisposableStack()
  const container = await withMigrations(out.note, migration =>
    openContainer({ ...settings, logLevel: 'warn' }, { migration }, stack),
  )
  return await work(container)
}
