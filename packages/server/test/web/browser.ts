import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, afterEach, before, describe } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type FrameLocator,
  type Page,
} from 'playwright-core'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { describePostgres } from '../harness/databases.ts'
import { findPostgres } from '../harness/postgres.ts'
import type { SandboxService } from '../harness/service.ts'

/** The first one has no window, and needs a fraction of the time. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const
const EXECUTABLE = process.env.ZATGATE_TEST_CHROMIUM || (PROGRAMS.find(existsSync) ?? PROGRAMS[1])

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A name of a local network, which browsers trust less than the machine itself.
  '--host-resolver-rules=MAP zatgate.lan 127.0.0.1',
]

/** The reason to skip browser tests, or false if Chromium is installed. @throws in CI, where it is required */
export function noBrowser(): string | false {
  if (existsSync(EXECUTABLE)) return false
  const reason = `no Chromium at ${EXECUTABLE}: set ZATGATE_TEST_CHROMIUM`
  if (process.env.CI === 'true') throw new Error(reason)
  return reason
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: FLAGS, timeout: 30_000 })
}

export interface TestBrowser {
  /** Opens a page with its own cookies, which is closed after the test. */
  openPage(options?: BrowserContextOptions): Promise<Page>
}

/** Starts a browser for the tests of the surrounding `describe`. */
export function useBrowser(): TestBrowser {
  let browser: Browser
  const contexts: BrowserContext[] = []
  before(async () => {
    browser = await openBrowser()
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map(context => context.close()))
  })
  after(() => browser?.close())
  return {
    async openPage(options) {
      const context = await browser.newContext(options)
      contexts.push(context)
      return context.newPage()
    },
  }
}

/** The setting of a new database. */
type NewDatabase = () => Promise<{ readonly databaseUrl?: string }>

/** Declares what is done in a browser, on PostgreSQL where it is installed: the other tests of pages use SQLite. */
export function inBrowser(name: string, declare: (newDatabase: NewDatabase) => void): void {
  describe(name, { skip: noBrowser(), timeout: 240_000 }, () => {
    if (findPostgres() === null) declare(async () => ({}))
    else
      describePostgres('PostgreSQL', server =>
        declare(async () => ({ databaseUrl: await server().migratedDatabase() })),
      )
  })
}

/** Opens a checkout with its timers stopped: it asks only when its WebSocket says that it has changed. */
export async function openWithoutTimers(page: Page, url: string): Promise<void> {
  await page.clock.install()
  const unchanged = page.waitForResponse(response => response.status() === 304)
  await page.goto(url)
  await unchanged
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.evaluate('window.marker = true')
}

/** Asserts that the page has not been loaded again since then. */
export async function assertSamePage(page: Page): Promise<void> {
  assert.equal(await page.evaluate('window.marker'), true)
}

/** Creates an invoice of 0.025 ZEC of the shop `shop@example.org`, with the viewing key of the sandbox. */
export async function createInvoice({ service, sandbox }: SandboxService): Promise<Invoice> {
  const { accounts, viewingKeys, invoices } = service
  const account = await accounts.findOrCreate('shop@example.org')
  const { account: ready } = await viewingKeys.set(account, sandbox.demoViewingKey)
  return invoices.create(ready, { amountZat: 2_500_000n, expiresInSecs: 3_600, idempotencyKey: undefined })
}

/** Signs in, or creates the account. */
export async function signInOnPage(page: Page, harness: SandboxService, email: string): Promise<void> {
  await page.goto(`${harness.url}/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByLabel('Code').fill(await harness.codeFor(email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/overview')
}

/** Addresses of a buyer, by chain. */
export const REFUND_TO: Readonly<Record<string, string>> = {
  Bitcoin: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  Ethereum: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  Base: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  Stellar: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
}

/** Chooses another asset, such as `BTC on Bitcoin`, and fills in the refund address. */
export async function chooseAsset(page: Page | FrameLocator, asset: string, refundTo?: string): Promise<void> {
  const [symbol, chain = ''] = asset.split(' on ')
  await page.getByRole('link', { name: new RegExp(`^${symbol} ${chain}`) }).click()
  await fillRefundTo(page, refundTo ?? REFUND_TO[chain] ?? '')
}

export async function fillRefundTo(page: Page | FrameLocator, refundTo: string): Promise<void> {
  await page.getByLabel('Where should we send it back').fill(refundTo)
}

/** Submits that form. */
export async function submitAsset(page: Page | FrameLocator): Promise<void> {
  await page.getByRole('button', { name: 'Show the exact amount' }).click()
}
