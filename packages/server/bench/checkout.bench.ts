import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import type { Browser, Page } from 'playwright-core'
import { openStore } from '../src/store/open.ts'
import { joined } from '../test/harness/service.ts'
import { openBrowser } from '../test/web/browser.ts'
import { count, printLine } from './report.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'
import { addShops } from './shops.ts'

const PAGES = 1_000
const IDLE_MS = 20_000
/** Until the connections are open and the memory of the start is released. */
const SETTLE_MS = 10_000
/** Pages that are opened at a time. */
const AT_ONCE = 50
const EVENT_MS = 10_000
const PAINTS = 5
const SLOWDOWN = 4
const GOALS = { bytes: 60 * 1024, cpuPercent: 5 }

/** The checkout page as a buyer loads it, and what a thousand open ones cost the process that serves them. */
async function run(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const sandbox = stack.adopt(await startSandbox(), it => it.close())
  const key = crypto.getRandomValues(Buffer.alloc(32))
  const databaseUrl = `sqlite:${join(folder, 'zatgate.db')}`
  await addShops(databaseUrl, key, { shops: 1, invoicesEach: PAGES })
  const service = await startServiceProcess({
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    MAX_WEBSOCKETS: String(PAGES),
    MAX_WEBSOCKETS_PER_CLIENT: String(PAGES),
    ENCRYPTION_KEY: key.toString('base64'),
    ...joined(sandbox),
  })
  stack.defer(() => service.stop())
  const ids = await invoiceIds(databaseUrl)
  const browser = await openBrowser()
  await measureVisits(browser, `${service.url}/i/${ids[0]}`)
  await browser.close()
  await measureOpenPages(service, ids, () => sandbox.chain.mine(1))
}

async function invoiceIds(databaseUrl: string): Promise<string[]> {
  const store = await openStore(databaseUrl)
  const account = await store.read(tx => tx.accounts.byEmail('shop0@example.org'))
  const invoices = await store.read(tx => tx.invoices.list(account!.id, { limit: PAGES }))
  await store.close()
  return invoices.map(({ publicId }) => publicId)
}

async function measureVisits(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  for (const visit of ['first', 'repeated']) {
    const page = await context.newPage()
    const { requests, bytes } = await load(page, url)
    const goal = visit === 'first' ? ` (goal < ${count(GOALS.bytes)})` : ''
    printLine(`${visit} visit of the checkout: ${requests} requests, ${count(bytes)} bytes over the wire${goal}`)
    await page.close()
  }
  const paints: number[] = []
  for (let painted = 0; painted < PAINTS; painted++) paints.push(await firstPaint(browser, url))
  const median = paints.sort((a, b) => a - b)[Math.floor(PAINTS / 2)]!
  printLine(`first contentful paint, a new browser context, CPU slowed down ${SLOWDOWN} times: ${median.toFixed(0)} ms`)
}

/** The requests until the page is quiet, and their bytes with headers. One from the cache of the browser has none. */
async function load(page: Page, url: string) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  let requests = 0
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    if (encodedDataLength > 0) requests += 1
    bytes += encodedDataLength
  })
  await page.goto(url)
  await page.waitForLoadState('networkidle')
  return { requests, bytes }
}

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  await page.goto(url)
  await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`)
  const ms = await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)
  await page.context().close()
  return ms
}

async function measureOpenPages(service: ServiceProcess, ids: readonly string[], event: () => void): Promise<void> {
  const cpuWhile = async (ms: number) => {
    const before = (await service.usage()).cpuMs
    await sleep(ms)
    return (await service.usage()).cpuMs - before
  }
  await sleep(SETTLE_MS)
  const atRest = (await cpuWhile(IDLE_MS)) / IDLE_MS
  const address = service.url.replace('http', 'ws')
  const sockets: WebSocket[] = []
  const opened: boolean[] = []
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const batch = ids
      .slice(from, from + AT_ONCE)
      .map(id => openPage(new WebSocket(`${address}/i/${id}/ws`), `${service.url}/i/${id}`))
    sockets.push(...batch.map(({ socket }) => socket))
    opened.push(...(await Promise.all(batch.map(({ isOpen }) => isOpen))))
  }
  const failed = opened.filter(isOpen => !isOpen).length
  await sleep(SETTLE_MS)
  const idle = (await cpuWhile(IDLE_MS)) / IDLE_MS
  printLine(
    `${count(PAGES - failed)} open pages between events: ${(idle * 100).toFixed(2)} % of a core (goal < ${GOALS.cpuPercent}), ` +
      `${(atRest * 100).toFixed(2)} % without them, ${failed} refused`,
  )
  event()
  const busyMs = (await cpuWhile(EVENT_MS)) - idle * EVENT_MS
  printLine(`the same pages at a block: ${busyMs.toFixed(0)} ms of CPU time more`)
  for (const socket of sockets) socket.close()
}

/** As the script of the page: a message without text keeps the connection, another one says that the page has changed. */
function openPage(socket: WebSocket, url: string) {
  const isOpen = new Promise<boolean>(resolve => {
    socket.addEventListener('message', ({ data }) => {
      const asked = data === '' ? Promise.resolve() : askForChanges(url)
      void asked.then(() => resolve(true))
    })
    socket.addEventListener('close', () => resolve(false))
  })
  return { socket, isOpen }
}

/** A page asks again later when this fails. */
async function askForChanges(url: string): Promise<void> {
  await fetch(url, { headers: { 'live-parts': 'changed' } })
    .then(response => response.text())
    .catch(() => undefined)
}

await run()
