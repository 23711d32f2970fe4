import type { FastifyInstance } from 'fastify'
import { PAGE_LOCALES, type PageLocale } from '../domain/locale.ts'
import { queryFields } from './forms.ts'
import { embedHeaders } from './headers.ts'
import { LANGUAGE_NAMES } from './text/languages.ts'

/** The languages of the pages as clients of BTCPay's API spell them, where that differs from the tag. */
const LANGUAGE_CODES: Readonly<Partial<Record<PageLocale, string>>> = {
  ...{ es: 'es-ES', de: 'de-DE', fr: 'fr-FR', pt: 'pt-PT', it: 'it-IT', nl: 'nl-NL' },
  ...{ ja: 'ja-JP', zh: 'zh-SP', ru: 'ru-RU' },
}

const LANGUAGES = PAGE_LOCALES.map(locale => ({
  code: LANGUAGE_CODES[locale] ?? locale,
  currentLanguage: LANGUAGE_NAMES[locale],
}))

/** Pages that scripts and plugins made for BTCPay Server use in addition to its API. */
export function greenfieldPages(app: FastifyInstance): void {
  const options = { config: { rate: 'read', access: 'public' } } as const

  /** The checkout, in the frame of `btcpay.js` or on its own. */
  app.get('/invoice', options, (request, reply) => {
    const { id = '', view, lang, theme } = queryFields(request)
    const checkout = `/i/${encodeURIComponent(id === '' ? 'none' : id)}`
    const kept = { ...(lang && { lang }), ...(theme && { theme }) }
    if (view !== 'modal') return reply.redirect(withQuery(checkout, lang ? { lang } : {}), 303)
    // The page that follows names who may frame it.
    reply.removeHeader('x-frame-options').headers(embedHeaders(null))
    return reply.redirect(withQuery(`${checkout}/embed`, { view, ...kept }), 303)
  })

  for (const path of ['/misc/lang', '/misc/lang/'])
    app.get(path, options, (_request, reply) => reply.header('access-control-allow-origin', '*').send(LANGUAGES))
}

function withQuery(path: string, fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(fields).toString()
  return query === '' ? path : `${path}?${query}`
}
