import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Html } from './html.ts'
import { renderMarkdown } from './markdown.ts'

/** A document for merchants and their developers that the service shows. */
export interface Guide {
  /** Below the root of the project. */
  readonly file: string
  readonly title: string
  readonly about: string
}

/** By the last part of their path, in the order of a reader. */
export const GUIDES: Readonly<Record<string, Guide>> = {
  'first-invoice': {
    file: 'docs/first-invoice.md',
    title: 'Your first invoice',
    about: 'Create an invoice, pay it, and receive its webhook: first in the sandbox, then on a real network.',
  },
  checkout: {
    file: 'docs/checkout.md',
    title: 'The checkout',
    about: 'Send the buyer to the page of the invoice, show it in a frame, or build your own.',
  },
  plugins: {
    file: 'docs/plugins.md',
    title: 'Shop plugins',
    about: 'Connect a shop whose plugin was made for BTCPay Server: what to enter where, and what was tested.',
  },
  webhooks: {
    file: 'docs/webhooks.md',
    title: 'Webhooks',
    about: 'What to do with each event, the rules of a receiver, and receivers in Node and Go.',
  },
  events: {
    file: 'docs/events.md',
    title: 'Events',
    about: 'Read all events in order, forward them to your machine, and make them happen in the sandbox.',
  },
  sdk: {
    file: 'packages/sdk/README.md',
    title: 'TypeScript and JavaScript',
    about: 'A typed client, and webhooks in Node, Express and Fastify.',
  },
  python: {
    file: 'docs/python.md',
    title: 'Python',
    about: 'Create an invoice, verify a webhook and reconcile every night, with the standard library.',
  },
  php: {
    file: 'docs/php.md',
    title: 'PHP',
    about: 'Create an invoice, verify a webhook and reconcile every night, without a library.',
  },
  clients: {
    file: 'docs/clients.md',
    title: 'Generated clients',
    about: 'Generate a client in Python, Go or another language from the OpenAPI document.',
  },
  swaps: {
    file: 'docs/swaps.md',
    title: 'Payments in other assets',
    about: 'Let the buyer pay in another asset through a swap provider.',
  },
  links: {
    file: 'docs/links.md',
    title: 'Payment links',
    about: 'Sell without a shop, take donations, or charge at a counter.',
  },
  refunds: { file: 'docs/refunds.md', title: 'Refunds', about: 'Pay a buyer back from your own wallet.' },
  wallets: { file: 'docs/wallets.md', title: 'Wallets', about: 'Wallets that can pay and receive.' },
  privacy: { file: 'docs/privacy.md', title: 'Privacy', about: 'Who learns what.' },
  errors: { file: 'docs/errors.md', title: 'Errors of the API', about: 'Every code, and what to do.' },
  troubleshooting: {
    file: 'docs/troubleshooting.md',
    title: 'Messages and what to do',
    about: 'Messages of the service and its command, with their causes.',
  },
}

const ROOT = new URL('../../../../', import.meta.url)

/** The path of the list of guides. */
export const GUIDES_PATH = '/docs/guides'

/** Errors of the API link to `/docs/errors`, so that page is not below the list. */
export function guidePath(name: string): string {
  return name === 'errors' ? '/docs/errors' : `${GUIDES_PATH}/${name}`
}

const texts = new Map<string, Promise<string>>()

/** The text of a document, which is read once. @param file below the root of the project */
export function readGuide(file: string): Promise<string> {
  const text = texts.get(file) ?? readFile(new URL(file, ROOT), 'utf8')
  texts.set(file, text)
  text.catch(() => texts.delete(file))
  return text
}

/** The text of a guide as HTML. */
export async function renderGuide({ file }: Guide): Promise<Html> {
  return renderMarkdown(await readGuide(file), href => shownHref(file, href))
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
