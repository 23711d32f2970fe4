import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CONFIRMATIONS, type Network } from '../domain/account.ts'
import { EXPIRY_SECS } from '../domain/invoice.ts'
import type { RegtestHeights } from '../domain/network-upgrade.ts'
import { DEFAULT_PLANS, type Plan } from '../domain/plan.ts'
import * as values from './parsers.ts'

export const ROLES = ['api', 'watcher', 'delivery'] as const
export type Role = (typeof ROLES)[number]

/** Every setting, validated. README.md tells what each is for. */
export interface Config {
  /** Neither NETWORK nor LIGHTWALLETD_URL is set: there is no chain but the simulated one. */
  readonly sandbox: boolean
  readonly sandboxPort: number
  /** Seconds between blocks that the sandbox mines by itself; 0: never. */
  readonly autoMineSecs: number
  /** First blocks of NU6.3 and NU7 on a regtest, the sandbox's included. A `nu7Height` of null: NU7 never starts. */
  readonly regtest: RegtestHeights
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Null: where it listens. */
  readonly publicUrl: string | null
  readonly trustProxy: number | readonly string[] | false
  /** Absolute. */
  readonly dataDir: string
  readonly databaseUrl: string
  readonly network: Network
  /** Empty in sandbox mode only. */
  readonly lightwalletdUrls: readonly string[]
  /** Null: no swaps. */
  readonly swap: { readonly apiUrl: string; readonly apiKey: string | null; readonly signingKey: string | null } | null
  /** Null in sandbox mode only. */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null
  /** The first seals, all open. Empty in sandbox mode only, before the first start. */
  readonly encryptionKeys: readonly Uint8Array[]
  /** Where exchange rates come from. */
  readonly ratesUrl: string
  /** A rate older than that is none. */
  readonly ratesMaxAgeSecs: number
  readonly withdrawals: {
    /** ISO 4217. */
    readonly currencies: readonly string[]
    /** Hundredths of a percent that the desk keeps. */
    readonly spreadBps: number
    /** How long a rate is held, and a deposit address open. */
    readonly expiresInSecs: number
  }
  readonly billingViewingKey: string | null
  readonly plans: readonly Plan[]
  /** Whether an unknown email may open an account by signing in. */
  readonly registration: 'open' | 'closed'
  readonly webhookAllowPrivate: boolean
  /** What a new account starts with. */
  readonly confirmations: number
  readonly lateWatchDays: number
  readonly roles: readonly Role[]
  /** Requests that one client address may make in a minute; 0: no limit. */
  readonly rateLimit: number
  readonly maxWebSockets: number
  /** GET /metrics answers to this bearer token; null: not at all. */
  readonly metricsToken: string | null
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** Settings that work, but should be changed: one line each. */
  readonly warnings: readonly string[]
}

/** Every fault of the settings at once, one line each. */
export class ConfigFault extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`wrong settings:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
    this.name = 'ConfigFault'
    this.faults = faults
  }
}

export type Env = Readonly<Record<string, string | undefined>>

/** That of this process. */
export const ENVIRONMENT: Env = process.env

/** Where the sandbox keeps the encryption key that it makes for itself. */
export function sandboxKeyFile(dataDir: string): string {
  return join(dataDir, 'encryption.key')
}

/**
 * Reads the settings. An empty value counts as unset.
 * @throws ConfigFault with every fault.
 */
export function loadConfig(env: Env = ENVIRONMENT): Config {
  const settings = new Settings(env)
  const sandbox = !settings.has('NETWORK') && !settings.has('LIGHTWALLETD_URL')
  const dataDir = resolve(settings.read('DATA_DIR', text => text, './data'))
  const network = sandbox ? 'regtest' : settings.need('NETWORK', values.oneOf('main', 'test', 'regtest'), 'regtest')
  const config: Config = {
    sandbox,
    sandboxPort: settings.read('SANDBOX_PORT', values.wholeNumber(0, 65_535), 4010),
    autoMineSecs: settings.read('AUTO_MINE_SECS', values.wholeNumber(0, 86_400), 25),
    regtest: readRegtest(settings, network),
    host: settings.read('HOST', text => text, '127.0.0.1'),
    port: settings.read('PORT', values.wholeNumber(0, 65_535), 3000),
    publicUrl: settings.read('PUBLIC_URL', values.url('http', 'https'), null),
    trustProxy: settings.read('TRUST_PROXY', values.proxies, false),
    dataDir,
    databaseUrl: settings.read('DATABASE_URL', values.databaseUrl, `sqlite:${join(dataDir, 'zatgate.db')}`),
    network,
    lightwalletdUrls: sandbox ? [] : settings.need('LIGHTWALLETD_URL', values.urls('http', 'https'), []),
    swap: readSwap(settings),
    mail: readMail(settings, sandbox),
    encryptionKeys: readEncryptionKeys(settings, sandbox, dataDir),
    ratesUrl: settings.read('RATES_URL', values.url('http', 'https'), 'https://api.kraken.com'),
    ratesMaxAgeSecs: settings.read('RATES_MAX_AGE_SECS', values.wholeNumber(1, 3_600), 60),
    withdrawals: {
      currencies: settings.read('WITHDRAWAL_CURRENCIES', values.currencies, ['USD', 'EUR']),
      spreadBps: settings.read('WITHDRAWAL_SPREAD_BPS', values.wholeNumber(0, 5_000), 0),
      expiresInSecs: settings.read(
        'WITHDRAWAL_EXPIRES_SECS',
        values.wholeNumber(EXPIRY_SECS.least, EXPIRY_SECS.most),
        EXPIRY_SECS.usual,
      ),
    },
    billingViewingKey: settings.read('BILLING_VIEWING_KEY', values.unifiedViewingKey, null),
    plans: settings.read('PLANS_FILE', file => values.plans(textOf(file)), DEFAULT_PLANS),
    registration: settings.read('REGISTRATION', values.oneOf('open', 'closed'), 'open'),
    webhookAllowPrivate: settings.read('WEBHOOK_ALLOW_PRIVATE', values.yesOrNo, false),
    confirmations: settings.read(
      'CONFIRMATIONS',
      values.wholeNumber(CONFIRMATIONS.least, CONFIRMATIONS.most),
      CONFIRMATIONS.usual,
    ),
    lateWatchDays: settings.read('LATE_WATCH_DAYS', values.wholeNumber(0, 365), 7),
    roles: settings.read('ROLES', values.someOf(...ROLES), ROLES),
    rateLimit: settings.read('RATE_LIMIT', values.wholeNumber(0, 1_000_000_000), 60_000),
    maxWebSockets: settings.read('MAX_WEBSOCKETS', values.wholeNumber(0, 1_000_000), 20_000),
    metricsToken: settings.read('METRICS_TOKEN', values.token, null),
    logLevel: settings.read('LOG_LEVEL', values.oneOf('silent', 'error', 'warn', 'info', 'debug'), 'info'),
    warnings: settings.warnings,
  }
  if (settings.faults.length > 0) throw new ConfigFault(settings.faults)
  return Object.freeze(config)
}

/**
 * The upgrade heights of a regtest. On a public network `REGTEST_…` is a fault: the settings were meant for another
 * chain. Their old name is only a warning there, since it had no effect on public networks before.
 */
function readRegtest(settings: Settings, network: Network): RegtestHeights {
  const heights = values.wholeNumber(0, 1_000_000)
  const named = settings.read('REGTEST_NU63_HEIGHT', heights, null)
  const old = settings.read('SANDBOX_NU63_HEIGHT', heights, null)
  const nu63Height = named ?? old ?? 0
  const nu7Height = settings.read('REGTEST_NU7_HEIGHT', heights, null)
  if (network !== 'regtest') {
    for (const name of ['REGTEST_NU63_HEIGHT', 'REGTEST_NU7_HEIGHT'])
      if (settings.has(name))
        settings.faults.push(
          `${name} is set, but NETWORK is ${network}: unset it; the heights of public networks are built in`,
        )
    if (settings.has('SANDBOX_NU63_HEIGHT'))
      settings.warnings.push(`SANDBOX_NU63_HEIGHT is set, but NETWORK is ${network}: it has no effect; unset it`)
    return { nu63Height, nu7Height }
  }
  if (old !== null && named !== null && old !== named)
    settings.faults.push(
      `REGTEST_NU63_HEIGHT is ${named}, but its old name SANDBOX_NU63_HEIGHT is ${old}: set only REGTEST_NU63_HEIGHT`,
    )
  else if (nu7Height !== null && nu7Height < nu63Height)
    settings.faults.push(
      `REGTEST_NU7_HEIGHT is ${nu7Height}, but NU6.3 starts at height ${nu63Height}: NU7 cannot start before it`,
    )
  if (settings.has('SANDBOX_NU63_HEIGHT'))
    settings.warnings.push(
      'SANDBOX_NU63_HEIGHT is the old name of REGTEST_NU63_HEIGHT: rename it; the old name still works',
    )
  return { nu63Height, nu7Height }
}

function readSwap(settings: Settings): Config['swap'] {
  const apiUrl = settings.read('SWAP_API_URL', values.url('http', 'https'), null)
  const apiKey = settings.read('SWAP_API_KEY', values.token, null)
  const signingKey = settings.read('SWAP_SIGNING_KEY', values.ed25519Key, null)
  if (!settings.has('SWAP_API_URL'))
    for (const name of ['SWAP_API_KEY', 'SWAP_SIGNING_KEY'])
      if (settings.has(name)) settings.faults.push(`${name} is set, but SWAP_API_URL is not: set both or neither`)
  return apiUrl === null ? null : { apiUrl, apiKey, signingKey }
}

function readMail(settings: Settings, sandbox: boolean): Config['mail'] {
  if (sandbox && !settings.has('SMTP_URL')) return null
  const smtpUrl = settings.need('SMTP_URL', values.url('smtp', 'smtps'), '')
  const from = settings.need('MAIL_FROM', values.mailbox, '')
  return { smtpUrl, from }
}

function readEncryptionKeys(settings: Settings, sandbox: boolean, dataDir: string): readonly Uint8Array[] {
  if (!sandbox || settings.has('ENCRYPTION_KEY')) return settings.need('ENCRYPTION_KEY', values.encryptionKeys, [])
  const kept = textOrNull(sandboxKeyFile(dataDir))
  return kept === null ? [] : settings.check(sandboxKeyFile(dataDir), kept.trim(), values.encryptionKeys, [])
}

class Settings {
  readonly faults: string[] = []
  readonly warnings: string[] = []
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
  }

  has(name: string): boolean {
    return this.#raw(name) !== ''
  }

  read<T, D>(name: string, parse: (raw: string) => T, otherwise: D): T | D {
    const raw = this.#raw(name)
    return raw === '' ? otherwise : this.check<T | D>(name, raw, parse, otherwise)
  }

  /** As `read`, but unset is a fault. `meanwhile` only lets the reading go on to the next fault. */
  need<T>(name: string, parse: (raw: string) => T, meanwhile: T): T {
    const raw = this.#raw(name)
    return this.check(name, raw, raw === '' ? unset(parse) : parse, meanwhile)
  }

  check<T>(name: string, raw: string, parse: (raw: string) => T, meanwhile: T): T {
    try {
      return parse(raw)
    } catch (error) {
      if (!(error instanceof values.WrongValue)) throw error
      const state = raw === '' ? 'is not set' : 'is wrong'
      this.faults.push(`${name} ${state}: it should be ${error.message}`)
      return meanwhile
    }
  }

  #raw(name: string): string {
    return this.#env[name]?.trim() ?? ''
  }
}

/** The parser's own words on what an unset value should be. */
function unset<T>(parse: (raw: string) => T): (raw: string) => T {
  return () => parse('')
}

function textOf(file: string): string {
  const text = textOrNull(file)
  if (text === null) throw new values.WrongValue('a file that can be read')
  return text
}

function textOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
