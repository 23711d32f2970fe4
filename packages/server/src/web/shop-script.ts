import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { PAGE_LOCALES, type PageLocale } from '../domain/locale.ts'
import { compressible } from './compression.ts'
import { textIn } from './text/text.ts'

/** The scripts that pages of shops load. Each is a function of its texts. */
const SCRIPTS = { '/checkout.js': 'checkout.js', '/modal/btcpay.js': 'btcpay.js' } as const

/** A script without comments and most spaces. */
function sourceOf(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')
    .replace(/^\s*(?:\/\*|\*|\/\/).*\n/gm, '')
    .replace(/^ +/gm, '')
    .replace(/ *([{};]) */g, '$1')
}

/** In the order in which the scripts read them. */
function textsIn(locale: PageLocale): readonly string[] {
  const text = textIn(locale)
  const names = ['title_pay', 'modal_close', 'modal_loading', 'modal_open_page'] as const
  return [...names.map(name => text.plain(name)), text.plain('back_to', { shop: '{shop}' })]
}

/** The texts by language. One that says the same as English is left out. */
function textsByLocale(): Partial<Record<PageLocale, readonly string[]>> {
  const english = textsIn('en').join()
  const texts = PAGE_LOCALES.map(locale => [locale, textsIn(locale)] as const)
  return Object.fromEntries(texts.filter(([locale, text]) => locale === 'en' || text.join() !== english))
}

/** Serves the scripts. Their paths have no version, so browsers soon ask whether they have changed. */
export function shopScriptRoutes(app: FastifyInstance): void {
  const texts = JSON.stringify(textsByLocale())
  for (const [path, name] of Object.entries(SCRIPTS)) {
    const script = Buffer.from(sourceOf(name).replace('(TEXTS)', () => `(${texts})`))
    const encoded = compressible(script)
    // Weak: it is that of every encoding.
    const etag = `W/"${createHash('sha256').update(script).digest('hex').slice(0, 16)}"`
    app.get(path, { config: { rate: 'read', access: 'public' } }, async (request, reply) => {
      reply.headers({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
        'cross-origin-resource-policy': 'cross-origin',
        etag,
        vary: 'accept-encoding',
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type('text/javascript; charset=utf-8').send(await encoded(request, reply))
    })
  }
}
