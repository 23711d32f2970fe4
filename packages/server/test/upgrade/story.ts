import { randomUUID } from 'node:crypto'
import { until } from '../harness/until.ts'
import { visit } from '../web/visit.ts'
import type { Facts, Merchant } from './fixture.ts'
import type { Checkout, Installation } from './installation.ts'
import { startInstallation } from './installation.ts'
import type { Receiver } from './receiver.ts'

const DAY_MS = 86_400_000
/** A plan of 30 days that was bought then ends soon enough for a reminder, and sessions of 30 days are still valid. */
const EARLIER_MS = -27.5 * DAY_MS
const WAIT_MS = 60_000

const SECOND = 'second@example.org'
const NEWCOMER = 'newcomer@example.org'
const BUYER = 'buyer@example.org'

/** Nothing listens there, so mails stay queued. */
const NO_MAIL_SERVER = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'zatgate <no-reply@example.org>' }

/** An IBAN of examples. */
export const PAYOUT_TO = 'DE02120300000000202051'

const IDEMPOTENCY_KEY = 'order-1042'

/**
 * Uses a service as a shop and its operator do in a month, over its public interfaces only. It ends with rows in every
 * table: invoices of each status, swaps, a refund, withdrawals, purchases, an endpoint, a delivery that waits for its next attempt, and
 * queued mails.
 *
 * @param viewingKey of the second merchant
 * @param backUp makes the backup while the service runs
 */
export async function tellStory(
  checkout: Checkout,
  receiver: Receiver,
  viewingKey: string,
  backUp: (installation: Installation) => Promise<void>,
): Promise<Facts> {
  const then = await earlier(checkout, receiver, viewingKey)
  return now(checkout, receiver, viewingKey, then, backUp)
}

/** Values of a month ago that are used today. */
interface Earlier {
  /** The secret of the demo account's webhook. */
  readonly secret: string
  /** The session token and API key of the second merchant. */
  readonly second: string
  readonly secondKey: string
}

/** Sales of a month ago. */
async function earlier(checkout: Checkout, receiver: Receiver, viewingKey: string): Promise<Earlier> {
  const at = await startInstallation(checkout, EARLIER_MS)
  const { session_token: session } = at.demo
  const shop = shopOf(at)
  const { secret } = await at.api('PUT /v1/account/webhook', session, { url: receiver.url })
  await at.api('POST /v1/account/endpoints', session, { url: receiver.url, enabled: false })

  await setUpStore(at)
  const link = await at.api('POST /v1/links', session, { title: 'T-shirt', currency: 'ZEC', amount: '0.001' })
  await visit(at, `POST /l/${link.id}`, { form: { form: randomUUID() } })

  const retired = await at.api('POST /v1/account/api-keys', session, { name: 'retired' })
  await at.api(`DELETE /v1/account/api-keys/${retired.id}`, session)
  const ended = await at.command('session', 'create', '--email', at.demo.email)
  await at.api('POST /v1/auth/logout', ended.session_token)

  await shop.paid(await shop.sell(150_000))
  const overpaid = await shop.sell(200_000)
  await shop.paid(overpaid, 250_000)
  await at.api(`POST /v1/account/invoices/${overpaid.id}/refunds`, session, { amount_zat: 50_000 })
  const underpaid = await shop.sell(300_000, 3_600)
  await shop.pay(underpaid, 100_000)
  await shop.sell(400_000, 3_600)
  await shop.mine(3)

  const swapped = await shop.sell(500_000)
  await shop.finishSwap(await shop.swap(swapped), 'SUCCESS')
  await shop.becomes(swapped, 'detected')
  await shop.mine(3)
  await shop.becomes(swapped, 'paid')

  const paidOut = await shop.withdraw(1_000_000)
  await shop.deposit(paidOut)
  await at.command('withdrawals', 'settle', paidOut.id, '--reference', 'bank transfer 7')
  const canceled = await shop.withdraw(2_000_000)
  await at.api(`POST /v1/account/withdrawals/${canceled.id}/cancel`, session)

  const second = await signIn(at, SECOND)
  await at.api('PUT /v1/account/viewing-key', second, { viewing_key: viewingKey })
  // While the sign-in is recent, as later versions require.
  const { key: secondKey } = await at.api('POST /v1/account/api-keys', second, { name: 'shop' })
  await shop.paid(await at.api('POST /v1/account/billing/subscribe', second, { plan: 'Pro' }))
  await until('the plan', async () => (await at.api('GET /v1/account/billing', second)).plan === 'Pro', WAIT_MS)
  await until(
    'the webhooks',
    () => receiver.count('invoice.paid') === 3 && receiver.count('withdrawal.updated') > 0,
    WAIT_MS,
  )
  await at.stop()
  return { secret, second, secondKey }
}

/** Sales of today, up to the backup, and a few after it. */
async function now(
  checkout: Checkout,
  receiver: Receiver,
  viewingKey: string,
  { secret, second, secondKey }: Earlier,
  backUp: (installation: Installation) => Promise<void>,
): Promise<Facts> {
  const at = await startInstallation(checkout, 0, NO_MAIL_SERVER)
  const { api_key: apiKey, session_token: session, email } = at.demo
  const shop = shopOf(at)
  await shop.mine(1)
  const invoices = async () => (await at.api('GET /v1/account/invoices?limit=200', session)) as { status: string }[]
  for (const status of ['underpaid', 'expired'])
    await until(status, async () => (await invoices()).some(invoice => invoice.status === status), WAIT_MS)

  const price = { amount: '5.00', currency: 'USD' }
  await shop.paid(await at.api('POST /v1/invoices', apiKey, { price, expires_in_secs: 86_400 }))
  await shop.loseToReorganisation(await shop.sell(550_000, 86_400))
  const pending = await shop.sell(600_000, 86_400, IDEMPOTENCY_KEY)
  const partlyPaid = await shop.sell(700_000, 86_400)
  await shop.pay(partlyPaid, 300_000)
  const refunded = await shop.sell(800_000, 86_400)
  await shop.finishSwap(await shop.swap(refunded), 'REFUNDED')
  const swapping = await shop.sell(900_000, 86_400)
  await shop.finishSwap(await shop.swap(swapping), 'PROCESSING')
  await until('the refund', () => receiver.count('swap.refunded') === 1, WAIT_MS)
  await shop.withdraw(3_000_000)
  const unpaidOut = await shop.withdraw(4_000_000)
  await shop.deposit(unpaidOut)
  const purchase = await at.api('POST /v1/account/billing/subscribe', second, { plan: 'Business' })
  const ofSecond = await at.api('POST /v1/invoices', secondKey, { amount_zat: 50_000, expires_in_secs: 86_400 })
  await visit(at, 'POST /sign-in', { form: { email: NEWCOMER } })

  receiver.respondWith(500)
  const unreported = await shop.sell(1_200_000, 86_400)
  await shop.pay(unreported)
  await shop.mine(3)
  await shop.becomes(unreported, 'paid')
  const mailed = await visit(at, `POST /i/${unreported.id}/receipt/mail`, { form: { email: BUYER } })
  if (mailed.status !== 303) throw new Error(`the mail of a receipt was refused: ${mailed.status}`)
  await until('a failed attempt', () => receiver.refused > 0, WAIT_MS)
  await until(
    'its record',
    async () => {
      const attempts = await at.api('GET /v1/account/webhook/deliveries', session)
      return attempts.some((attempt: { status_code: number }) => attempt.status_code === 500)
    },
    WAIT_MS,
  )
  const confirming = await shop.sell(1_000_000, 86_400)
  await shop.pay(confirming)
  await shop.mine(1)
  await shop.becomes(confirming, 'detected')
  const unmined = await shop.sell(1_100_000, 86_400)
  await shop.pay(unmined)
  await shop.becomes(unmined, 'detected')
  const recordedAt = Math.floor(Date.now() / 1000)
  await backUp(at)

  const merchants: Merchant[] = [
    { email, apiKey, sessionToken: session },
    { email: SECOND, apiKey: secondKey, sessionToken: second, viewingKey },
  ]
  const sales = { pending, partlyPaid, swapping, confirming, unmined, unreported, purchase, ofSecond }
  const facts: Facts = {
    recordedAt,
    encryptionKey: checkout.encryptionKey,
    webhook: { url: receiver.url, secret },
    idempotencyKey: IDEMPOTENCY_KEY,
    merchants,
    invoices: Object.fromEntries(Object.entries(sales).map(([name, { id }]) => [name, id])),
    unpaidOut: unpaidOut.id,
    responses: await readAll(at, merchants),
    soldLater: [],
  }
  const soldLater: string[] = []
  for (let i = 0; i < 5; i++) soldLater.push((await shop.sell(60_000)).address)
  await at.stop()
  return { ...facts, soldLater }
}

/** A PNG of one pixel. */
const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function setUpStore({ url, api, demo }: Installation): Promise<void> {
  await api('PATCH /v1/account/store', demo.session_token, { name: 'The demo shop' })
  const { status } = await fetch(`${url}/v1/account/store/logo`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${demo.session_token}`, 'content-type': 'image/png' },
    body: Buffer.from(LOGO, 'base64'),
  })
  if (status !== 200) throw new Error(`the logo was refused: ${status}`)
}

/** Every list and invoice of the merchants, by request line and merchant. */
async function readAll(at: Installation, merchants: readonly Merchant[]): Promise<Facts['responses']> {
  const responses: Facts['responses'][number][] = []
  for (const { email, sessionToken } of merchants) {
    const read = async (line: string) => {
      const body = await at.api(line, sessionToken)
      responses.push({ email, line, body })
      return body
    }
    await read('GET /v1/account')
    await read('GET /v1/account/billing')
    await read('GET /v1/account/api-keys')
    await read('GET /v1/account/withdrawals')
    await read('GET /v1/account/webhook/deliveries?limit=200')
    for (const { id } of await read('GET /v1/account/invoices?limit=200')) await read(`GET /v1/invoices/${id}`)
  }
  return responses
}

interface Sold {
  readonly id: string
  readonly address: string
  readonly zip321_uri: string
}

/** The actions of the demo account's shop and its buyers. */
function shopOf(at: Installation) {
  const { api_key: apiKey, session_token: session } = at.demo

  async function sell(amountZat: number, expiresInSecs = 900, idempotencyKey?: string): Promise<Sold> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    return at.api('POST /v1/invoices', apiKey, { amount_zat: amountZat, expires_in_secs: expiresInSecs }, headers)
  }

  async function pay({ zip321_uri: uri }: Pick<Sold, 'zip321_uri'>, amountZat?: number): Promise<void> {
    await at.control('POST /pay', { uri, ...(amountZat !== undefined && { amount_zat: amountZat }) })
  }

  async function mine(blocks: number): Promise<void> {
    await at.control('POST /mine', { blocks })
  }

  async function becomes({ id }: Pick<Sold, 'id'>, status: string): Promise<void> {
    await until(status, async () => (await at.api(`GET /v1/invoices/${id}`, null)).status === status, WAIT_MS)
  }

  async function paid(sold: Sold, amountZat?: number): Promise<void> {
    await pay(sold, amountZat)
    await becomes(sold, 'detected')
    await mine(3)
    await becomes(sold, 'paid')
  }

  return {
    sell,
    pay,
    mine,
    becomes,
    paid,
    /** A reorganisation replaces the blocks of a paid invoice by others without its payment. */
    async loseToReorganisation(sold: Sold): Promise<void> {
      await paid(sold)
      const { txid } = await at.api(`GET /v1/invoices/${sold.id}`, null)
      await at.control('POST /reorg', { depth: 3, drop: [txid] })
      await mine(1)
    },
    /** Starts a swap in the first asset. @returns its deposit address */
    async swap({ id }: Sold): Promise<string> {
      const assets = (await at.api('GET /v1/swap/assets', null)) as { asset_id: string; symbol: string }[]
      const asset = assets.find(({ symbol }) => symbol === 'ETH') ?? assets[0]
      const refundTo = '0x2222222222222222222222222222222222222222'
      const quote = await at.api(`POST /v1/invoices/${id}/swap`, null, {
        asset_id: asset?.asset_id,
        refund_to: refundTo,
      })
      return quote.deposit_address
    },
    async finishSwap(depositAddress: string, outcome: string): Promise<void> {
      await at.control(`POST /swaps/${encodeURIComponent(depositAddress)}`, { outcome })
    },
    withdraw: (amountZat: number) =>
      at.api('POST /v1/account/withdrawals', session, {
        ...{ amount_zat: amountZat, fiat_currency: 'USD', payout_to: PAYOUT_TO },
      }),
    /** Pays the deposit of a withdrawal, and waits until it is confirmed. */
    async deposit(order: { readonly id: string; readonly zip321_uri: string }): Promise<void> {
      await pay(order)
      await mine(3)
      const status = async () => (await at.api(`GET /v1/account/withdrawals/${order.id}`, session)).status
      await until('the deposit', async () => (await status()) === 'payout_processing', WAIT_MS)
    },
  }
}

/** Signs in with a code that is mailed. @returns the session token */
async function signIn(at: Installation, email: string): Promise<string> {
  const asked = await visit(at, 'POST /sign-in', { form: { email } })
  const mailed = () => at.control(`GET /mail?to=${encodeURIComponent(email)}`) as Promise<{ code?: string }[]>
  const { code } = await until('the code', async () => (await mailed()).find(mail => mail.code !== undefined), WAIT_MS)
  const cookie = cookiesOf(asked.headers)
  const entered = await visit(at, 'POST /sign-in/code', { cookie, form: { code: code as string } })
  const [, token] = /__Host-zatgate=([^;]+)/.exec(cookiesOf(entered.headers)) ?? []
  if (token === undefined) throw new Error(`the sign-in failed: ${entered.status}`)
  return token
}

function cookiesOf(headers: Headers): string {
  return headers
    .getSetCookie()
    .map(cookie => cookie.split(';')[0])
    .join('; ')
}
