import { createServer, type Server } from 'node:http'
import { LOOPBACK, listen, requestUrl, stopListening } from './http/listen.ts'

/** What the rate source does wrong; each stays until changed. */
export interface RatesFaults {
  /** connections are torn down */
  down: boolean
  hang: boolean
  /** `error`: Kraken's own way to fail; the others are no ticker at all, or one that makes no sense */
  answer: 'ticker' | 'error' | 'html' | 'no_pair' | 'zero' | 'not_a_number'
}

/** Kraken's names of the pairs (a request may say ZECUSD, the answer says XZECZUSD), with an ordinary day's price. */
const PAIRS: ReadonlyMap<string, { name: string; price: string }> = new Map([
  ['ZECUSD', { name: 'XZECZUSD', price: '1419.06000' }],
  ['ZECEUR', { name: 'XZECZEUR', price: '1222.31000' }],
])

/**
 * A stand-in for Kraken's public REST API as far as `GET /0/public/Ticker?pair=…`, on loopback. Prices stand still until
 * {@link Rates.setPrice}.
 */
export class Rates {
  readonly url: string
  readonly faults: RatesFaults = { down: false, hang: false, answer: 'ticker' }
  readonly #server: Server
  readonly #prices = new Map([...PAIRS.values()].map(({ name, price }) => [name, price]))

  private constructor(server: Server, port: number) {
    this.#server = server
    this.url = `http://${LOOPBACK}:${port}`
  }

  /** Starts a server; port 0 takes a free one. */
  static async start(port = 0): Promise<Rates> {
    const server = createServer()
    const rates = new Rates(server, await listen(server, port))
    server.on('request', (request, response) => {
      if (rates.faults.down) request.socket.resetAndDestroy()
      else if (!rates.faults.hang) {
        const { type, body } = rates.#answer(requestUrl(request))
        response.writeHead(200, { 'content-type': type }).end(body)
      }
    })
    return rates
  }

  /** `pair` as requests name it, `price` in decimal digits. Throws for a pair it does not have. */
  setPrice(pair: string, price: string): void {
    const known = PAIRS.get(pair)
    if (known === undefined) throw new Error(`no pair ${pair}; there are ${[...PAIRS.keys()].join(', ')}`)
    this.#prices.set(known.name, price)
  }

  async close(): Promise<void> {
    const stopped = stopListening(this.#server)
    this.#server.closeAllConnections()
    await stopped
  }

  #answer(url: URL): { type: string; body: string } {
    if (this.faults.answer === 'html') return { type: 'text/html', body: '<html><h1>Service unavailable</h1></html>' }
    return { type: 'application/json; charset=utf-8', body: JSON.stringify(this.#json(url)) }
  }

  #json(url: URL): { error: string[]; result?: Record<string, unknown> } {
    if (url.pathname !== '/0/public/Ticker') return { error: ['EGeneral:Unknown method'] }
    if (this.faults.answer === 'error') return { error: ['EService:Unavailable'] }
    const names = (url.searchParams.get('pair') ?? '').split(',').map(pair => pairName(pair))
    if (names.includes(undefined)) return { error: ['EQuery:Unknown asset pair'] }
    if (this.faults.answer === 'no_pair') return { error: [], result: {} }
    return { error: [], result: Object.fromEntries(names.map(name => [name!, ticker(this.#price(name!))])) }
  }

  #price(name: string): string {
    if (this.faults.answer === 'zero') return '0.00000'
    if (this.faults.answer === 'not_a_number') return 'NaN'
    return this.#prices.get(name)!
  }
}

function pairName(pair: string): string | undefined {
  return PAIRS.get(pair)?.name ?? [...PAIRS.values()].find(({ name }) => name === pair)?.name
}

/** A ticker row: [price, …] each for ask, bid, last trade, volume, average, trades, low, high, and the opening price. */
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
