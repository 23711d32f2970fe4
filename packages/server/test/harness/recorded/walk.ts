import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Mailbox } from '@zatgate/sandbox/mail/mailbox'
import { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import type { InvoiceListItem, WebhookEvent } from '@zatgate/sdk/wire'
import { loadRecording } from '../../../../zcash/test/recording.ts'
import type { Settings } from '../service-process.ts'
import { openDatabase, type WalkDatabase } from './database.ts'
import { describeMoment, type Moment, RecordedChain } from './moments.ts'
import type { RecordedNetwork, StartNetwork } from './network.ts'
import { eventOf, outcomeAt, type Sale, salesOf } from './sales.ts'
import { RecordedService } from './service.ts'
import { Shop } from './shop.ts'

const POLL_MS = 100
/** Lightwalletd updates its mempool within 2 s, a failed watcher retries within 3 s, and the machine may be busy. */
const REACH_TIMEOUT_MS = 90_000
/** Short-lived invoices expire after 60 s. A delivery interrupted by a kill is repeated when its lease expires. */
const END_TIMEOUT_MS = 150_000
const LOG_TAIL_LINES = 15

/** Options of Walk.start. */
export interface WalkOptions {
  /** Starts one server. */
  readonly network: StartNetwork
  /** URL of a PostgreSQL database (default: SQLite). */
  readonly databaseUrl?: string
  /** Number of servers in `LIGHTWALLETD_URL` (default 1). */
  readonly servers?: number
  /** State of the network at the start (default: the first moment, before its transactions are sent). */
  readonly from?: Moment
  /** Whether unpaid and underpaid invoices expire during the walk (default false). This takes a minute. */
  readonly expiring?: boolean
  /** Extra settings of the start that creates the invoices (default: none). */
  readonly opening?: Settings
}

/** How the API is compared with a moment. */
interface Expected {
  /** The invoices that can expire have expired. */
  readonly end: boolean
  /** Paid invoices may still be detected. */
  readonly held: boolean
}

/** The whole service on the recorded network, with the invoices of the recording. */
export class Walk {
  readonly chain: RecordedChain
  readonly networks: readonly RecordedNetwork[]
  readonly service: RecordedService
  readonly #shop: Shop
  readonly #sales: readonly Sale[]
  readonly #database: WalkDatabase
  readonly #log: string
  readonly #stack: AsyncDisposableStack

  private constructor(parts: {
    chain: RecordedChain
    networks: readonly RecordedNetwork[]
    service: RecordedService
    shop: Shop
    sales: readonly Sale[]
    database: WalkDatabase
    log: string
    stack: AsyncDisposableStack
  }) {
    this.chain = parts.chain
    this.networks = parts.networks
    this.service = parts.service
    this.#shop = parts.shop
    this.#sales = parts.sales
    this.#database = parts.database
    this.#log = parts.log
    this.#stack = parts.stack
  }

  static async start(options: WalkOptions): Promise<Walk> {
    await using stack = new AsyncDisposableStack()
    const chain = new RecordedChain(loadRecording())
    const sales = salesOf(chain, options.expiring ?? false)
    const folder = mkdtempSync(join(tmpdir(), 'zatgate-recorded-'))
    stack.defer(() => rmSync(folder, { recursive: true, force: true }))
    // The invoices must exist before their payments.
    const from = options.from ?? { ...chain.moments[0]!, sent: false }
    const networks: RecordedNetwork[] = []
    for (let i = 0; i < (options.servers ?? 1); i++) {
      networks.push(stack.adopt(await options.network(chain, from), it => it.close()))
    }
    const mailbox = stack.adopt(await Mailbox.start(), it => it.close())
    const receiver = stack.adopt(await WebhookReceiver.start(), it => it.close())
    const database = stack.adopt(openDatabase(options.databaseUrl ?? `sqlite:${join(folder, 'zatgate.db')}`), it =>
      it.close(),
    )
    const log = join(folder, 'log')
    const service = new RecordedService(
      {
        NETWORK: 'regtest',
        LIGHTWALLETD_URL: networks.map(({ url }) => url).join(','),
        REGTEST_NU63_HEIGHT: String(chain.recording.activation_heights['NU6.3']),
        REGTEST_NU7_HEIGHT: String(chain.recording.activation_heights.NU7),
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        SMTP_URL: mailbox.url,
        MAIL_FROM: 'pay@example.com',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        DATA_DIR: folder,
        DATABASE_URL: database.url,
        PORT: '0',
      },
      log,
    )
    stack.defer(() => service.kill())
    await service.start(options.opening)
    const shop = await Shop.open({ service, database, mailbox, receiver }, chain.recording.merchant_ufvk, sales)
    return new Walk({ chain, networks, service, shop, sales, database, log, stack: stack.move() })
  }

  get moments(): readonly Moment[] {
    return this.chain.moments
  }

  /** The last moment: the complete best chain and the remaining mempool. */
  get end(): Moment {
    return this.chain.moments.at(-1)!
  }

  /** The moment at which the block at height `tip` is the newest. */
  at(tip: number): Moment {
    const moment = this.moments.find(moment => moment.tip === tip)
    if (moment === undefined) throw new RangeError(`no moment at height ${tip}`)
    return moment
  }

  /** Sets all servers to the moment. */
  async show(moment: Moment): Promise<void> {
    for (const network of this.networks) await network.show(moment)
  }

  /**
   * Waits until the newest block of the moment is recorded and the API returns the expected invoices.
   * @param held while the servers disagree, an invoice may still be detected that one of them shows as paid
   */
  async reach(moment: Moment, { held = false } = {}): Promise<void> {
    await this.#waitForAgreement(moment, { end: false, held, limitMs: REACH_TIMEOUT_MS })
  }

  /** Shows the moment and waits until the service has reached it. */
  async step(moment: Moment): Promise<void> {
    await this.show(moment)
    await this.reach(moment)
  }

  /**
   * Waits for the end and checks all invoices, events and the log.
   * @param once whether each delivery must be sent exactly once, because no process was killed
   */
  async verify({ once }: { readonly once: boolean }): Promise<void> {
    await this.#waitForAgreement(this.end, { end: true, held: false, limitMs: END_TIMEOUT_MS })
    await this.#verifyReads()
    await this.#verifyEvents(once)
    this.#verifyLog()
  }

  close(): Promise<void> {
    return this.#stack.disposeAsync()
  }

  async #waitForAgreement(moment: Moment, expected: Expected & { readonly limitMs: number }): Promise<void> {
    const { limitMs } = expected
    const deadline = performance.now() + limitMs
    for (;;) {
      const differences = await this.#differences(moment, expected)
      if (differences.length === 0) return
      if (performance.now() > deadline) {
        assert.fail(`at ${describeMoment(moment)}, ${limitMs} ms later:\n${differences.join('\n')}\n${this.#logTail()}`)
      }
      await delay(POLL_MS)
    }
  }

  async #differences(moment: Moment, expected: Expected): Promise<string[]> {
    const differences = await this.#invoiceDifferences(moment, expected)
    if (differences.length > 0) return differences
    const hash = await this.#database.tipHash()
    return hash === this.chain.hashAt(moment) ? [] : [`the newest recorded block is ${hash}`]
  }

  async #invoiceDifferences(moment: Moment, { end, held }: Expected): Promise<string[]> {
    const invoices = await this.#shop.invoices()
    return this.#sales.flatMap(sale => {
      const { status: expected, ...amounts } = outcomeAt(this.chain, sale, moment, end)
      const status = held && expected.includes('paid') ? [...expected, 'detected'] : expected
      const invoice = invoices.get(this.#shop.idOf(sale))
      if (invoice === undefined) return [`index ${sale.index}: no invoice`]
      const differences = [
        ...(status.includes(invoice.status) ? [] : [`status ${invoice.status} instead of ${status.join(' or ')}`]),
        ...differingFields(invoice, { ...amounts, amount_zat: sale.amountZat }),
        ...((invoice.paid_at !== null) === (invoice.status === 'paid') ? [] : [`paid_at ${invoice.paid_at}`]),
      ]
      return differences.length === 0 ? [] : [`index ${sale.index}: ${differences.join(', ')}`]
    })
  }

  /** Each single invoice must match the list. */
  async #verifyReads(): Promise<void> {
    const listed = await this.#shop.invoices()
    for (const sale of this.#sales) {
      const id = this.#shop.idOf(sale)
      const { status, amount_zat, received_zat, overpaid_zat, txid } = listed.get(id)!
      const expected = { id, status, amount_zat, received_zat, overpaid_zat, txid, swap: null }
      assert.partialDeepStrictEqual(await this.#shop.read(id), expected)
    }
  }

  /** Database and webhook must contain exactly the expected events, each once, with the final amounts. */
  async #verifyEvents(once: boolean): Promise<void> {
    const expected = this.#sales.flatMap(sale => this.#expectedEvent(sale)).sort()
    assert.deepEqual((await this.#database.eventBodies()).map(canonical).sort(), expected)
    const deadline = performance.now() + END_TIMEOUT_MS
    for (;;) {
      const received = await this.#shop.received()
      const bodies = new Map(received.map(({ deliveryId, body }) => [deliveryId, body]))
      if (bodies.size >= expected.length || performance.now() > deadline) {
        assert.deepEqual([...bodies.values()].map(canonical).sort(), expected, this.#logTail())
        if (once) assert.equal(received.length, expected.length, 'a delivery was sent twice')
        return
      }
      await delay(POLL_MS)
    }
  }

  #expectedEvent(sale: Sale): string[] {
    const type = eventOf(this.chain, sale, this.end)
    if (type === null) return []
    const { status, received_zat, overpaid_zat, txid } = outcomeAt(this.chain, sale, this.end, true)
    const invoice_id = this.#shop.idOf(sale)
    const amounts = { amount_zat: sale.amountZat, received_zat, overpaid_zat }
    return [canonical(JSON.stringify({ type, invoice_id, status: status[0], ...amounts, txid, swap: null }))]
  }

  #verifyLog(): void {
    const log = readFileSync(this.#log, 'utf8')
    for (const sale of this.#sales)
      assert.ok(!log.includes(this.#shop.idOf(sale)), 'the log contains a complete invoice id')
    assert.ok(!log.includes(this.chain.recording.merchant_ufvk), 'the log contains the viewing key')
  }

  /** The last distinct log messages. */
  #logTail(): string {
    const messages = readFileSync(this.#log, 'utf8').trimEnd().split('\n').map(messageOf)
    const tail = [...new Set(messages.reverse())].slice(0, LOG_TAIL_LINES).reverse()
    return `the end of the log:\n${tail.join('\n')}`
  }
}

function messageOf(line: string): string {
  try {
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } }
    return err === undefined ? msg : `${msg}: ${err.message}`
  } catch {
    return line
  }
}

function differingFields(actual: InvoiceListItem, expected: Partial<InvoiceListItem>): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const actualValue = actual[name as keyof InvoiceListItem]
    return actualValue === value ? [] : [`${name} ${actualValue} instead of ${value}`]
  })
}

/** The event as JSON with sorted keys. */
function canonical(body: string): string {
  const event = JSON.parse(body) as WebhookEvent
  return JSON.stringify(Object.fromEntries(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))))
}
