import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { type Html, html } from './html.ts'
import { renderMarkdown } from './markdown.ts'

/** A document for merchants and their developers that the service shows. */
interface Guide {
  /** Below the root of the project. */
  readonly file: string
  readonly title: string
}

/** By the last part of their path, in the order of a reader. */
export const GUIDES: Readonly<Record<string, Guide>> = {
  'first-invoice': { file: 'docs/first-invoice.md', title: 'Your first invoice' },
  checkout: { file: 'docs/checkout.md', title: 'The checkout' },
  webhooks: { file: 'docs/webhooks.md', title: 'Webhooks' },
  events: { file: 'docs/events.md', title: 'Events' },
  sdk: { file: 'packages/sdk/README.md', title: 'TypeScript and JavaScript' },
  clients: { file: 'docs/clients.md', title: 'Other languages' },
  swaps: { file: 'docs/swaps.md', title: 'Payments in other assets' },
  refunds: { file: 'docs/refunds.md', title: 'Refunds' },
  wallets: { file: 'docs/wallets.md', title: 'Wallets' },
  privacy: { file: 'docs/privacy.md', title: 'Privacy' },
  errors: { file: 'docs/errors.md', title: 'Errors of the API' },
  troubleshooting: { file: 'docs/troubleshooting.md', title: 'Messages and what to do' },
}

const ROOT = new URL('../../../../', import.meta.url)

export function guidePath(name: string): string {
  return `/docs/${name}`
}

/** The links to all guides. @param current the one that is shown */
export function guideLinks(current?: string): Html {
  const links = Object.entries(GUIDES).map(
    ([name, { title }]) =>
      html`<li><a href="${guidePath(name)}"${name === current && html` aria-current="page"`}>${title}</a></li>`,
  )
  return html`<h2>Guides</h2><ul>${links}</ul>`
}

/** The text of a guide as HTML. */
export async function renderGuide({ file }: Guide): Promise<Html> {
  return renderMarkdown(await readFile(new URL(file, ROOT), 'utf8'), href => shownHref(file, href))
}

/** Where a link of the document leads on this service. Null: to a file that is only in the checkout. */
function shownHref(file: string, href: string): string | null {
  if (/^(?:#|https?:\/\/)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = posix.join(posix.dirname(file), path)
  const name = Object.keys(GUIDES).find(key => GUIDES[key]?.file === target)
  if (name === undefined) return null
  return anchor === undefined ? guidePath(name) : `${guidePath(name)}#${anchor}`
}
