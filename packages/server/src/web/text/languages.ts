import type { PageLocale } from '../../domain/locale.ts'

/** The names of the languages, each in itself. */
export const LANGUAGE_NAMES: Readonly<Record<PageLocale, string>> = {
  en: 'English',
  es: 'Español',
  de: 'Deutsch',
  fr: 'Français',
  pt: 'Português',
  it: 'Italiano',
  nl: 'Nederlands',
  ja: '日本語',
  zh: '简体中文',
  ko: '한국어',
  ru: 'Русский',
  tr: 'Türkçe',
  ar: 'العربية',
}
