import { createServer, type Server } from 'node:http'
import { closeServer, LOOPBACK, listen, requestUrl } from './http/listen.ts'

/** The faults of the rate source. They stay until they are changed. */
export interface RatesFaults {
  /** connections are reset */
  down: boolean
  hang: boolean
  /** `ticker`: the correct response; `error`: an error response of Kraken; the others: a missing or invalid ticker */
  response: 'ticker' | 'error' | 'html' | 'no_pair' | 'zero' | 'not_a_number'
}

/** Kraken's pair names (request: ZECUSD, response: XZECZUSD) and example prices. */
const PAIRS: ReadonlyMap<string, { name: string; price: string }> = new Map([
  ['ZECUSD', { name: 'XZECZUSD', price: '1419.06000' }],
  ['ZECEUR', { name: 'XZECZEUR', price: '1222.31000' }],
])

/**
 * Simulates `GET /0/public/Ticker?pair=…` of Kraken's public REST API, on loopback. Prices change only by
 * {@link Rates.setPrice}.
 */
export class Rates {
  readonly url: string
  readonly faults: RatesFaults = { down: false, hang: false, response: 'ticker' }
  readonly #server: Server
  readonly #prices = new Map([...PAIRS.values()].map(({ name, price }) => [name, price]))

  private constructor(server: Server, port: number) {
    this.#server = server
    this.url = `http://${LOOPBACK}:${port}`
  }

  /** Starts a server; port 0 selects a free port. */
  static async start(port = 0): Promise<Rates> {
    const server = createServer()
    const rates = new Rates(server, await listen(server, port))
    server.on('request', (request, response) => {
      if (rates.faults.down) request.socket.resetAndDestroy()
      else if (!rates.faults.hang) {
        const { type, body } = rates.#response(requestUrl(request))
        response.writeHead(200, { 'content-type': type }).end(body)
      }
    })
    return rates
  }

  /** Sets the price (decimal digits) of a pair (ZECUSD or ZECEUR). Throws for an unknown pair. */
  setPrice(pair: string, price: string): void {
    const known = PAIRS.get(pair)
    if (known === undefined) throw new Error(`no pair ${pair}; the pairs are ${[...PAIRS.keys()].join(', ')}`)
    this.#prices.set(known.name, price)
  }

  close(): Promise<void> {
    return closeServer(this.#server)
  }

  #response(url: URL): { type: string; body: string } {
    if (this.faults.response === 'html') return { type: 'text/html', body: '<html><h1>Service unavailable</h1></html>' }
    return { type: 'application/json; charset=utf-8', body: JSON.stringify(this.#json(url)) }
  }

  #json(url: URL): { error: string[]; result?: Record<string, unknown> } {
    if (url.pathname !== '/0/public/Ticker') return { error: ['EGeneral:Unknown method'] }
    if (this.faults.response === 'error') return { error: ['EService:Unavailable'] }
    const names = (url.searchParams.get('pair') ?? '').split(',').map(pair => pairName(pair))
    if (names.includes(undefined)) return { error: ['EQuery:Unknown asset pair'] }
    if (this.faults.response === 'no_pair') return { error: [], result: {} }
    return { error: [], result: Object.fromEntries(names.map(name => [name!, ticker(this.#price(name!))])) }
  }

  #price(name: string): string {
    if (this.faults.response === 'zero') return '0.00000'
    if (this.faults.response === 'not_a_number') return 'NaN'
    return this.#prices.get(name)!
  }
}

function pairName(pair: string): string | undefined {
  return PAIRS.get(pair)?.name ?? [...PAIRS.values()].find(({ name }) => name === pair)?.name
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
