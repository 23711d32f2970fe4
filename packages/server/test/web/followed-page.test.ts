import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page, WebSocketRoute } from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { assertSamePage, createInvoice, noBrowser, openWithoutTimers, useBrowser } from './browser.ts'

const HOUR = 3_600
const UNSEEN = 'We can’t see the Zcash network right now.'
/** The page asks without a hint: while it is connected, and while it is not. */
const [RARELY_MS, OFTEN_MS] = [300_000, 5_000]
const SILENCE_MS = 75_000

describe('an open checkout page is notified of its changes', { skip: noBrowser(), timeout: 240_000 }, () => {
  const { openPage } = useBrowser()
  const clock = new SkewedClock()
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService({ clock })
  })
  after(() => harness?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const pay = ({ address }: Invoice, zec: string) =>
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=${zec}` })

  async function becomes(invoice: Invoice, ...statuses: string[]): Promise<void> {
    const read = async () => (await harness.service.invoices.read(invoice.publicId)).status
    await until(`the status ${statuses}`, async () => statuses.includes(await read()))
  }

  /** The requests of the open page to this service, and its WebSockets. */
  function recordRequests(page: Page): string[] {
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    page.on('websocket', socket => requests.push(socket.url()))
    return requests
  }

  async function openStopped({ publicId }: Invoice, prepare?: (page: Page) => Promise<void>): Promise<Page> {
    const page = await openPage()
    await prepare?.(page)
    await openWithoutTimers(page, `${harness.url}/i/${publicId}`)
    return page
  }

  test('of a network that cannot be seen, and that can be again', async () => {
    const invoice = await createInvoice(harness)
    const page = await openStopped(invoice)
    const { store } = harness.service
    await until('the chain to be read', async () => (await store.read(tx => tx.chain.syncedThrough())) > 0)
    await harness.sandbox.lightwalletd.setFaults({ down: true })
    clock.advance(300)
    await page.getByText(UNSEEN).waitFor()
    await harness.sandbox.lightwalletd.setFaults({ down: false })
    harness.sandbox.chain.mine(1)
    await page.getByText(UNSEEN).waitFor({ state: 'detached' })
    await assertSamePage(page)
  })

  test('and asks for nothing between them, except every five minutes', async () => {
    const invoice = await createInvoice(harness)
    let socket: WebSocketRoute | undefined
    const page = await openStopped(invoice, page =>
      page.routeWebSocket(/\/ws$/, route => {
        socket = route
        route.connectToServer()
      }),
    )
    const requests = recordRequests(page)
    /** With the heartbeats of the connection, which the clock of the page overtakes. */
    const runFor = async (ms: number) => {
      for (let ran = 0; ran < ms; ran += 30_000) {
        socket?.send('')
        await page.clock.runFor(30_000)
      }
    }
    await runFor(RARELY_MS - 90_000)
    assert.deepEqual(requests, [])
    await runFor(90_000)
    await until('a poll', () => requests.length > 0)
    assert.deepEqual(requests, [`${harness.url}/i/${invoice.publicId}`])
  })

  test('until it no longer changes: then it is quiet', async () => {
    const invoice = await createInvoice(harness)
    const page = await openStopped(invoice)
    pay(invoice, '0.025')
    await heading(page, 'Payment seen')
    harness.sandbox.chain.mine(3)
    await heading(page, 'Paid')
    const last = page.waitForResponse(response => response.url().endsWith(`/i/${invoice.publicId}`))
    clock.advance(HOUR)
    await last
    const requests = recordRequests(page)
    await page.clock.runFor(2 * RARELY_MS)
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await until('the answer to the reader who returns', () => requests.length > 0)
    assert.equal(requests.length, 1, requests.join())
  })

  test('also when its connection is lost: it asks by itself until it has another one', async () => {
    const invoice = await createInvoice(harness)
    let isOpen = true
    const routes: WebSocketRoute[] = []
    const page = await openStopped(invoice, page =>
      page.routeWebSocket(/\/ws$/, route => {
        routes.push(route)
        if (isOpen) route.connectToServer()
        else void route.close({ code: 1001 })
      }),
    )
    isOpen = false
    await routes[0]?.close({ code: 1001 })
    pay(invoice, '0.01')
    await becomes(invoice, 'pending')
    await until('the poll', async () => {
      await page.clock.runFor(OFTEN_MS)
      return page.getByText('0.01 ZEC has arrived.').isVisible()
    })
    isOpen = true
    const before = routes.length
    await until('another connection', async () => {
      await page.clock.runFor(30_000)
      return routes.length > before
    })
    pay(invoice, '0.015')
    await heading(page, 'Payment seen')
    await assertSamePage(page)
  })

  test('also when its connection is dead, which the browser has not noticed', async () => {
    const invoice = await createInvoice(harness)
    const routes: WebSocketRoute[] = []
    const page = await openStopped(invoice, page =>
      page.routeWebSocket(/\/ws$/, route => {
        const server = route.connectToServer()
        routes.push(route)
        if (routes.length > 1) return
        let messages = 0
        server.onMessage(message => {
          messages += 1
          if (messages === 1) route.send(message)
        })
      }),
    )
    pay(invoice, '0.025')
    await becomes(invoice, 'detected')
    await page.clock.runFor(SILENCE_MS)
    await heading(page, 'Payment seen')
    assert.equal(routes.length, 2)
    await assertSamePage(page)
  })

  test('also after the sleep of its device', async () => {
    const invoice = await createInvoice(harness)
    const sockets: string[] = []
    const page = await openPage()
    page.on('websocket', socket => sockets.push(socket.url()))
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    await until('the connection', () => sockets.length === 1)
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 1200_000 }')
    await until('another connection', () => sockets.length === 2)
    pay(invoice, '0.025')
    await heading(page, 'Payment seen')
  })
})
