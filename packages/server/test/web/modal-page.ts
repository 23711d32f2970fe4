import type { Page } from 'playwright-core'
import type { TestScope } from '../harness/container.ts'
import type { SandboxService } from '../harness/service.ts'
import type { TestBrowser } from './browser.ts'
import { serveShopPage } from './shop-page.ts'

export interface ModalShop {
  readonly page: Page
  readonly url: string
  /** Uncaught errors, and what the Content-Security-Policy has refused. */
  readonly errors: readonly string[]
}

interface ShopOptions {
  readonly browser: TestBrowser
  readonly body: string
  readonly javaScriptEnabled?: boolean
  /** Default: the origins of the service. */
  readonly frameSrc?: string
  readonly lang?: string
  /** Prepares the page before it is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

/** The link of an invoice. @param attributes other than `href` and `class` */
export function payLink(service: SandboxService, id: string, attributes = ''): string {
  return `<a class="zatgate" href="${service.url}/i/${id}" ${attributes}>Pay with Zcash</a>`
}

/** Opens the page of a shop on another site, whose policy allows no more than the documentation asks for. */
export async function openModalShop(t: TestScope, service: SandboxService, options: ShopOptions): Promise<ModalShop> {
  const { browser, body, javaScriptEnabled = true, frameSrc = service.url, lang = 'en' } = options
  const shop = await serveShopPage(
    `<!doctype html><html lang="${lang}"><head><meta name="viewport" content="width=device-width"><title>Shop</title>
    <script src="${service.url}/checkout.js" defer></script></head>
    <body><main><h1>Order 7</h1><p><a href="/cart">Cart</a></p><p>${body}</p></main></body></html>`,
    {
      'content-security-policy': `default-src 'none'; script-src ${service.url}; style-src 'self'; frame-src ${frameSrc}; require-trusted-types-for 'script'`,
      'cross-origin-embedder-policy': 'require-corp',
    },
  )
  t.after(() => shop.close())
  const page = await browser.openPage({ javaScriptEnabled })
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => void (/Content Security Policy/.test(message.text()) && errors.push(message.text())))
  await options.prepare?.(page)
  await page.goto(shop.url)
  if (javaScriptEnabled) await page.evaluate(RECORD)
  return { page, url: shop.url, errors }
}

/** Records the events of all links. */
const RECORD = `window.events = []
  for (const name of ['zatgate:status', 'zatgate:close'])
    document.addEventListener(name, ({ target, detail }) => events.push([name, target.id, detail]))`

export function eventsOn(page: Page): Promise<[name: string, link: string, detail: Record<string, string>][]> {
  return page.evaluate('window.events')
}
