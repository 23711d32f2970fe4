import { CONFIRMATIONS } from '../domain/account/account.ts'
import { EXPIRY_SECS } from '../domain/sale/invoice.ts'
import * as values from './parsers.ts'

const ALL_ROLES = ['api', 'watcher', 'delivery'] as const

/** One setting. `npm run documents` writes all of them to docs/settings.md. */
export interface Setting {
  /** @throws InvalidValue for other text; its message describes valid values */
  readonly parse: (raw: string) => unknown
  /** The value when it is unset; of a required setting, the value with which the parsing continues. */
  readonly default: unknown
  /** In Markdown. */
  readonly meaning: string
  /** The default in the document, where `default` does not show it. */
  readonly shownDefault?: string
  /** Whether `<name>_FILE` can be the path of a file with the value. */
  readonly isSecret?: true
}

const CHAIN = {
  NETWORK: {
    parse: values.oneOf('main', 'test', 'regtest'),
    default: 'regtest',
    meaning: 'The Zcash network. A database belongs to one network.',
    shownDefault: 'unset: the sandbox',
  },
  LIGHTWALLETD_URL: {
    parse: values.urls('http', 'https'),
    default: [],
    meaning:
      'One or more light-client servers (Zebra, lightwalletd, Zaino), separated by commas. One is in use, the others are standbys. ' +
      'With several, an invoice is `paid` when two show the payment, or after 5 minutes without a second server. See [real-network.md](real-network.md).',
    shownDefault: 'required with `NETWORK`',
  },
  LIGHTWALLETD_ALLOW_HTTP: {
    parse: values.booleanValue,
    default: false,
    meaning:
      'Allows `http://` to a chain server outside this machine and its private network, for a connection that is protected otherwise, such as by a VPN.',
  },
  MAX_WATCHED_KEYS: {
    parse: values.wholeNumber(1, 1_000_000),
    default: 10_000,
    meaning:
      'The most viewing keys, of all accounts together, that are watched at a time. Each block is scanned with all of them. A further key is refused (409).',
  },
} as const satisfies Record<string, Setting>

const ADDRESSES = {
  HOST: { parse: values.host, default: '127.0.0.1', meaning: 'Listen address.' },
  PORT: { parse: values.wholeNumber(0, 65_535), default: 3000, meaning: 'Listen port. 0: any free port.' },
  PUBLIC_URL: {
    parse: values.origin,
    default: null,
    meaning: 'The URL at which buyers and merchants reach the service: scheme, host name and port, without a path.',
    shownDefault: 'the listen address',
  },
  TRUST_PROXY: {
    parse: values.proxies,
    default: false,
    meaning:
      'Trusted proxies in front of the service. Set it behind a proxy: otherwise all clients together have the limits of one client.',
    shownDefault: 'no proxy',
  },
  HEALTH_PORT: {
    parse: values.wholeNumber(0, 65_535),
    default: null,
    meaning:
      'A port on `HOST` that serves only `/healthz`, `/readyz` and `/metrics`, also in processes without the role `api`. See [Health checks](#health-checks).',
    shownDefault: 'none',
  },
  HSTS_SUBDOMAINS: {
    parse: values.booleanValue,
    default: false,
    meaning:
      'With an `https://` `PUBLIC_URL`, browsers use https for its host for a year (HSTS). `true` includes all names below that host.',
  },
} as const satisfies Record<string, Setting>

const DATA = {
  DATA_DIR: {
    parse: values.path,
    default: './data',
    meaning: 'The data folder. With SQLite and in the sandbox, one process uses it at a time.',
  },
  DATABASE_URL: {
    parse: values.databaseUrl,
    default: null,
    meaning:
      'SQLite or PostgreSQL. A PostgreSQL on another machine needs an `sslmode`: best `?sslmode=verify-full`, or `?sslmode=disable` on a private network. ' +
      '`sslmode` and `sslrootcert` work as in psql; `prefer` and `allow` are refused. The database must have the encoding UTF8.',
    shownDefault: '`sqlite:<DATA_DIR>/zatgate.db`',
    isSecret: true,
  },
  ENCRYPTION_KEY: {
    parse: values.encryptionKeys,
    default: [],
    meaning:
      'Encrypts viewing keys, webhook secrets and payout details. Keep a copy apart from the backups. `new,old` during a rotation.',
    shownDefault: 'required with `NETWORK`; the sandbox generates one',
    isSecret: true,
  },
  AUDIT_RETENTION_DAYS: {
    parse: values.wholeNumber(30, 3_650),
    default: 400,
    meaning: 'Days for which the audit log is kept.',
  },
  EVENT_RETENTION_DAYS: {
    parse: values.wholeNumber(30, 3_650),
    default: 90,
    meaning: 'Days for which the events of accounts are kept, and can be read again.',
  },
  PUBLIC_INVOICE_DAYS: {
    parse: values.wholeNumber(1, 3_650),
    default: 30,
    meaning:
      'Days for which everyone with the id of an invoice can read it, after its late window, or after its payment if that is later. Then its pages respond with 410. Its merchant can always read it.',
  },
  INVOICE_TEXT_RETENTION_DAYS: {
    parse: values.wholeNumber(1, 3_650),
    default: null,
    meaning:
      'Days for which the description and metadata of an invoice are kept after its creation. Then they are erased, once no payment counts any more and none of its events waits for delivery.',
    shownDefault: 'not erased',
  },
} as const satisfies Record<string, Setting>

const MAIL = {
  SMTP_URL: {
    parse: values.url('smtp', 'smtps'),
    default: '',
    meaning:
      'The mail server for sign-in codes and notices. `smtp://` needs STARTTLS unless its host is this machine; `?requireTLS=false` sends without, for a private network.',
    shownDefault: 'required with `NETWORK`',
    isSecret: true,
  },
  MAIL_FROM: {
    parse: values.mailbox,
    default: '',
    meaning: 'The sender of all mails.',
    shownDefault: 'required with `NETWORK`',
  },
} as const satisfies Record<string, Setting>

const ACCOUNTS = {
  REGISTRATION: {
    parse: values.oneOf('open', 'closed'),
    default: null,
    meaning:
      '`open`: signing in with an unknown email opens an account. `closed`: only `zatgate account create` opens one.',
    shownDefault: '`closed` with `NETWORK=main`, otherwise `open`',
  },
  CONFIRMATIONS: {
    parse: values.wholeNumber(CONFIRMATIONS.min, CONFIRMATIONS.max),
    default: CONFIRMATIONS.default,
    meaning:
      'Confirmations that invoices of new accounts need. Three blocks take about 4 minutes, from NU7 on about 75 seconds. Each account can choose its own number.',
  },
  LATE_WATCH_DAYS: {
    parse: values.wholeNumber(0, 365),
    default: 7,
    meaning: "Days for which an invoice's address is watched after its expiry. A late payment still makes it `paid`.",
  },
  PLANS_FILE: {
    parse: values.plansFile,
    default: null,
    meaning:
      'The path of a JSON file with plans, in the format of `GET /v1/plans`. See [Plans](#plans). `deploy/plans/unlimited.json` has no limits.',
    shownDefault: 'no paid plans, no limits',
  },
  BILLING_VIEWING_KEY: {
    parse: values.unifiedViewingKey,
    default: null,
    meaning:
      "The operator's viewing key, for payments of plans and deposits of withdrawals. With an expired key the service does not start.",
    shownDefault: 'no paid plans, no withdrawals',
    isSecret: true,
  },
} as const satisfies Record<string, Setting>

const SWAPS = {
  SWAP_API_URL: {
    parse: values.url('http', 'https'),
    default: null,
    meaning: 'The swap provider. 1Click: `https://1click.chaindefuser.com`. See [swaps.md](swaps.md).',
    shownDefault: 'no swaps',
  },
  SWAP_API_KEY: {
    parse: values.foreignKey,
    default: null,
    meaning: 'The key that the provider gave you. Without it, 1Click takes 0.2 % more.',
    shownDefault: 'none',
    isSecret: true,
  },
  SWAP_SIGNING_KEY: {
    parse: values.ed25519Key,
    default: null,
    meaning: "Verifies the provider's quotes.",
    shownDefault: 'the key of 1Click',
    isSecret: true,
  },
  WITHDRAWAL_CURRENCIES: {
    parse: values.currencies,
    default: ['USD', 'EUR'],
    meaning: 'Currencies in which merchants can order payouts.',
  },
  WITHDRAWAL_SPREAD_BPS: {
    parse: values.wholeNumber(0, 5_000),
    default: 0,
    meaning: "The operator's margin on payouts, in hundredths of a percent.",
  },
  WITHDRAWAL_EXPIRES_SECS: {
    parse: values.wholeNumber(EXPIRY_SECS.min, EXPIRY_SECS.max),
    default: EXPIRY_SECS.default,
    meaning: 'Seconds for which a withdrawal waits for its deposit and keeps its rate.',
  },
  RATES_SOURCES: {
    parse: values.tickers,
    default: values.ALL_TICKERS,
    meaning:
      'The public tickers that are asked for the price of ZEC, separated by commas. `name=URL` asks another base URL. ' +
      'If too few quote a currency, or they disagree, its price is converted from USD; this needs `coinbase`.',
    shownDefault: '`kraken,coinbase,gemini,coingecko`',
  },
  RATES_MIN_SOURCES: {
    parse: values.wholeNumber(1, 4),
    default: 2,
    meaning:
      'The number of sources that must agree within 3 %. With 1, one source alone sets a price while the others do not answer.',
  },
  RATES_MAX_AGE_SECS: {
    parse: values.wholeNumber(1, 3_600),
    default: 60,
    meaning: 'Older prices of a source are not used.',
  },
} as const satisfies Record<string, Setting>

const PROCESS = {
  ROLES: {
    parse: values.subsetOf(...ALL_ROLES),
    default: ALL_ROLES,
    meaning: 'The roles of this process. See [many-processes.md](many-processes.md).',
  },
  RATE_LIMIT: {
    parse: values.wholeNumber(0, 1_000_000_000),
    default: 60_000,
    meaning: 'Requests per minute from one client. 0 turns off these and all other [rate limits](#rate-limits).',
  },
  MAX_WEBSOCKETS: {
    parse: values.wholeNumber(0, 1_000_000),
    default: 20_000,
    meaning:
      'WebSockets at a time. On Linux there are fewer when the open files limit (`ulimit -n`) leaves no room for them.',
  },
  MAX_WEBSOCKETS_PER_CLIENT: {
    parse: values.wholeNumber(0, 1_000_000),
    default: 1_000,
    meaning: 'WebSockets at a time from one client.',
  },
  WEBHOOK_ALLOW_PRIVATE: {
    parse: values.booleanValue,
    default: false,
    meaning: 'Allows webhooks over http and to private addresses, for development.',
  },
} as const satisfies Record<string, Setting>

const OBSERVABILITY = {
  LOG_LEVEL: {
    parse: values.oneOf('silent', 'error', 'warn', 'info', 'debug'),
    default: 'info',
    meaning: '`debug` logs every request and every change of the status of an invoice, with its reason.',
  },
  LOG_FORMAT: {
    parse: values.oneOf('auto', 'json', 'pretty'),
    default: 'auto',
    meaning: '`auto`: pretty on a terminal, otherwise JSON.',
  },
  METRICS_TOKEN: {
    parse: values.token,
    default: null,
    meaning: 'Bearer token of `GET /metrics` (Prometheus), on `HEALTH_PORT` if that is set, otherwise on `PORT`.',
    shownDefault: 'no metrics',
    isSecret: true,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    parse: values.url('http', 'https'),
    default: null,
    meaning: 'An OpenTelemetry collector (OTLP over HTTP) that receives a trace of each request.',
    shownDefault: 'no traces',
  },
} as const satisfies Record<string, Setting>

const UPGRADE_HEIGHT = values.wholeNumber(0, 1_000_000)

const SANDBOX = {
  SANDBOX_PORT: {
    parse: values.wholeNumber(0, 65_535),
    default: 4010,
    meaning:
      "Port of the sandbox's control API. The next five are those of its chain server, mail, swaps, webhook receiver and rates. A port in use is replaced by a free one.",
  },
  AUTO_MINE_SECS: {
    parse: values.wholeNumber(0, 86_400),
    default: 25,
    meaning: 'Seconds between blocks of the sandbox. 0: it mines only on request.',
  },
  REGTEST_NU63_HEIGHT: {
    parse: UPGRADE_HEIGHT,
    default: null,
    meaning: 'Height of NU6.3 on a regtest and in the sandbox. From there on, payments are Ironwood notes.',
    shownDefault: '0',
  },
  REGTEST_NU7_HEIGHT: {
    parse: UPGRADE_HEIGHT,
    default: null,
    meaning: 'Height of NU7 on a regtest and in the sandbox.',
    shownDefault: 'never',
  },
  SANDBOX_NU63_HEIGHT: {
    parse: UPGRADE_HEIGHT,
    default: null,
    meaning: 'The old name of `REGTEST_NU63_HEIGHT`. It works, with a warning.',
    shownDefault: 'none',
  },
} as const satisfies Record<string, Setting>

/** All settings by topic, in the order of the document. */
export const SETTING_GROUPS: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  'Network and chain servers': CHAIN,
  Addresses: ADDRESSES,
  Data: DATA,
  Mail: MAIL,
  'Invoices and accounts': ACCOUNTS,
  'Swaps and payouts': SWAPS,
  'Processes and limits': PROCESS,
  'Logs, metrics and traces': OBSERVABILITY,
  'Regtest and sandbox': SANDBOX,
}

/** All settings by name. */
export const SETTINGS = {
  ...CHAIN,
  ...ADDRESSES,
  ...DATA,
  ...MAIL,
  ...ACCOUNTS,
  ...SWAPS,
  ...PROCESS,
  ...OBSERVABILITY,
  ...SANDBOX,
}

export type SettingName = keyof typeof SETTINGS

/** The value of a setting: as parsed, or its default. */
export type SettingValue<N extends SettingName> =
  | ReturnType<(typeof SETTINGS)[N]['parse']>
  | (typeof SETTINGS)[N]['default']

/** Settings that can also be given as the path of a file, in `<name>_FILE`. */
export const SECRETS: readonly string[] = Object.entries<Setting>(SETTINGS)
  .filter(([, { isSecret }]) => isSecret)
  .map(([name]) => name)
  .sort()
