import assert from 'node:assert/strict'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Account } from '../../src/domain/account/account.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import type { LinkTerms } from '../../src/domain/sale/payment-link.ts'
import type { InvoiceRequest } from '../../src/services/sale/invoice-request.ts'
import { makePng } from '../adapters/image/images.ts'
import { createPlainNoteScanner } from '../harness/plain-note-scanner.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { testViewingKey } from '../harness/viewing-key.ts'
import { visit } from './visit.ts'

/** A page that a buyer can see. */
export interface BuyerState {
  /** The name of its pictures. */
  readonly name: string
  readonly url: string
  /** The heading of the page once it is in this state. */
  readonly heading: string
  /** Brings about the state in the browser, once the page is open. */
  readonly act?: (page: Page) => Promise<void>
}

/** The windows in which each state is looked at. */
export const STATE_VIEWS = [
  { name: 'phone-light', width: 360, height: 740, colorScheme: 'light' },
  { name: 'phone-dark', width: 360, height: 740, colorScheme: 'dark' },
  { name: 'desktop-light', width: 1_280, height: 800, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1_280, height: 800, colorScheme: 'dark' },
] as const

const HOUR = 3_600
const DAY = 24 * HOUR
const WRONG_ID = '6f1e5e2c-6c0a-4a2e-9d3c-0f5f3f1d2b4a'
const BTC = { asset_id: 'nep141:btc.omft.near', refund_to: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }
const XLM = {
  asset_id: 'nep245:v2_1.omni.hot.tg:1100_111bzQBB5v7AhLyPMDwS8uJgQV24KaAPXtwyVWu2KXbbfQU6NXRCz',
  refund_to: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
}

/** A shop on one service, and what happens to its invoices. */
interface Shop {
  readonly harness: SandboxService
  readonly clock: SkewedClock
  readonly account: Account
  /** @param terms default: a price of 25.00 EUR */
  sell(terms?: Partial<InvoiceRequest>): Promise<Invoice>
  /** @param part the share of what is due */
  pay(invoice: Invoice, part?: number): void
  read(invoice: Invoice): Promise<Invoice>
  /** Waits until the invoices are as they are expected. */
  all(what: string, invoices: readonly Invoice[], is: (invoice: Invoice) => boolean): Promise<void>
  stateOf(name: string, heading: string, invoice: Invoice, act?: BuyerState['act']): BuyerState
}

/** Brings real services into every state that a buyer can see. They are closed with the stack. */
export async function openBuyerStates(stack: AsyncDisposableStack): Promise<BuyerState[]> {
  const worlds = await Promise.all([
    openShop(stack).then(shop => ordinaryStates(shop)),
    openShop(stack).then(shop => reorganisedStates(shop)),
    openShop(stack).then(shop => unseenStates(shop)),
    limitedState(stack),
  ])
  return worlds.flat()
}

async function openShop(stack: AsyncDisposableStack): Promise<Shop> {
  // Everything that is repeated comes soon, as the questions to the swap provider.
  const clock = new SkewedClock({ factor: 5 })
  const harness = stack.adopt(await startSandboxService({ clock }), it => it.close())
  const { accounts, invoices, storeProfiles, viewingKeys } = harness.service
  await accounts.findOrCreate('shop@example.org')
  const found = await accounts.setPlan('shop@example.org', 'Business', null)
  const { account } = await viewingKeys.set(found, harness.sandbox.demoViewingKey)
  const profile = { name: 'Northwind Coffee', accent: '#0b6b4f', support: 'help@northwind.example' }
  await storeProfiles.change(account, profile, harness.url)
  await storeProfiles.setLogo(account, makePng(80, 80, { colour: [11, 107, 79, 255] }))
  const read = ({ publicId }: Invoice) => invoices.read(publicId)
  return {
    harness,
    clock,
    account,
    read,
    sell: terms => invoices.create(account, { ...ORDER, ...(terms ?? PRICED) }),
    pay({ address, dueZat }, part = 1) {
      harness.sandbox.wallet.pay({ uri: `zcash:${address}`, amount: BigInt(Math.round(Number(dueZat) * part)) })
    },
    all: (what, all, is) => until(what, async () => (await Promise.all(all.map(read))).every(is)).then(() => undefined),
    stateOf: (name, heading, { publicId }, act) => ({
      name,
      heading,
      url: `${harness.url}/i/${publicId}`,
      ...(act && { act }),
    }),
  }
}

const PRICED = { price: { amount: '25.00', currency: 'EUR' } } as const
const ORDER = {
  orderId: '1001',
  description: 'House blend, 1 kg',
  expiresInSecs: HOUR,
  successUrl: 'https://northwind.example/thanks',
  idempotencyKey: undefined,
} as const

const isClosed = ({ status }: Invoice) => status === 'expired' || status === 'underpaid'
const isPaid = ({ status }: Invoice) => status === 'paid'
const hasArrived = ({ receivedZat }: Invoice) => receivedZat > 0n

async function ordinaryStates(shop: Shop): Promise<BuyerState[]> {
  const past = await pastStates(shop)
  const { harness, account, sell, pay, all, stateOf } = shop
  const [paid, overpaid, refunded, confirming] = [await sell(), await sell(), await sell(), await sell()]
  pay(paid)
  pay(overpaid, 1.5)
  pay(refunded)
  harness.sandbox.chain.mine(2)
  pay(confirming)
  await all('a payment to be seen', [confirming], hasArrived)
  harness.sandbox.chain.mine(1)
  await all('the payments', [paid, overpaid, refunded, past.paidLate], isPaid)

  const [pending, seen, part, canceled, canceledPart] = await Promise.all(Array.from({ length: 5 }, () => sell()))
  const [markedSettled, markedPart, markedInvalid] = [await sell(), await sell(), await sell()]
  const open = await sell({ openAmount: true, minAmountZat: 1_000_000n, description: 'Tips' })
  for (const { publicId } of [canceled!, canceledPart!]) await harness.service.cancellations.cancel(account, publicId)
  pay(seen!)
  pay(part!, 0.4)
  pay(canceledPart!, 0.4)
  pay(markedPart, 0.4)
  pay(markedInvalid, 0.4)
  pay(past.seenLate)
  await all('the payments', [seen!, part!, canceledPart!, markedPart, markedInvalid, past.seenLate], hasArrived)
  const { marks } = harness.service
  for (const { publicId } of [markedSettled, markedPart]) await marks.mark(account, publicId, 'settled')
  await marks.mark(account, markedInvalid.publicId, 'invalid')
  return [
    stateOf('pay', 'Pay with Zcash', pending!),
    { ...stateOf('pay-help', 'Pay with Zcash', pending!), act: openDetails },
    await withoutProfile(shop),
    stateOf('open-amount', 'Choose the amount', open),
    stateOf('part-paid', 'Pay the rest', part!),
    stateOf('seen', 'Payment seen', seen!),
    stateOf('confirming', 'Payment seen', confirming),
    stateOf('paid', 'Paid', paid),
    stateOf('overpaid', 'Paid', overpaid),
    { name: 'receipt', heading: 'Receipt', url: `${harness.url}/i/${paid.publicId}/receipt` },
    stateOf('time-up', 'Pay with Zcash', pending!, runOutOfTime),
    ...past.states,
    stateOf('canceled', 'Canceled', canceled!),
    stateOf('canceled-part', 'Canceled', canceledPart!),
    stateOf('marked-settled', 'Nothing left to pay', markedSettled),
    stateOf('marked-settled-part', 'Nothing left to pay', markedPart),
    stateOf('marked-invalid-part', 'Canceled', markedInvalid),
    stateOf('offline', 'Pay with Zcash', pending!, goOffline),
    stateOf('unreachable', 'Pay with Zcash', pending!, loseServer),
    { name: 'wrong-link', heading: 'This payment link does not work', url: `${harness.url}/i/${WRONG_ID}` },
    ...(await refundStates(shop, refunded)),
    ...(await swapStates(shop)),
    ...(await linkStates(shop)),
  ]
}

/** Invoices whose time is over. The clock goes on by 39 days. */
async function pastStates({ clock, sell, pay, all, stateOf }: Shop) {
  const runOut = async (invoices: readonly Invoice[]) => {
    clock.advance(HOUR + 1)
    await all('the invoices to close', invoices, isClosed)
  }
  const gone = await sell()
  await runOut([gone])
  clock.advance(31 * DAY)
  const [over, overPart] = [await sell(), await sell()]
  pay(overPart, 0.4)
  await all('a part', [overPart], hasArrived)
  await runOut([over, overPart])
  clock.advance(7 * DAY + 1)
  const [late, short, paidLate, seenLate] = [await sell(), await sell(), await sell(), await sell()]
  pay(short, 0.4)
  await all('a part', [short], hasArrived)
  await runOut([late, short, paidLate, seenLate])
  pay(paidLate)
  await all('a late payment', [paidLate], hasArrived)
  return {
    paidLate,
    seenLate,
    states: [
      stateOf('late', 'Expired', late),
      stateOf('short', 'Pay the rest', short),
      stateOf('seen-late', 'Payment seen', seenLate),
      stateOf('paid-late', 'Paid', paidLate),
      stateOf('over', 'Expired', over),
      stateOf('over-part', 'Not paid in full', overPart),
      stateOf('gone', 'This page is no longer available', gone),
    ],
  }
}

/** The page of a shop that has set nothing, for an amount in ZEC. */
async function withoutProfile({ harness, stateOf }: Shop): Promise<BuyerState> {
  const { accounts, invoices, viewingKeys } = harness.service
  const { account } = await viewingKeys.set(await accounts.findOrCreate('plain@example.org'), testViewingKey(1))
  const terms = { amountZat: 2_500_000n, expiresInSecs: HOUR, idempotencyKey: undefined }
  return stateOf('pay-plain', 'Pay with Zcash', await invoices.create(account, terms))
}

async function refundStates({ harness, account }: Shop, { publicId }: Invoice): Promise<BuyerState[]> {
  const { refunds, refundLinks } = harness.service
  const create = async () => {
    const { refund } = await refunds.create(account, publicId, { amountZat: 100_000n, idempotencyKey: undefined })
    return refund.linkId
  }
  const [asked, given] = [await create(), await create()]
  const scanner = createPlainNoteScanner()
  const { incoming } = scanner.parseViewingKey(harness.sandbox.operatorViewingKey)
  const [address = ''] = await scanner.deriveAddresses(incoming, 'regtest', 1_000n, 1)
  await refundLinks.giveAddress(given, address)
  return [
    { name: 'refund', heading: 'Your refund', url: `${harness.url}/r/${asked}` },
    { name: 'refund-given', heading: 'Your refund is on its way', url: `${harness.url}/r/${given}` },
  ]
}

/** The sandbox's provider says what becomes of a swap; the service asks it every few seconds. */
async function swapStates(shop: Shop): Promise<BuyerState[]> {
  const { harness, sell } = shop
  const { oneclick } = harness.sandbox
  async function start(name: string, heading: string, form: Record<string, string>, outcome?: string) {
    const { publicId } = await sell()
    const { status, headers, text } = await visit(harness, `POST /i/${publicId}/swap`, { form })
    assert.equal(status, 303, text)
    const url = harness.url + headers.get('location')
    if (outcome !== undefined) oneclick.drive(oneclick.swaps()[0]!.depositAddress, { outcome })
    return { name, heading, url, outcome }
  }
  const { publicId } = await sell()
  const started = [
    await start('swap-deposit', 'Send your deposit', BTC),
    await start('swap-memo', 'Send your deposit', XLM),
    await start('swap-incomplete', 'Deposit too small', BTC, 'INCOMPLETE_DEPOSIT'),
    await start('swap-processing', 'Swap in progress', BTC, 'PROCESSING'),
    await start('swap-failed', 'Pay again', BTC, 'FAILED'),
    await start('swap-refunded', 'Pay again', BTC, 'REFUNDED'),
  ]
  for (const { url, outcome } of started)
    if (outcome !== undefined)
      await until(`a swap to be ${outcome}`, async () =>
        (await (await fetch(url)).text()).includes(`data-swap-status="${outcome}"`),
      )
  return [
    { name: 'swap-choose', heading: 'Pay with another asset', url: `${harness.url}/i/${publicId}/swap` },
    {
      name: 'swap-address',
      heading: 'BTC on Bitcoin',
      url: `${harness.url}/i/${publicId}/swap?asset=${encodeURIComponent(BTC.asset_id)}`,
    },
    ...started,
  ]
}

const LINK: LinkTerms = {
  title: 'House blend, 1 kg',
  description: 'Roasted on the day it is sent.',
  ...{ currency: 'EUR', amount: '25.00', minAmount: null, suggestedAmounts: [], stock: 5 },
  ...{ endsAt: null, fields: [{ label: 'Name on the parcel', required: true }], successUrl: null },
}
const DONATION = { amount: null, stock: null, minAmount: '1.00', suggestedAmounts: ['5.00', '10.00', '25.00'] }

/** Payment links, and the keypad of one. */
async function linkStates({ harness, account }: Shop): Promise<BuyerState[]> {
  const { paymentLinks, linkSales } = harness.service
  const create = (terms: Partial<LinkTerms> = {}) => paymentLinks.create(account, { ...LINK, ...terms }, harness.url)
  const [priced, donation, paused, till] = [
    await create(),
    await create({ ...DONATION, title: 'For our roof', fields: [] }),
    await create(),
    await create({ ...DONATION, title: 'Counter', fields: [] }),
  ]
  await paymentLinks.change(account, paused.publicId, { paused: true }, harness.url)
  const keypad = `/pos/${await paymentLinks.createKeypad(account, till.publicId)}`
  const secret = keypad.slice('/pos/'.length)
  harness.secrets.set('keypad', secret)
  const { publicId } = await linkSales.ring(secret, { amount: '12.50', formId: WRONG_ID })
  const state = (name: string, heading: string, path: string) => ({ name, heading, url: harness.url + path })
  return [
    state('link', LINK.title, `/l/${priced.publicId}`),
    state('link-donation', 'For our roof', `/l/${donation.publicId}`),
    state('link-paused', LINK.title, `/l/${paused.publicId}`),
    state('keypad', 'Counter', keypad),
    state('keypad-sale', 'Scan to pay', `${keypad}/sale/${publicId}`),
  ]
}

async function reorganisedStates({ harness, sell, pay, all, stateOf }: Shop): Promise<BuyerState[]> {
  const invoice = await sell()
  pay(invoice)
  harness.sandbox.chain.mine(3)
  await all('the payment', [invoice], isPaid)
  harness.sandbox.chain.reorg({ depth: 3 })
  await all('the reorganisation', [invoice], ({ needsAttention }) => needsAttention)
  return [stateOf('reorganised', 'Your payment is being confirmed again', invoice)]
}

async function unseenStates({ harness, clock, sell, stateOf }: Shop): Promise<BuyerState[]> {
  const { store, readiness } = harness.service
  const [invoice, timeUp] = [await sell(), await sell({ ...PRICED, expiresInSecs: 900 })]
  await until('the chain to be read', async () => (await store.read(tx => tx.chain.syncedThrough())) > 0)
  await harness.sandbox.lightwalletd.setFaults({ down: true })
  clock.advance(901)
  await until('the network to be unseen', async () => !(await readiness.isChainSeen()))
  const unseen = stateOf('chain-unseen', 'Pay with Zcash', invoice)
  const framed = { ...unseen, name: 'chain-unseen-framed', url: `${unseen.url}/embed` }
  return [unseen, framed, stateOf('time-up-unseen', 'The time is up', timeUp)]
}

/** A clock that nearly stands still gives no further requests. */
async function limitedState(stack: AsyncDisposableStack): Promise<BuyerState[]> {
  const options = { clock: new SkewedClock({ factor: 0.001 }), env: { RATE_LIMIT: '20' } }
  const harness = stack.adopt(await startSandboxService(options), it => it.close())
  const path = `/i/${WRONG_ID}`
  await until('the limit', async () => (await visit(harness, `GET ${path}`)).status === 429)
  return [{ name: 'rate-limited', heading: 'Too many requests', url: harness.url + path }]
}

const STALE = '[data-stale]'

async function openDetails(page: Page): Promise<void> {
  await page.evaluate(`for (const it of document.querySelectorAll('details')) it.open = true`)
}

async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await page.locator(STALE).waitFor()
}

/** The page shows it after the second failure, since the browser is online. */
async function loseServer(page: Page): Promise<void> {
  await page.route('**/i/**', route => route.fulfill({ status: 503, body: '' }))
  await until('the note', async () => {
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    return page.locator(STALE).isVisible()
  })
}

async function runOutOfTime(page: Page): Promise<void> {
  await page.route('**/i/**', route => route.fulfill({ status: 503, body: '' }))
  await page.evaluate('{ const now = Date.now; Date.now = () => now() + 3_700_000 }')
  await page.locator('[data-when-over]').first().waitFor()
}

/** Opens a page in a new context. */
export type OpenPage = (options: BrowserContextOptions) => Promise<Page>

/** Opens a page and brings it into its state. */
export async function openState(
  newPage: OpenPage,
  { url, heading, act }: BuyerState,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await newPage(options)
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  await act?.(page)
  return page
}
