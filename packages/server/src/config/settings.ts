import { join, resolve } from 'node:path'
import { CONFIRMATIONS, type Network } from '../domain/account.ts'
import { EXPIRY_SECS } from '../domain/invoice.ts'
import type { RegtestHeights } from '../domain/network-upgrade.ts'
import { limitWithoutPurchase, type Plan, plansInEffect } from '../domain/plan.ts'
import * as values from './parsers.ts'
import { isPrivateHost } from './private-host.ts'
import { type Env, Settings, textOrNull } from './setting-reader.ts'
import { requiresTls } from './transport.ts'

export type { Env } from './setting-reader.ts'

const ROLES = ['api', 'watcher', 'delivery'] as const
export type Role = (typeof ROLES)[number]

/** All settings, validated. README.md describes each of them. */
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
  /** Base URL of the source of exchange rates. */
  readonly ratesUrl: string
  /** Older rates are not used. */
  readonly ratesMaxAgeSecs: number
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
  readonly roles: readonly Role[]
  /** Requests per minute from one client address; 0: no limits of requests, also none by account. */
  readonly rateLimit: number
  readonly maxWebSockets: number
  /** Of one client address. */
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
  const dataDir = resolve(settings.read('DATA_DIR', text => text, './data'))
  const network = sandbox ? 'regtest' : settings.require('NETWORK', values.oneOf('main', 'test', 'regtest'), 'regtest')
  const config: Config = {
    sandbox,
    sandboxPort: settings.read('SANDBOX_PORT', values.wholeNumber(0, 65_535), 4010),
    autoMineSecs: settings.read('AUTO_MINE_SECS', values.wholeNumber(0, 86_400), 25),
    regtest: parseRegtest(settings, network),
    host: settings.read('HOST', values.host, '127.0.0.1'),
    port: settings.read('PORT', values.wholeNumber(0, 65_535), 3000),
    healthPort: settings.read('HEALTH_PORT', values.wholeNumber(0, 65_535), null),
    publicUrl: settings.read('PUBLIC_URL', values.origin, null),
    hstsSubdomains: settings.read('HSTS_SUBDOMAINS', values.booleanValue, false),
    trustProxy: settings.read('TRUST_PROXY', values.proxies, false),
    dataDir,
    databaseUrl: settings.read('DATABASE_URL', values.databaseUrl, `sqlite:${join(dataDir, 'zatgate.db')}`),
    network,
    lightwalletdUrls: parseLightwalletdUrls(settings, sandbox),
    swap: parseSwap(settings),
    mail: parseMail(settings, needsMail && !sandbox),
    encryptionKeys: parseEncryptionKeys(settings, sandbox, dataDir),
    ratesUrl: settings.read('RATES_URL', values.url('http', 'https'), 'https://api.kraken.com'),
    ratesMaxAgeSecs: settings.read('RATES_MAX_AGE_SECS', values.wholeNumber(1, 3_600), 60),
    withdrawals: {
      currencies: settings.read('WITHDRAWAL_CURRENCIES', values.currencies, ['USD', 'EUR']),
      spreadBps: settings.read('WITHDRAWAL_SPREAD_BPS', values.wholeNumber(0, 5_000), 0),
      expiresInSecs: settings.read(
        'WITHDRAWAL_EXPIRES_SECS',
        values.wholeNumber(EXPIRY_SECS.min, EXPIRY_SECS.max),
        EXPIRY_SECS.default,
      ),
    },
    billingViewingKey: settings.read('BILLING_VIEWING_KEY', values.unifiedViewingKey, null),
    plans: parsePlans(settings, sandbox),
    registration: settings.read('REGISTRATION', values.oneOf('open', 'closed'), network === 'main' ? 'closed' : 'open'),
    webhookAllowPrivate: settings.read('WEBHOOK_ALLOW_PRIVATE', values.booleanValue, false),
    confirmations: settings.read(
      'CONFIRMATIONS',
      values.wholeNumber(CONFIRMATIONS.min, CONFIRMATIONS.max),
      CONFIRMATIONS.default,
    ),
    lateWatchDays: settings.read('LATE_WATCH_DAYS', values.wholeNumber(0, 365), 7),
    maxWatchedKeys: settings.read('MAX_WATCHED_KEYS', values.wholeNumber(1, 1_000_000), 10_000),
    auditRetentionDays: settings.read('AUDIT_RETENTION_DAYS', values.wholeNumber(30, 3_650), 400),
    roles: settings.read('ROLES', values.subsetOf(...ROLES), ROLES),
    rateLimit: settings.read('RATE_LIMIT', values.wholeNumber(0, 1_000_000_000), 60_000),
    maxWebSockets: settings.read('MAX_WEBSOCKETS', values.wholeNumber(0, 1_000_000), 20_000),
    maxWebSocketsPerClient: settings.read('MAX_WEBSOCKETS_PER_CLIENT', values.wholeNumber(0, 1_000_000), 1_000),
    metricsToken: settings.read('METRICS_TOKEN', values.token, null),
    logLevel: settings.read('LOG_LEVEL', values.oneOf('silent', 'error', 'warn', 'info', 'debug'), 'info'),
    logFormat: settings.read('LOG_FORMAT', values.oneOf('auto', 'json', 'pretty'), 'auto'),
    otlpEndpoint: settings.read('OTEL_EXPORTER_OTLP_ENDPOINT', values.url('http', 'https'), null),
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
  const heights = values.wholeNumber(0, 1_000_000)
  const current = settings.read('REGTEST_NU63_HEIGHT', heights, null)
  const old = settings.read('SANDBOX_NU63_HEIGHT', heights, null)
  const nu63Height = current ?? old ?? 0
  const nu7Height = settings.read('REGTEST_NU7_HEIGHT', heights, null)
  if (network !== 'regtest') {
    for (const name of ['REGTEST_NU63_HEIGHT', 'REGTEST_NU7_HEIGHT'])
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
  const listed = settings.read('PLANS_FILE', file => values.plans(textOf(file)), null)
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
  const urls = settings.require('LIGHTWALLETD_URL', values.urls('http', 'https'), [])
  if (settings.read('LIGHTWALLETD_ALLOW_HTTP', values.booleanValue, false)) return urls
  for (const url of urls.map(text => new URL(text)))
    if (url.protocol === 'http:' && !isPrivateHost(url))
      settings.problems.push(
        `LIGHTWALLETD_URL has ${url.origin}: anyone on the way there could change the chain that it serves; use https, ` +
          'or set LIGHTWALLETD_ALLOW_HTTP to true if the connection is protected otherwise',
      )
  return urls
}

function parseSwap(settings: Settings): Config['swap'] {
  const apiUrl = settings.read('SWAP_API_URL', values.url('http', 'https'), null)
  const apiKey = settings.read('SWAP_API_KEY', values.foreignKey, null)
  const signingKey = settings.read('SWAP_SIGNING_KEY', values.ed25519Key, null)
  if (!settings.has('SWAP_API_URL'))
    for (const name of ['SWAP_API_KEY', 'SWAP_SIGNING_KEY'])
      if (settings.has(name)) settings.problems.push(`${name} is set, but SWAP_API_URL is not: set both or neither`)
  return apiUrl === null ? null : { apiUrl, apiKey, signingKey }
}

function parseMail(settings: Settings, isRequired: boolean): Config['mail'] {
  if (!isRequired && !settings.has('SMTP_URL')) return null
  const smtpUrl = settings.require('SMTP_URL', values.url('smtp', 'smtps'), '')
  const from = settings.require('MAIL_FROM', values.mailbox, '')
  return { smtpUrl, from, requireTls: requiresTls(smtpUrl) }
}

function parseEncryptionKeys(settings: Settings, sandbox: boolean, dataDir: string): readonly Uint8Array[] {
  if (!sandbox || settings.has('ENCRYPTION_KEY')) return settings.require('ENCRYPTION_KEY', values.encryptionKeys, [])
  const stored = textOrNull(sandboxKeyFile(dataDir))
  return stored === null ? [] : settings.check(sandboxKeyFile(dataDir), stored.trim(), values.encryptionKeys, [])
}

function textOf(file: string): string {
  const text = textOrNull(file)
  if (text === null) throw new values.InvalidValue('a file that can be read')
  return text
}
