/** The languages that the pages for buyers exist in, by their tags (BCP 47). The first is the language of last resort. */
export const PAGE_LOCALES = ['en', 'es', 'de', 'fr', 'pt', 'it', 'nl', 'ja', 'zh', 'ko', 'ru', 'tr', 'ar'] as const

export type PageLocale = (typeof PAGE_LOCALES)[number]

/** A header with more languages is read up to this one. */
const MAX_WANTED = 20

/** The page language of a tag: `pt-BR` → `pt`. Null: there is none, or the tag is not valid. */
export function pageLocale(tag: string): PageLocale | null {
  const [language] = tag.trim().toLowerCase().split('-')
  return PAGE_LOCALES.find(locale => locale === language) ?? null
}

/**
 * The first page language that a reader accepts, by quality and then by order. Null: none.
 * @param header `Accept-Language` (RFC 9110, section 12.5.4)
 */
export function acceptedLocale(header: string): PageLocale | null {
  const wanted = header.split(',', MAX_WANTED).map(item => {
    const [tag = '', ...parameters] = item.split(';')
    const quality = parameters.map(text => /^\s*q=([\d.]{1,5})\s*$/.exec(text)?.[1]).find(text => text !== undefined)
    return { locale: pageLocale(tag), quality: quality === undefined ? 1 : Number(quality) }
  })
  const accepted = wanted.filter(({ locale, quality }) => locale !== null && quality > 0)
  return accepted.sort((a, b) => b.quality - a.quality)[0]?.locale ?? null
}
