import { collectDefaultMetrics, Registry } from 'prom-client'
import { createKeyedHash } from './adapters/crypto/keyed-hash.ts'
import { createVault } from './adapters/crypto/vault.ts'
import { createHttpClient } from './adapters/http-client/client.ts'
import { createLogoEncoder } from './adapters/image/logo-encoder.ts'
import { createLightwalletd } from './adapters/lightwalletd/chain.ts'
import { measuredStore } from './adapters/metrics/database.ts'
import { measuredMailer } from './adapters/metrics/mail.ts'
import { createMetrics } from './adapters/metrics/metrics.ts'
import { createOneClick, disabledSwapProvider } from './adapters/oneclick/provider.ts'
import { openRates } from './adapters/rates/open.ts'
import { createSmtpMailer } from './adapters/smtp/mailer.ts'
import { backupFolder, newestFileSecs } from './adapters/system/backup-folder.ts'
import { systemClock } from './adapters/system/clock.ts'
import { createDataDir } from './adapters/system/data-dir.ts'
import { createLogger } from './adapters/system/logger.ts'
import { systemRandom } from './adapters/system/random.ts'
import { openTracer } from './adapters/traces/open.ts'
import { tracedMailer, tracedSwapProvider } from './adapters/traces/traced.ts'
import { createNoteScanner } from './adapters/zcash/note-scanner.ts'
import { checkShieldedAddress } from './adapters/zcash/shielded-address.ts'
import type { Config } from './config/settings.ts'
import { type ConsensusParams, consensusParams } from './domain/chain/network-upgrade.ts'
import type { CheckAddress } from './ports/address-check.ts'
import type { NewestBackup } from './ports/backup.ts'
import type { Chain } from './ports/chain.ts'
import type { Clock } from './ports/clock.ts'
import type { HttpClient } from './ports/http-client.ts'
import type { KeyedHash } from './ports/keyed-hash.ts'
import type { Log } from './ports/log.ts'
import type { LogoEncoder } from './ports/logo-encoder.ts'
import type { Mailer } from './ports/mailer.ts'
import type { Metrics } from './ports/metrics.ts'
import type { NoteScanner } from './ports/note-scanner.ts'
import type { Random } from './ports/random.ts'
import type { ReportedRates } from './ports/rate.ts'
import type { Store } from './ports/store.ts'
import type { SwapProvider } from './ports/swap-provider.ts'
import type { Tracer } from './ports/tracer.ts'
import type { Vault } from './ports/vault.ts'
import { openStore, type StoreOptions, sqliteFile } from './store/open.ts'

/** The adapters that the services use. */
export interface Infrastructure {
  readonly config: Config
  readonly params: ConsensusParams
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly registry: Registry
  readonly metrics: Metrics
  readonly tracer: Tracer
  readonly store: Store
  readonly vault: Vault
  readonly keyedHash: KeyedHash
  readonly checkAddress: CheckAddress
  readonly chain: Chain
  readonly noteScanner: NoteScanner
  readonly logoEncoder: LogoEncoder
  /** For webhooks: connects only to public addresses, unless WEBHOOK_ALLOW_PRIVATE is set. */
  readonly webhookHttp: HttpClient
  readonly rates: ReportedRates
  readonly swapProvider: SwapProvider
  /** Null in the sandbox settings before the sandbox has completed them. */
  readonly mailer: Mailer | null
  /** Null on PostgreSQL, whose backups are made elsewhere, and on a regtest, which has no real money. */
  readonly newestBackup: NewestBackup | null
}

/**
 * Adapters that replace the configured ones. The caller closes what it passes. Without `process`, a command opens the
 * database, which may run beside the process that serves from it. With `isPrepared: false`, a command checks and creates
 * nothing in it, and plans and deposits are not offered.
 */
export type Overrides = Partial<Omit<Infrastructure, 'config'>> &
  Pick<StoreOptions, 'process' | 'migration' | 'onWait'> & { readonly isPrepared?: boolean }

/** A timer measures the lag of the event loop this often. Every 10 ms, the default, takes a quarter of a percent of a core. */
const LAG_PRECISION_MS = 50

/** Opens the adapters of a process. @param stack closes those that it has opened */
export async function openInfrastructure(
  config: Config,
  overrides: Overrides,
  stack: AsyncDisposableStack,
): Promise<Infrastructure> {
  const { clock = systemClock, random = systemRandom, registry = new Registry() } = overrides
  const {
    log = createLogger(config.logLevel, { format: config.logFormat }),
    params = consensusParams(config.network, config.regtest),
  } = overrides
  const opened = <T extends { close(): unknown }>(adapter: T) =>
    stack.adopt(adapter, async adopted => void (await adopted.close()))
  const onError = (err: unknown) => log.error({ err }, 'database error')
  if (!overrides.registry && config.metricsToken !== null)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS })
  if (!overrides.store) createDataDir(config.dataDir)
  const { process, migration, onWait } = overrides
  const open = () => openStore(config.databaseUrl, { onError, process, migration, onWait })
  const store = overrides.store ?? opened(measuredStore(await open(), config.metricsToken === null ? null : registry))
  // For services that the operator configured: connects to any address.
  const trustedHttp = opened(createHttpClient({ allowPrivate: true }))
  const { mail, swap, lightwalletdUrls: urls, roles, otlpEndpoint } = config
  const metrics = overrides.metrics ?? createMetrics(registry, clock, config.roles)
  const vault = overrides.vault ?? createVault(config.encryptionKeys, random)
  const keyedHash = overrides.keyedHash ?? createKeyedHash(config.encryptionKeys)
  const tracer =
    overrides.tracer ?? opened(await openTracer(otlpEndpoint, { roles, http: trustedHttp, clock, random, log }))
  const swapProvider = swap ? createOneClick({ ...swap, http: trustedHttp, clock }) : disabledSwapProvider()
  const mailer = mail && measuredMailer(createSmtpMailer(mail.smtpUrl, mail.from, mail.requireTls), metrics)
  return {
    config,
    params,
    clock,
    random,
    log,
    registry,
    store,
    metrics,
    tracer,
    vault,
    keyedHash,
    checkAddress: overrides.checkAddress ?? checkShieldedAddress,
    chain: overrides.chain ?? opened(createLightwalletd({ urls, params, clock, log })),
    noteScanner: overrides.noteScanner ?? opened(createNoteScanner({ log, onKernelError: metrics.kernelUnused })),
    logoEncoder: overrides.logoEncoder ?? createLogoEncoder(),
    webhookHttp: overrides.webhookHttp ?? opened(createHttpClient({ allowPrivate: config.webhookAllowPrivate })),
    rates: overrides.rates ?? opened(openRates(config.rates, trustedHttp, clock)),
    swapProvider: overrides.swapProvider ?? tracedSwapProvider(swapProvider, tracer),
    mailer: overrides.mailer ?? (mailer && opened(tracedMailer(mailer, tracer))),
    newestBackup: overrides.newestBackup ?? newestBackupOf(config),
  }
}

function newestBackupOf({ databaseUrl, network }: Config): NewestBackup | null {
  const file = network === 'regtest' ? null : sqliteFile(databaseUrl)
  return file === null ? null : () => newestFileSecs(backupFolder(file))
}
