import { isIP } from 'node:net'
import { base58 } from '@scure/base'
import { DEFAULT_WATCHED_KEY_LIMIT, FREE_PLAN, type Plan } from '../domain/account/plan.ts'
import { unbracketed } from '../domain/host.ts'
import { MAX_ZAT } from '../domain/money.ts'
import { isCurrency } from '../domain/rate.ts'
import { textOrNull } from './text-file.ts'
import { databaseTls, databaseUrlProblem } from './transport.ts'

/** Parsers of single settings. For invalid text they throw `InvalidValue`, whose message describes valid values. */
export class InvalidValue extends Error {
  constructor(expected: string) {
    super(expected)
    this.name = 'InvalidValue'
  }
}

export function wholeNumber(min: number, max: number): (raw: string) => number {
  return raw => {
    const value = /^\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidValue(`a whole number from ${min} to ${max}`)
  }
}

export function oneOf<T extends string>(...values: readonly T[]): (raw: string) => T {
  return raw => {
    const value = values.find(candidate => candidate === raw.toLowerCase())
    if (value !== undefined) return value
    throw new InvalidValue(`one of ${values.join(', ')}`)
  }
}

export function subsetOf<T extends string>(...values: readonly T[]): (raw: string) => readonly T[] {
  return raw => {
    const chosen = commaSeparated(raw.toLowerCase())
    if (chosen.length > 0 && chosen.every(item => (values as readonly string[]).includes(item)))
      return values.filter(value => chosen.includes(value))
    throw new InvalidValue(`one or more of ${values.join(', ')}, separated by commas`)
  }
}

export function booleanValue(raw: string): boolean {
  if (['1', 'true', 'yes', 'on'].includes(raw.toLowerCase())) return true
  if (['0', 'false', 'no', 'off'].includes(raw.toLowerCase())) return false
  throw new InvalidValue('true or false')
}

/** An address or a name to listen at, without a port. IPv6 addresses may have the brackets of a URL. */
export function host(raw: string): string {
  const name = unbracketed(raw)
  if (isIP(name) !== 0 || /^[a-z0-9_.-]+$/i.test(name)) return name
  throw new InvalidValue('an address or a name without a port, such as 127.0.0.1, :: or localhost')
}

/** An absolute URL with one of these schemes, such as `http`. Trailing slashes are removed. */
export function url(...schemes: readonly string[]): (raw: string) => string {
  return raw => {
    const parsed = URL.parse(raw)
    const like = `a URL like ${schemes.map(scheme => `${scheme}://…`).join(' or ')}`
    if (!parsed || !schemes.includes(parsed.protocol.slice(0, -1)) || parsed.hostname === '')
      throw new InvalidValue(like)
    // Paths are appended to a base URL of HTTP.
    if (schemes.includes('http') && /[?#]/.test(raw)) throw new InvalidValue(`${like}, without a query or fragment`)
    return raw.replace(/\/+$/, '')
  }
}

/** The origin of a URL of HTTP, in the form in which browsers send it. */
export function origin(raw: string): string {
  const parsed = /^https?:\/\/[^/\\]/i.test(raw) ? URL.parse(raw) : null
  if (/\s/.test(raw)) throw new InvalidValue('one origin, without spaces')
  if (parsed === null) throw new InvalidValue('an origin, such as https://pay.example.com')
  const excess = excessOf(parsed, raw)
  if (excess !== null) throw new InvalidValue(`an origin, such as https://pay.example.com, ${excess}`)
  return parsed.origin
}

/** Names the first fault of the URL as an origin, such as a path; null: none. Names no password. */
function excessOf({ hostname, pathname, search, hash }: URL, raw: string): string | null {
  if (raw.split('/', 3)[2]?.includes('@')) return 'without a user name or password'
  if (hostname.includes(',')) return 'with one host name, without a comma'
  if (hostname.includes('*')) return 'with one host name, without *'
  if (!/^\/+$/.test(pathname))
    return `without the path ${pathname}: all pages are at the root, so zatgate needs a host name or a port for itself`
  if (raw.includes('#')) return `without the fragment ${hash || '#'}`
  return raw.includes('?') ? `without the query ${search || '?'}` : null
}

export function urls(...schemes: readonly string[]): (raw: string) => readonly string[] {
  return raw => {
    const list = commaSeparated(raw)
    if (list.length === 0) throw new InvalidValue('at least one URL')
    return list.map(url(...schemes))
  }
}

/** `Name <mail@host>` or `mail@host`. */
export function mailbox(raw: string): string {
  if (/^(?:[^<>\r\n]{1,200} )?<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?$/.test(raw) && raw.includes('<') === raw.endsWith('>'))
    return raw
  throw new InvalidValue('an email address, or Name <address>')
}

/** A rotation needs two. */
const MAX_ENCRYPTION_KEYS = 4

/** The encryption keys: the first one seals, all of them open. */
export function encryptionKeys(raw: string): readonly Uint8Array[] {
  const keys = commaSeparated(raw).map(text => Buffer.from(text, 'base64'))
  const canonical = commaSeparated(raw).every((text, i) => keys[i]?.toString('base64') === text)
  if (keys.length > 0 && keys.length <= MAX_ENCRYPTION_KEYS && canonical && keys.every(key => key.length === 32))
    return keys
  throw new InvalidValue(
    '32 random bytes in base64 (openssl rand -base64 32); to rotate: the new key, a comma, the old',
  )
}

const ED25519_KEY_BYTES = 32

/** The key that verifies signatures: `ed25519:<base58>`. */
export function ed25519Key(raw: string): string {
  const encoded = /^ed25519:([1-9A-HJ-NP-Za-km-z]{1,100})$/.exec(raw)?.[1]
  const bytes = encoded === undefined ? null : base58.decode(encoded)
  if (bytes?.length === ED25519_KEY_BYTES) return raw
  const found =
    bytes === null ? '' : `; this one has ${bytes.length} bytes${bytes.length === 64 ? ', as a secret key' : ''}`
  throw new InvalidValue(`an Ed25519 public key: ed25519: and 32 bytes in base58, 43 or 44 characters${found}`)
}

export function unifiedViewingKey(raw: string): string {
  if (/^u(?:view|ivk|vf|vi)(?:test|regtest)?1[a-z0-9]{50,2000}$/.test(raw)) return raw
  throw new InvalidValue('a unified viewing key (uview1…, uivk1…, uvf1… or uvi1…, with its network)')
}

export function token(raw: string): string {
  if (/^[\x21-\x7e]{16,200}$/.test(raw)) return raw
  throw new InvalidValue('16 to 200 printable characters without spaces')
}

/** A key that another service has issued, in a form of its choice. */
export function foreignKey(raw: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(raw)) return raw
  throw new InvalidValue('1 to 4096 printable characters without spaces')
}

/** A file or folder, which need not exist. */
export function path(raw: string): string {
  if (raw !== '') return raw
  throw new InvalidValue('a path')
}

export function currencies(raw: string): readonly string[] {
  const list = commaSeparated(raw)
  if (list.length > 0 && list.every(isCurrency) && new Set(list).size === list.length) return list
  throw new InvalidValue('currency codes of ISO 4217, such as USD,EUR')
}

const TICKERS = {
  kraken: 'https://api.kraken.com',
  coinbase: 'https://api.coinbase.com',
  gemini: 'https://api.gemini.com',
  coingecko: 'https://api.coingecko.com',
} as const

/** The base URLs of the sources of rates that are in use. */
export type TickerUrls = { readonly [Name in keyof typeof TICKERS]?: string }

export const ALL_TICKERS: TickerUrls = TICKERS

/** Sources of rates, each a name, or a name and its base URL: `kraken,coinbase=https://one.example`. */
export function tickers(raw: string): TickerUrls {
  const entries = commaSeparated(raw).map(item => {
    const [name = '', base] = item.split(/=(.*)/s)
    if (!Object.hasOwn(TICKERS, name)) throw new InvalidValue(`names of ${Object.keys(TICKERS).join(', ')}`)
    return [name, base === undefined ? TICKERS[name as keyof typeof TICKERS] : url('http', 'https')(base)] as const
  })
  const chosen = Object.fromEntries(entries)
  if (entries.length > 0 && Object.keys(chosen).length === entries.length) return chosen
  throw new InvalidValue('one or more sources, each once')
}

export function databaseUrl(raw: string): string {
  if (!/^sqlite:.+/.test(raw) && !/^postgres(ql)?:\/\/\S+$/.test(raw))
    throw new InvalidValue('sqlite:<file> or postgres://…')
  const problem = raw.startsWith('sqlite:') ? null : databaseUrlProblem(raw)
  if (problem !== null) throw new InvalidValue(problem)
  if (databaseTls(raw) === 'undecided')
    throw new InvalidValue(
      'a URL with ?sslmode=verify-full, because its host is another machine; or, on a network that only you can read, ?sslmode=disable',
    )
  return raw
}

/**
 * The proxies whose `X-Forwarded-For` is trusted: their number (`true` is one), when clients can reach the service only
 * through them, or their addresses. It is never all addresses: any client could then claim any address.
 */
export function proxies(raw: string): number | readonly string[] | false {
  if (['0', 'false', 'no', 'off'].includes(raw.toLowerCase())) return false
  if (['true', 'yes', 'on'].includes(raw.toLowerCase())) return 1
  if (/^[1-9]$/.test(raw)) return Number(raw)
  const list = commaSeparated(raw)
  if (list.length > 0 && list.every(isProxyAddress)) return list
  throw new InvalidValue('the number of proxies in front (1 to 9), or their addresses (10.0.0.0/8, loopback, …)')
}

function isProxyAddress(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  return version !== 0 && rest.length === 0 && (bits === undefined || isPrefixLength(bits, version === 4 ? 32 : 128))
}

function isPrefixLength(bits: string, max: number): boolean {
  return /^\d{1,3}$/.test(bits) && Number(bits) <= max
}

/** The plans in the file of this path. */
export function plansFile(path: string): readonly Plan[] {
  const text = textOrNull(path)
  if (text === null) throw new InvalidValue('a file that can be read')
  return plans(text)
}

/** Parses a plans file: a JSON array of plans, as returned by GET /v1/plans, each with an optional `watched_key_limit`. */
function plans(text: string): readonly Plan[] {
  let list: unknown
  try {
    // Editors of Windows begin a file with a byte order mark.
    list = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw new InvalidValue('a JSON file')
  }
  if (!Array.isArray(list) || list.length === 0 || list.length > 100) throw new InvalidValue('a JSON array of plans')
  const parsed = list.map(plan)
  if (new Set(parsed.map(({ name }) => name)).size !== parsed.length)
    throw new InvalidValue('plans with different names')
  if (!parsed.some(({ name, priceZat }) => name === FREE_PLAN && priceZat === 0n))
    throw new InvalidValue(`a list with a plan named ${FREE_PLAN} at price 0: the plan of new accounts`)
  return parsed
}

const PLAN_MEMBERS = ['name', 'monthly_invoice_limit', 'price_zat', 'period_days', 'watched_key_limit']

function plan(value: unknown): Plan {
  const record = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const { name, monthly_invoice_limit: limit, price_zat: price, period_days: days, watched_key_limit: keys } = record
  const unknown = Object.keys(record).find(member => !PLAN_MEMBERS.includes(member))
  if (unknown !== undefined) throw new InvalidValue(`plans without the member ${unknown} (${PLAN_MEMBERS.join(', ')})`)
  if (typeof name !== 'string' || !/^[\x20-\x7e]{1,50}$/.test(name) || name.trim() !== name)
    throw new InvalidValue('plans with a name of 1 to 50 printable characters')
  if (limit !== null && !isWhole(limit, 0, 1e9))
    throw new InvalidValue(`${name}: monthly_invoice_limit a whole number, or null for no limit`)
  if (!isWhole(price, 0, Number(MAX_ZAT))) throw new InvalidValue(`${name}: price_zat a whole number of zat`)
  if (!isWhole(days, 1, 3660)) throw new InvalidValue(`${name}: period_days from 1 to 3660`)
  if (keys !== undefined && !isWhole(keys, 1, 1e6))
    throw new InvalidValue(`${name}: watched_key_limit from 1 to 1000000, or absent for ${DEFAULT_WATCHED_KEY_LIMIT}`)
  const watchedKeyLimit = keys === undefined ? {} : { watchedKeyLimit: keys }
  return { name, monthlyInvoiceLimit: limit, priceZat: BigInt(price), periodDays: days, ...watchedKeyLimit }
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
}

function commaSeparated(raw: string): string[] {
  return raw
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}
