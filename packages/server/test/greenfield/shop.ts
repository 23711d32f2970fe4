import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext } from 'node:test'
import { parseZec } from '@zatgate/zcash/zip321'
import type { Permission } from '../../src/domain/account/permission.ts'
import { conformsTo, conformsToEvent, type Json, operationOf, readRecording } from '../harness/greenfield.ts'
import { openSeller, type SandboxService, startSandboxService, type TestService } from '../harness/service.ts'
import { fastClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { type Answer, exchange, textOf } from './exchange.ts'
import { hasShapeOf } from './shape.ts'

/** A webhook whose signature is valid. */
export interface Hook {
  readonly type: string
  readonly body: Json
  /** The responses that the shop read while it answered. */
  readonly read: Json
}

export interface ShopOptions {
  /** The name of the recording, if requests are sent. */
  readonly client: string
  readonly permissions: readonly Permission[]
  /** The webhook secret that the client chooses. Else that of the answer to createWebhook is used. */
  readonly secret?: string
  /** The URL of the recorded webhook, which becomes that of this shop. */
  readonly webhook?: string
}

export interface SendOptions {
  /** Ids in the place of the recorded ones, by the name in the route, such as `invoiceId`. */
  readonly ids?: Readonly<Record<string, string>>
  /** Texts of the recorded path and body, and what they become: what the shop had counted on. */
  readonly texts?: readonly (readonly [recorded: string, now: string])[]
  /** Default: the recorded status. */
  readonly status?: number
  /** Members that may be null: see `hasShapeOf`. */
  readonly nullable?: readonly string[]
}

/** A shop with a recorded client: the whole service with its key, what it sent, and where it takes webhooks. */
export interface Shop {
  readonly at: TestService
  readonly store: string
  readonly key: string
  /** The webhooks so far, oldest first. */
  readonly hooks: readonly Hook[]
  /** Where it takes webhooks. */
  readonly webhookUrl: string
  /** Reads something before a webhook is answered, as plugins do. */
  onHook: (body: Json) => Promise<Json>
  /** The secret by which webhooks are checked. */
  secret: string
  /**
   * Sends a recorded request by its number. Asserts that the answer has the recorded status, conforms to BTCPay's document,
   * and has every member of the recorded answer.
   */
  send(number: number, options?: SendOptions): Promise<Answer>
  /** Waits for a webhook about an invoice. @param where of several of one type, which */
  hook(type: string, invoiceId: string, where?: (body: Json) => boolean): Promise<Hook>
  /** The types of the webhooks about an invoice. */
  typesOf(invoiceId: string): string[]
  /** Pays a part or a multiple of what is asked for. */
  pay(invoiceId: string, share?: { part: bigint; of: bigint }): Promise<void>
  /** Mines as many blocks as confirm a payment. */
  confirm(): void
  /** Passes the quarter of an hour in which an invoice is to be paid. */
  expire(): void
}

const clock = fastClock()
let started: Promise<SandboxService> | undefined
let shops = 0
after(async () => (await started)?.close())

/** Opens an account on the service of the file, makes the key that the client asks for, and listens for webhooks. */
export async function openShop(t: TestContext, options: ShopOptions): Promise<Shop> {
  const { client, permissions, webhook } = options
  started ??= startSandboxService({ clock })
  const running = await started
  shops += 1
  const at = { ...running, ...(await openSeller(running, `shop${shops}@example.org`)) }
  const account = await at.service.accounts.findByEmail(at.email)
  const rights = { scopes: permissions, expiresAt: null, addresses: null }
  const { key } = await at.service.apiKeys.create(account, client, undefined, rights)
  at.secrets.set(`the plugin's key of ${at.email}`, key)

  const hooks: Hook[] = []
  const faults: unknown[] = []
  // A test that has not seen the fault itself fails at its end.
  t.after(() => assert.deepEqual(faults, []))
  const receiver = createServer(async (request, response) => {
    try {
      const text = await textOf(request)
      const expected = `sha256=${createHmac('sha256', shop.secret).update(text).digest('hex')}`
      assert.equal(request.headers['btcpay-sig'], expected, 'the signature')
      assert.match(request.headers['content-type'] ?? '', /^application\/json/)
      const body = JSON.parse(text)
      conformsToEvent(body)
      assert.equal(body.storeId, shop.store)
      const read = await shop.onHook(body)
      hooks.push({ type: body.type, body, read })
      response.writeHead(200).end()
    } catch (error) {
      faults.push(error)
      response.writeHead(500).end()
    }
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => {
    receiver.close()
    receiver.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const webhookUrl = webhook === undefined ? `${origin}/` : origin + new URL(webhook).pathname

  const filled = (text: string) => {
    // PHP escapes the slashes of JSON.
    const escaped = (url: string) => url.replaceAll('/', String.raw`\/`)
    const hosted =
      webhook === undefined
        ? text
        : text
            .replaceAll(`"${webhook}"`, `"${webhookUrl}"`)
            .replaceAll(`"${escaped(webhook)}"`, `"${escaped(webhookUrl)}"`)
    return hosted
      .replaceAll('<store>', shop.store)
      .replaceAll('<key>', shop.key)
      .replaceAll('<secret>', options.secret ?? 'no secret')
      .replaceAll('<order key>', 'wc_order_1')
  }

  const shop: Shop = {
    at,
    store: account.publicId,
    key,
    hooks,
    webhookUrl,
    onHook: async () => undefined,
    secret: options.secret ?? '',

    async send(number, { ids = {}, texts = [], status, nullable } = {}) {
      const { requests } = readRecording(client)
      const recorded = requests.find(({ n }: Json) => n === number) ?? assert.fail(`${client} has no request ${number}`)
      const { method, route, path, headers, body, note } = recorded
      const replaced = (text: string) => texts.reduce((all, [from, to]) => all.replaceAll(from, to), filled(text))
      const answer = await exchange(at.url, {
        method,
        path: replaced(withIds(path, route, ids)),
        headers: Object.fromEntries(Object.entries<string>(headers).map(([name, value]) => [name, filled(value)])),
        body: body === null || body === '' ? null : replaced(body),
      })
      const name = `${client} ${number} (${note}): ${method} ${path}\n${answer.status} ${answer.text}\n`
      assert.equal(answer.status, status ?? recorded.status, name)
      const operation = operationOf(method, path.split('?')[0])
      if (operation !== null) conformsTo(operation, answer)
      if (status === undefined && recorded.answer)
        try {
          hasShapeOf(JSON.parse(filled(recorded.answer)), answer.body, nullable)
        } catch (error) {
          throw new Error(name, { cause: error })
        }
      return answer
    },

    hook: (type, invoiceId, where = () => true) =>
      until(`${type} about ${invoiceId}`, () => {
        if (faults.length > 0) throw faults[0]
        return hooks.find(({ body }) => body.type === type && body.invoiceId === invoiceId && where(body))
      }),

    typesOf: invoiceId => hooks.filter(({ body }) => body.invoiceId === invoiceId).map(({ type }) => type),

    async pay(invoiceId, { part, of } = { part: 1n, of: 1n }) {
      const path = `/api/v1/stores/${shop.store}/invoices/${invoiceId}/payment-methods`
      const headers = { authorization: `token ${key}` }
      const { body } = await exchange(at.url, { method: 'GET', path, headers, body: null })
      const [{ paymentLink: uri, amount }] = body
      at.sandbox.wallet.pay({ uri, amount: (parseZec(amount) * part) / of })
    },

    confirm: () => at.sandbox.chain.mine(3),

    expire: () => clock.advance(16 * 60),
  }
  return shop
}

/** The recorded path with other ids, at the places that the route names. */
function withIds(path: string, route: string, ids: Readonly<Record<string, string>>): string {
  const [before = '', query] = path.split('?')
  const names = route.split('/')
  const parts = before.split('/').map((part, index) => {
    const [, name = ''] = /^\{(\w+)\}$/.exec(names[index] ?? '') ?? []
    return ids[name] ?? part
  })
  return [parts.join('/'), ...(query === undefined ? [] : [query])].join('?')
}
