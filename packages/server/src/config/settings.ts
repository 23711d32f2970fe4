import { join, resolve } from 'node:path'
import type { Network } from '../domain/account/account.ts'
import { limitWithoutPurchase, type Plan, plansInEffect } from '../domain/account/plan.ts'
import type { RegtestHeights } from '../domain/chain/network-upgrade.ts'
import { encryptionKeys, type TickerUrls } from './parsers.ts'
import { isPrivateHost } from './private-host.ts'
import { type Env, Settings } from './setting-reader.ts'
import type { SettingValue } from './setting-table.ts'
import { textOrNull } from './text-file.ts'
import { requiresTls } from './transport.ts'

export type { Env } from './setting-reader.ts'

export type Role = SettingValue<'ROLES'>[number]

/** All settings, validated. docs/settings.md describes each of them. */
export interface Config {
  /** Neither NETWORK nor LIGHTWALLETD_URL is set: the service runs on a simulated chain. */
  readonly sandbox: boolean
  readonly sandboxPort: number
  /** Seconds between blocks that the sandbox mines by itself; 0: never. */
  readonly autoMineSecs: number
  /** Activation heights of NU6.3 and NU7 on a regtest and in the sandbox. NU7 never activates when `nu7Height` is null. */
  readonly regtest: RegtestHeights
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** A port that serves only the health checks, in any role; null: none, 0: any free port. */
  readonly healthPort: number | null
  /** Null: the address that the service listens on. */
  readonly publicUrl: string | null
  /** Whether HSTS includes the subdomains of the host of `publicUrl`. */
  readonly hstsSubdomains: boolean
  readonly trustProxy: number | readonly string[] | false
  /** Absolute. */
  readonly dataDir: string
  readonly databaseUrl: string
  readonly network: Network
  /** Empty only in sandbox mode. */
  readonly lightwalletdUrls: readonly string[]
  /** Null: swaps are disabled. */
  readonly swap: { readonly apiUrl: string; readonly apiKey: string | null; readonly signingKey: string | null } | null
  /** Null only in sandbox mode. */
  readonly mail: {
    readonly smtpUrl: string
    readonly from: string
    /** Whether mail is sent only over TLS. */
    readonly requireTls: boolean
  } | null
  /** The first key seals, all keys open. Empty only in sandbox mode, before the first start. */
  readonly encryptionKeys: readonly Uint8Array[]
  readonly rates: {
    /** Base URLs by the name of the source. At least one. */
    readonly sources: TickerUrls
    /** The number of sources that must agree. */
    readonly minSources: number
    /** Older prices of a source are not used. */
    readonly maxAgeSecs: number
  }
  readonly withdrawals: {
    /** ISO 4217. */
    readonly currencies: readonly string[]
    /** The operator's margin, in hundredths of a percent. */
    readonly spreadBps: number
    /** How long an order's rate is valid and its deposit address open. */
    readonly expiresInSecs: number
  }
  readonly billingViewingKey: string | null
  readonly plans: readonly Plan[]
  /** Whether signing in with an unknown email opens an account. */
  readonly registration: 'open' | 'closed'
  readonly webhookAllowPrivate: boolean
  /** Confirmations of new accounts. */
  readonly confirmations: number
  readonly lateWatchDays: number
  /** Viewing keys of all accounts that may be watched at a time. */
  readonly maxWatchedKeys: number
  /** How long entries of the audit log are kept. */
  readonly auditRetentionDays: number
  /** How long the events of accounts are kept. */
  readonly eventRetentionDays: number
  /** How long everyone with the id of an invoice can read it after its late window. */
  readonly publicInvoiceDays: number
  /** How long descriptions and metadata of invoices are kept; null: they are not erased. */
  readonly invoiceTextRetentionDays: number | null
  readonly roles: readonly Role[]
  /** Requests per minute from one client address; 0: no limits of requests, also none by account. */
  readonly rateLimit: number
  readonly maxWebSockets: number
  /** Open WebSockets of one client address. */
  readonly maxWebSocketsPerClient: number
  /** The bearer token of GET /metrics; null disables the endpoint. */
  readonly metricsToken: string | null
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** `auto`: pretty when standard error is a terminal, JSON otherwise. */
  readonly logFormat: 'auto' | 'json' | 'pretty'
  /** Base URL of an OpenTelemetry collector, without `/v1/traces`; null: no traces. */
  readonly otlpEndpoint: string | null
  /** Settings that work, but should be changed: one line each. */
  readonly warnings: readonly string[]
}

/** All problems of the settings, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`invalid settings:\n${problems.map(problem => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** The environment of this process. */
export const ENVIRONMENT: Env = process.env

/** The file of the encryption key that the sandbox generates. */
export function sandboxKeyFile(dataDir: string): string {
  return join(dataDir, 'encryption.key')
}

/**
 * Parses the settings. An empty value counts as unset.
 * @param needsMail Whether the settings of the mail server must be set; without them `mail` is null
 * @throws ConfigError with all problems
 */
export function loadConfig(env: Env = ENVIRONMENT, { needsMail = true } = {}): Config {
  const settings = new Settings(env)
  const sandbox = !settings.has('NETWORK') && !settings.has('LIGHTWALLETD_URL')
  const dataDir = resolve(settings.read('DATA_DIR'))
  const network = sandbox ? 'regtest' : settings.require('NETWORK')
  const config: Config = {
    sandbox,
    sandboxPort: settings.read('SANDBOX_PORT'),
    autoMineSecs: settings.read('AUTO_MINE_SECS'),
    regtest: parseRegtest(settings, network),
    host: settings.read('HOST'),
    port: settings.read('PORT'),
    healthPort: settings.read('HEALTH_PORT'),
    publicUrl: settings.read('PUBLIC_URL'),
    hstsSubdomains: settings.read('HSTS_SUBDOMAINS'),
    trustProxy: settings.read('TRUST_PROXY'),
    dataDir,
    databaseUrl: settings.read('DATABASE_URL') ?? `sqlite:${join(dataDir, 'zatgate.db')}`,
    network,
    lightwalletdUrls: parseLightwalletdUrls(settings, sandbox),
    swap: parseSwap(settings),
    mail: parseMail(settings, needsMail && !sandbox),
    encryptionKeys: parseEncryptionKeys(settings, sandbox, dataDir),
    rates: parseRates(settings),
    withdrawals: {
      currencies: settings.read('WITHDRAWAL_CURRENCIES'),
      spreadBps: settings.read('WITHDRAWAL_SPREAD_BPS'),
      expiresInSecs: settings.read('WITHDRAWAL_EXPIRES_SECS'),
    },
    billingViewingKey: settings.read('BILLING_VIEWING_KEY'),
    plans: parsePlans(settings, sandbox),
    registration: settings.read('REGISTRATION') ?? (network === 'main' ? 'closed' : 'open'),
    webhookAllowPrivate: settings.read('WEBHOOK_ALLOW_PRIVATE'),
    confirmations: settings.read('CONFIRMATIONS'),
    lateWatchDays: settings.read('LATE_WATCH_DAYS'),
    maxWatchedKeys: settings.read('MAX_WATCHED_KEYS'),
    auditRetentionDays: settings.read('AUDIT_RETENTION_DAYS'),
    eventRetentionDays: settings.read('EVENT_RETENTION_DAYS'),
    publicInvoiceDays: settings.read('PUBLIC_INVOICE_DAYS'),
    invoiceTextRetentionDays: settings.read('INVOICE_TEXT_RETENTION_DAYS'),
    roles: settings.read('ROLES'),
    rateLimit: settings.read('RATE_LIMIT'),
    maxWebSockets: settings.read('MAX_WEBSOCKETS'),
    maxWebSocketsPerClient: settings.read('MAX_WEBSOCKETS_PER_CLIENT'),
    metricsToken: settings.read('METRICS_TOKEN'),
    logLevel: settings.read('LOG_LEVEL'),
    logFormat: settings.read('LOG_FORMAT'),
    otlpEndpoint: settings.read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    warnings: settings.warnings,
  }
  if (settings.problems.length > 0) throw new ConfigError(settings.problems)
  return Object.freeze(config)
}

/**
 * The upgrade heights of a regtest. On a public network `REGTEST_…` is an error: the settings are meant for another chain.
 * The old name is only a warning there, because it never had an effect on public networks.
 */
function parseRegtest(settings: Settings, network: Network): RegtestHeights {
  const current = settings.read('REGTEST_NU63_HEIGHT')
  const old = settings.read('SANDBOX_NU63_HEIGHT')
  const nu63Height = current ?? old ?? 0
  const nu7Height = settings.read('REGTEST_NU7_HEIGHT')
  if (network !== 'regtest') {
    for (const name of ['REGTEST_NU63_HEIGHT', 'REGTEST_NU7_HEIGHT'] as const)
      if (settings.has(name))
        settings.problems.push(
          `${name} is set, but NETWORK is ${network}: unset it; the heights of public networks are built in`,
        )
    if (settings.has('SANDBOX_NU63_HEIGHT'))
      settings.warnings.push(`SANDBOX_NU63_HEIGHT is set, but NETWORK is ${network}: it has no effect; unset it`)
    return { nu63Height, nu7Height }
  }
  if (old !== null && current !== null && old !== current)
    settings.problems.push(
      `REGTEST_NU63_HEIGHT is ${current}, but its old name SANDBOX_NU63_HEIGHT is ${old}: set only REGTEST_NU63_HEIGHT`,
    )
  else if (nu7Height !== null && nu7Height < nu63Height)
    settings.problems.push(
      `REGTEST_NU7_HEIGHT is ${nu7Height}, but NU6.3 starts at height ${nu63Height}: NU7 cannot start before it`,
    )
  if (settings.has('SANDBOX_NU63_HEIGHT'))
    settings.warnings.push(
      'SANDBOX_NU63_HEIGHT is the old name of REGTEST_NU63_HEIGHT: rename it; the old name still works',
    )
  return { nu63Height, nu7Height }
}

/** The sandbox sells plans. */
function parsePlans(settings: Settings, sandbox: boolean): readonly Plan[] {
  const listed = settings.read('PLANS_FILE')
  const areSold = sandbox || settings.has('BILLING_VIEWING_KEY')
  const plans = plansInEffect(listed, areSold)
  const limit = limitWithoutPurchase(plans, areSold)
  if (limit !== null)
    settings.warnings.push(
      `PLANS_FILE limits new accounts to ${limit} invoices a month, and they can buy no larger plan: ` +
        'zatgate account plan EMAIL PLAN assigns one; without PLANS_FILE and BILLING_VIEWING_KEY there is no limit',
    )
  return plans
}

function parseLightwalletdUrls(settings: Settings, sandbox: boolean): readonly string[] {
  if (sandbox) return []
  const urls = settings.require('LIGHTWALLETD_URL')
  if (settings.read('LIGHTWALLETD_ALLOW_HTTP')) return urls
  for (const url of urls.map(text => new URL(text)))
    if (url.protocol === 'http:' && !isPrivateHost(url))
      settings.problems.push(
        `LIGHTWALLETD_URL has ${url.origin}: anyone on the way there could change the chain that it serves; use https, ` +
          'or set LIGHTWALLETD_ALLOW_HTTP to true if the connection is protected otherwise',
      )
  return urls
}

function parseSwap(settings: Settings): Config['swap'] {
  const apiUrl = settings.read('SWAP_API_URL')
  const apiKey = settings.read('SWAP_API_KEY')
  const signingKey = settings.read('SWAP_SIGNING_KEY')
  if (!settings.has('SWAP_API_URL'))
    for (const name of ['SWAP_API_KEY', 'SWAP_SIGNING_KEY'] as const)
      if (settings.has(name)) settings.problems.push(`${name} is set, but SWAP_API_URL is not: set both or neither`)
  return apiUrl === null ? null : { apiUrl, apiKey, signingKey }
}

function parseRates(settings: Settings): Config['rates'] {
  const sources = settings.read('RATES_SOURCES')
  const minSources = settings.read('RATES_MIN_SOURCES')
  const count = Object.keys(sources).length
  if (count < minSources)
    settings.problems.push(
      `RATES_SOURCES has ${count} of the ${minSources} sources that must agree: add sources, or lower RATES_MIN_SOURCES`,
    )
  return { sources, minSources, maxAgeSecs: settings.read('RATES_MAX_AGE_SECS') }
}

function parseMail(settings: Settings, isRequired: boolean): Config['mail'] {
  if (!isRequired && !settings.has('SMTP_URL')) return null
  const smtpUrl = settings.require('SMTP_URL')
  const from = settings.require('MAIL_FROM')
  return { smtpUrl, from, requireTls: requiresTls(smtpUrl) }
}

function parseEncryptionKeys(settings: Settings, sandbox: boolean, dataDir: string): readonly Uint8Array[] {
  if (!sandbox || settings.has('ENCRYPTION_KEY')) return settings.require('ENCRYPTION_KEY')
  const stored = textOrNull(sandboxKeyFile(dataDir))
  return stored === null ? [] : settings.check(sandboxKeyFile(dataDir), stored.trim(), encryptionKeys, [])
}
