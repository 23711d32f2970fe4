import { createServer, type Server } from 'node:http'
import { type Clock, systemClock } from './clock.ts'
import { closeServer, LOOPBACK, listen, requestUrl } from './http/listen.ts'

/** The simulated sources. */
export const RATE_SOURCES = ['kraken', 'coinbase', 'gemini', 'coingecko'] as const
export type RateSourceName = (typeof RATE_SOURCES)[number]

export const RATE_RESPONSES = [
  'ticker',
  'error',
  'html',
  'no_pair',
  'zero',
  'not_a_number',
  'thousandfold',
  'stale',
] as const

/** The faults of a rate source. They stay until they are changed. */
export interface RatesFaults {
  /** connections are reset */
  down: boolean
  hang: boolean
  /**
   * `ticker`: the correct response; `error`: an error response of the source; `stale`: a price of an hour ago, of the
   * source that has a time (CoinGecko); the others: a missing, invalid or wrong price
   */
  response: (typeof RATE_RESPONSES)[number]
}

const NO_FAULTS: RatesFaults = { down: false, hang: false, response: 'ticker' }

/** Example prices of 1 ZEC. */
const PRICES = { ZECUSD: '1419.06000', ZECEUR: '1222.31000', ZECBTC: '0.01450000' }
export type RatePair = keyof typeof PRICES
export const RATE_PAIRS = Object.keys(PRICES) as RatePair[]

/** Kraken's names: in a request ZECUSD, in the response XZECZUSD. */
const KRAKEN_PAIRS: ReadonlyMap<string, { name: string; pair: RatePair }> = new Map([
  ['ZECUSD', { name: 'XZECZUSD', pair: 'ZECUSD' }],
  ['ZECEUR', { name: 'XZECZEUR', pair: 'ZECEUR' }],
  ['ZECXBT', { name: 'XZECXXBT', pair: 'ZECBTC' }],
])

/** Prices of 1 USD in Coinbase's fiat rates. */
const FIAT_RATES = { AED: '3.6725', EUR: '0.8613518808', GBP: '0.7512', JPY: '151.345', PLN: '3.6455', USD: '1.0' }

const STALE_SECS = 3_600

interface Reply {
  readonly status: number
  readonly json: unknown
}

/**
 * Simulates the public tickers of Kraken (`/0/public/Ticker`), Coinbase (`/v2/prices/…/spot`, `/v2/exchange-rates`),
 * Gemini (`/v1/pubticker/…`) and CoinGecko (`/api/v3/simple/price`) on one port of loopback: their paths differ. Prices
 * change only by {@link Rates.setPrice}.
 */
export class Rates {
  readonly url: string
  /** The faults of every source that has none in {@link Rates.faultsOf}. */
  readonly faults: RatesFaults = { ...NO_FAULTS }
  /** The faults of each source alone. */
  readonly faultsOf: Readonly<Record<RateSourceName, RatesFaults>> = {
    kraken: { ...NO_FAULTS },
    coinbase: { ...NO_FAULTS },
    gemini: { ...NO_FAULTS },
    coingecko: { ...NO_FAULTS },
  }
  /** The number of requests that each source has received. */
  readonly requests: Record<RateSourceName, number> = { kraken: 0, coinbase: 0, gemini: 0, coingecko: 0 }
  readonly #server: Server
  readonly #clock: Clock
  readonly #prices = new Map<string, string>()

  private constructor(server: Server, port: number, clock: Clock) {
    this.#server = server
    this.#clock = clock
    this.url = `http://${LOOPBACK}:${port}`
  }

  /** Starts a server; port 0 selects a free port. */
  static async start(port = 0, clock: Clock = systemClock): Promise<Rates> {
    const server = createServer()
    const rates = new Rates(server, await listen(server, port), clock)
    server.on('request', (request, response) => {
      const url = requestUrl(request)
      const source = sourceOf(url.pathname)
      rates.requests[source] += 1
      const { down, hang, response: fault } = rates.#faultsNow(source)
      if (down) request.socket.resetAndDestroy()
      else if (hang) return
      else if (fault === 'html')
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>Service unavailable</h1></html>')
      else {
        const { status, json } = rates.#reply(source, url, fault)
        response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(json))
      }
    })
    return rates
  }

  /** The setting RATES_SOURCES that points a service at the simulated sources. */
  get setting(): string {
    return RATE_SOURCES.map(name => `${name}=${this.url}`).join(',')
  }

  /** Sets the price (decimal digits) of a pair, at one source or at all. Throws for an unknown pair. */
  setPrice(pair: string, price: string, source?: RateSourceName): void {
    if (!Object.hasOwn(PRICES, pair)) throw new Error(`no pair ${pair}; the pairs are ${RATE_PAIRS.join(', ')}`)
    for (const name of source === undefined ? RATE_SOURCES : [source]) this.#prices.set(`${name} ${pair}`, price)
  }

  close(): Promise<void> {
    return closeServer(this.#server)
  }

  #faultsNow(source: RateSourceName): RatesFaults {
    const { down, hang, response } = this.faultsOf[source]
    return {
      down: down || this.faults.down,
      hang: hang || this.faults.hang,
      response: response === 'ticker' ? this.faults.response : response,
    }
  }

  #reply(source: RateSourceName, url: URL, fault: RatesFaults['response']): Reply {
    const price = (pair: RatePair) => faultyPrice(this.#prices.get(`${source} ${pair}`) ?? PRICES[pair], fault)
    const nowSecs = Math.floor(this.#clock.nowMs() / 1000)
    switch (source) {
      case 'kraken':
        return { status: 200, json: krakenReply(url, fault, price) }
      case 'coinbase':
        return coinbaseReply(url, fault, price)
      case 'gemini':
        return geminiReply(url, fault, price, nowSecs)
      case 'coingecko':
        return coingeckoReply(url, fault, price, nowSecs)
    }
  }
}

type PriceOf = (pair: RatePair) => string

function sourceOf(path: string): RateSourceName {
  if (path.startsWith('/v2/')) return 'coinbase'
  if (path.startsWith('/v1/')) return 'gemini'
  return path.startsWith('/api/v3/') ? 'coingecko' : 'kraken'
}

function faultyPrice(price: string, fault: RatesFaults['response']): string {
  if (fault === 'zero') return '0.00000'
  if (fault === 'not_a_number') return 'NaN'
  if (fault !== 'thousandfold') return price
  const [whole = '', fraction = ''] = price.split('.')
  const digits = fraction.padEnd(3, '0')
  return `${whole}${digits.slice(0, 3)}.${digits.slice(3)}0`
}

/** Kraken reports errors with status 200. */
function krakenReply(url: URL, fault: RatesFaults['response'], price: PriceOf) {
  if (url.pathname !== '/0/public/Ticker') return { error: ['EGeneral:Unknown method'] }
  if (fault === 'error') return { error: ['EService:Unavailable'] }
  const known = (url.searchParams.get('pair') ?? '').split(',').map(krakenPair)
  if (known.includes(undefined)) return { error: ['EQuery:Unknown asset pair'] }
  if (fault === 'no_pair') return { error: [], result: {} }
  return { error: [], result: Object.fromEntries(known.map(found => [found!.name, ticker(price(found!.pair))])) }
}

function krakenPair(pair: string) {
  return KRAKEN_PAIRS.get(pair) ?? [...KRAKEN_PAIRS.values()].find(({ name }) => name === pair)
}

/** A ticker entry: ask, bid, last trade, volume, average price, number of trades, low, high, and opening price. */
function ticker(price: string) {
  return {
    a: [price, '1', '1.000'],
    b: [price, '1', '1.000'],
    c: [price, '0.10000000'],
    v: ['1000.00000000', '2000.00000000'],
    p: [price, price],
    t: [100, 200],
    l: [price, price],
    h: [price, price],
    o: price,
  }
}

function coinbaseReply(url: URL, fault: RatesFaults['response'], price: PriceOf): Reply {
  const notFound = { status: 404, json: { errors: [{ id: 'not_found', message: 'Invalid base currency' }] } }
  if (fault === 'error') return { status: 500, json: { errors: [{ id: 'internal_server_error', message: 'error' }] } }
  if (url.pathname === '/v2/exchange-rates') {
    const rates = Object.entries(FIAT_RATES).map(([code, rate]) => [code, faultyPrice(rate, fault)])
    return {
      status: 200,
      json: { data: { currency: 'USD', rates: fault === 'no_pair' ? {} : Object.fromEntries(rates) } },
    }
  }
  const currency = /^\/v2\/prices\/ZEC-(USD|BTC)\/spot$/.exec(url.pathname)?.[1]
  if (currency === undefined || fault === 'no_pair') return notFound
  return { status: 200, json: { data: { amount: price(`ZEC${currency}` as RatePair), base: 'ZEC', currency } } }
}

function geminiReply(url: URL, fault: RatesFaults['response'], price: PriceOf, nowSecs: number): Reply {
  if (fault === 'error')
    return {
      status: 503,
      json: {
        result: 'error',
        reason: 'Maintenance',
        message: 'The Gemini Exchange is currently undergoing maintenance.',
      },
    }
  const currency = /^\/v1\/pubticker\/zec(usd|btc)$/.exec(url.pathname)?.[1]?.toUpperCase()
  if (currency === undefined || fault === 'no_pair')
    return { status: 400, json: { result: 'error', reason: 'InvalidSymbol', message: 'Received an invalid symbol' } }
  const last = price(`ZEC${currency}` as RatePair)
  const volume = {
    ZEC: '2210.505328803',
    [currency]: '2135477.463379586263',
    timestamp: (nowSecs - (nowSecs % 300)) * 1000,
  }
  return { status: 200, json: { bid: last, ask: last, last, volume } }
}

/** Prices are JSON numbers; any other value is null. */
function coingeckoReply(url: URL, fault: RatesFaults['response'], price: PriceOf, nowSecs: number): Reply {
  if (fault === 'error')
    return { status: 429, json: { status: { error_code: 429, error_message: "You've exceeded the Rate Limit." } } }
  if (url.pathname !== '/api/v3/simple/price' || url.searchParams.get('ids') !== 'zcash' || fault === 'no_pair')
    return { status: 200, json: {} }
  const asked = (url.searchParams.get('vs_currencies') ?? '').split(',')
  const pairs = RATE_PAIRS.filter(pair => asked.includes(pair.slice(3).toLowerCase()))
  const prices = pairs.map(pair => [pair.slice(3).toLowerCase(), Number(price(pair))])
  const updatedAt = fault === 'stale' ? nowSecs - STALE_SECS : nowSecs
  return { status: 200, json: { zcash: { ...Object.fromEntries(prices), last_updated_at: updatedAt } } }
}
