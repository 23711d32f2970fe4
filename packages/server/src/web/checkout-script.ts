import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { PAGE_LOCALES, type PageLocale } from '../domain/locale.ts'
import { compressible } from './compression.ts'
import { textIn } from './text/text.ts'

/** The script, a function of its texts. It is served without comments and most spaces. */
const SOURCE = readFileSync(new URL('assets/checkout.js', import.meta.url), 'utf8')
  .replace(/^\s*(?:\/\*|\*|\/\/).*\n/gm, '')
  .replace(/^ +/gm, '')
  .replace(/ *([{};]) */g, '$1')

/** In the order in which the script reads them. */
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

/** Serves `checkout.js`, which pages of shops load. Its path has no version, so browsers soon ask whether it has changed. */
export function checkoutScriptRoute(app: FastifyInstance): void {
  const script = Buffer.from(SOURCE.replace('(TEXTS)', () => `(${JSON.stringify(textsByLocale())})`))
  const encoded = compressible(script)
  // Weak: it is that of every encoding.
  const etag = `W/"${createHash('sha256').update(script).digest('hex').slice(0, 16)}"`
  app.get(
    '/checkout.js',
    { config: { rate: 'read', access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      reply.headers({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
        'cross-origin-resource-policy': 'cross-origin',
        etag,
        vary: 'accept-encoding',
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type('text/javascript; charset=utf-8').send(await encoded(request, reply))
    },
  )
}
