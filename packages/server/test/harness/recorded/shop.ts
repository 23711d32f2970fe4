import assert from 'node:assert/strict'
import type { Mailbox } from '@zatgate/sandbox/mail/mailbox'
import type { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import { verifyWebhook, ZatgateClient } from '@zatgate/sdk'
import type { Invoice, InvoiceListItem } from '@zatgate/sdk/wire'
import { signIn } from '../../web/visit.ts'
import { until } from '../until.ts'
import type { WalkDatabase } from './database.ts'
import type { Sale } from './sales.ts'
import type { RecordedService } from './service.ts'

const EMAIL = 'shop@example.com'
const LIST_LIMIT = 200

/** A webhook delivery with a valid signature. */
export interface ReceivedEvent {
  /** The same for every attempt of a delivery. */
  readonly deliveryId: string
  readonly body: string
}

interface ShopDeps {
  readonly service: RecordedService
  readonly database: WalkDatabase
  readonly mailbox: Mailbox
  readonly receiver: WebhookReceiver
}

/** A merchant account with a viewing key, an API key, a webhook and its invoices. */
export class Shop {
  readonly #deps: ShopDeps
  readonly #sessionToken: string
  readonly #webhookSecret: string
  readonly #ids = new Map<number, string>()

  private constructor(deps: ShopDeps, sessionToken: string, webhookSecret: string) {
    this.#deps = deps
    this.#sessionToken = sessionToken
    this.#webhookSecret = webhookSecret
  }

  /** Signs in by mail, creates a session token with the CLI, and creates the invoices at their recorded addresses. */
  static async open(deps: ShopDeps, viewingKey: string, sales: readonly Sale[]): Promise<Shop> {
    const { service, database, mailbox, receiver } = deps
    await signIn(service, EMAIL, () => until('the sign-in code', () => mailbox.mails(EMAIL)[0]?.code, 60_000))
    const { session_token } = await service.command<{ session_token: string }>('session', 'create', '--email', EMAIL)
    const client = new ZatgateClient({ baseUrl: service.url, sessionToken: session_token })
    await client.setViewingKey(viewingKey)
    const { secret } = await client.setWebhook(receiver.url)
    const { key } = await client.createApiKey('shop')
    const shop = new Shop(deps, session_token, secret!)
    // The recorded addresses have low diversifier indexes, which the service never assigns by itself.
    await database.setNextIndex(1)
    await shop.#sell(new ZatgateClient({ baseUrl: service.url, apiKey: key }), sales)
    return shop
  }

  /** Public id of the sale's invoice. */
  idOf({ index }: Sale): string {
    return this.#ids.get(index)!
  }

  /** All invoices in the API's list, by id. */
  async invoices(): Promise<ReadonlyMap<string, InvoiceListItem>> {
    const client = new ZatgateClient({ baseUrl: this.#deps.service.url, sessionToken: this.#sessionToken })
    const listed = await client.listInvoices({ limit: LIST_LIMIT })
    return new Map(listed.map(invoice => [invoice.id, invoice]))
  }

  /** Reads one invoice without credentials. */
  read(id: string): Promise<Invoice> {
    return new ZatgateClient({ baseUrl: this.#deps.service.url }).getInvoice(id)
  }

  /** The webhook deliveries so far. Verifies each signature. */
  async received(): Promise<ReceivedEvent[]> {
    return Promise.all(
      this.#deps.receiver.deliveries.map(async ({ body, headers }) => {
        await verifyWebhook(body, headers, this.#webhookSecret, { scheme: 'standard' })
        return { deliveryId: headers['webhook-id']!, body: body.toString() }
      }),
    )
  }

  async #sell(client: ZatgateClient, sales: readonly Sale[]): Promise<void> {
    for (const { index, amountZat, expiresInSecs, payments } of sales) {
      const { id, address } = await client.createInvoice({ amount_zat: amountZat, expires_in_secs: expiresInSecs })
      for (const payment of payments) assert.equal(address, payment.address, `the address at index ${index}`)
      this.#ids.set(index, id)
    }
  }
}
