/** The languages of the pages for buyers. */
export const PAGE_LOCALES = ['en', 'es', 'de', 'fr', 'pt', 'it', 'nl', 'ja', 'zh', 'ko', 'ru', 'tr', 'ar'] as const
