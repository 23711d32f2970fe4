import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Mailbox } from '@zatgate/sandbox/mail/mailbox'
import { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import type { InvoiceListItem, WebhookEvent } from '@zatgate/sdk/wire'
import { readRecording } from '../../../../zcash/test/recording.ts'
import { openDatabase, type WalkDatabase } from './database.ts'
import { describeMoment, type Moment, RecordedChain } from './moments.ts'
import { RecordedNetwork } from './network.ts'
import { eventOf, outcomeAt, type Sale, salesOf } from './sales.ts'
import { RecordedService, type Settings } from './service.ts'
import { Shop } from './shop.ts'

const POLL_MS = 100
/** Lightwalletd shows a new mempool after 2 s at most, a failed watcher tries again within 3 s, the machine may be busy. */
const REACH_MS = 90_000
/** The short-lived invoices expire after 60 s; a delivery that a kill cut off is made again after its lease. */
const END_MS = 150_000
const LOG_TAIL_LINES = 15

export interface WalkOptions {
  /** A database of PostgreSQL (default: SQLite). */
  readonly databaseUrl?: string
  /** How many servers `LIGHTWALLETD_URL` names (default 1). */
  readonly servers?: number
  /** What the network shows when everything starts (default: the first moment, before its transactions are sent). */
  readonly from?: Moment
  /** Whether the invoices that are not paid in full expire during the walk (default false), which takes a minute. */
  readonly expiring?: boolean
  /** Settings of the start under which the invoices are made (default: none but the walk's own). */
  readonly opening?: Settings
}

/** The whole service in front of the recorded network, with the recording's invoices. */
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

  static async start(options: WalkOptions = {}): Promise<Walk> {
    await using stack = new AsyncDisposableStack()
    const chain = new RecordedChain(readRecording())
    const sales = salesOf(chain, options.expiring ?? false)
    const folder = mkdtempSync(join(tmpdir(), 'zatgate-recorded-'))
    stack.defer(() => rmSync(folder, { recursive: true, force: true }))
    // A wallet pays an invoice after it was made.
    const from = options.from ?? { ...chain.moments[0]!, sent: false }
    const networks: RecordedNetwork[] = []
    for (let i = 0; i < (options.servers ?? 1); i++) {
      networks.push(stack.adopt(await RecordedNetwork.start(chain, from), it => it.close()))
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
        LIGHTWALLETD_URL: networks.map(({ lightwalletd }) => lightwalletd.url).join(','),
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

  /** The last moment: the whole best chain, and what was left in the mempool. */
  get end(): Moment {
    return this.chain.moments.at(-1)!
  }

  /** The moment at which the block of this height is the newest. */
  at(tip: number): Moment {
    const found = this.moments.find(moment => moment.tip === tip)
    if (found === undefined) throw new RangeError(`nothing changes for a payment at height ${tip}`)
    return found
  }

  /** Lets every server of the network show the moment. */
  async show(moment: Moment): Promise<void> {
    for (const network of this.networks) await network.show(moment)
  }

  /** Waits until the moment's newest block is recorded, and the API shows every invoice as the recording says. */
  async reach(moment: Moment): Promise<void> {
    await this.#agree(moment, { end: false, limitMs: REACH_MS })
  }

  async step(moment: Moment): Promise<void> {
    await this.show(moment)
    await this.reach(moment)
  }

  /**
   * Waits for the end, and checks every invoice, every event and the log.
   * @param once no process was killed: no delivery may have been made twice
   */
  async judge({ once }: { readonly once: boolean }): Promise<void> {
    await this.#agree(this.end, { end: true, limitMs: END_MS })
    await this.#judgeReads()
    await this.#judgeEvents(once)
    this.#judgeLog()
  }

  close(): Promise<void> {
    return this.#stack.disposeAsync()
  }

  async #agree(moment: Moment, { end, limitMs }: { end: boolean; limitMs: number }): Promise<void> {
    const deadline = performance.now() + limitMs
    for (;;) {
      const wrong = await this.#differences(moment, end)
      if (wrong.length === 0) return
      if (performance.now() > deadline) {
        assert.fail(`at ${describeMoment(moment)}, ${limitMs} ms later:\n${wrong.join('\n')}\n${this.#logTail()}`)
      }
      await delay(POLL_MS)
    }
  }

  async #differences(moment: Moment, end: boolean): Promise<string[]> {
    const wrong = await this.#wrongInvoices(moment, end)
    if (wrong.length > 0) return wrong
    const hash = await this.#database.tipHash()
    return hash === this.chain.hashAt(moment) ? [] : [`the newest block recorded is ${hash}`]
  }

  async #wrongInvoices(moment: Moment, end: boolean): Promise<string[]> {
    const shown = await this.#shop.invoices()
    return this.#sales.flatMap(sale => {
      const { status, ...amounts } = outcomeAt(this.chain, sale, moment, end)
      const invoice = shown.get(this.#shop.idOf(sale))
      if (invoice === undefined) return [`index ${sale.index}: no invoice`]
      const wrong = [
        ...(status.includes(invoice.status) ? [] : [`status ${invoice.status} instead of ${status.join(' or ')}`]),
        ...differing(invoice, { ...amounts, amount_zat: sale.amountZat }),
        ...((invoice.paid_at !== null) === (invoice.status === 'paid') ? [] : [`paid_at ${invoice.paid_at}`]),
      ]
      return wrong.length === 0 ? [] : [`index ${sale.index}: ${wrong.join(', ')}`]
    })
  }

  /** A single invoice shows what the list shows. */
  async #judgeReads(): Promise<void> {
    const listed = await this.#shop.invoices()
    for (const sale of this.#sales) {
      const id = this.#shop.idOf(sale)
      const { status, amount_zat, received_zat, overpaid_zat, txid } = listed.get(id)!
      const expected = { id, status, amount_zat, received_zat, overpaid_zat, txid, swap: null }
      assert.partialDeepStrictEqual(await this.#shop.read(id), expected)
    }
  }

  /** The events of the database and those of the webhook are those that are due, each once, with the final amounts. */
  async #judgeEvents(once: boolean): Promise<void> {
    const due = this.#sales.flatMap(sale => this.#dueEvent(sale)).sort()
    assert.deepEqual((await this.#database.eventBodies()).map(canonical).sort(), due)
    const deadline = performance.now() + END_MS
    for (;;) {
      const received = await this.#shop.received()
      const bodies = new Map(received.map(({ deliveryId, body }) => [deliveryId, body]))
      if (bodies.size >= due.length || performance.now() > deadline) {
        assert.deepEqual([...bodies.values()].map(canonical).sort(), due, this.#logTail())
        if (once) assert.equal(received.length, due.length, 'a delivery was made twice')
        return
      }
      await delay(POLL_MS)
    }
  }

  #dueEvent(sale: Sale): string[] {
    const type = eventOf(this.chain, sale, this.end)
    if (type === null) return []
    const { status, received_zat, overpaid_zat, txid } = outcomeAt(this.chain, sale, this.end, true)
    const invoice_id = this.#shop.idOf(sale)
    const amounts = { amount_zat: sale.amountZat, received_zat, overpaid_zat }
    return [canonical(JSON.stringify({ type, invoice_id, status: status[0], ...amounts, txid, swap: null }))]
  }

  #judgeLog(): void {
    const log = readFileSync(this.#log, 'utf8')
    for (const sale of this.#sales) assert.ok(!log.includes(this.#shop.idOf(sale)), 'the log names a whole invoice id')
    assert.ok(!log.includes(this.chain.recording.merchant_ufvk), 'the log names the viewing key')
  }

  /** The last messages of the log, without repetitions. */
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

function differing(shown: InvoiceListItem, expected: Partial<InvoiceListItem>): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const is = shown[name as keyof InvoiceListItem]
    return is === value ? [] : [`${name} ${is} instead of ${value}`]
  })
}

/** An event with its members in one order. */
function canonical(body: string): string {
  const event = JSON.parse(body) as WebhookEvent
  return JSON.stringify(Object.fromEntries(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))))
}
