import type { PageLocale } from '../../domain/locale.ts'
import { de } from './de/index.ts'
import { en } from './en/index.ts'
import { es } from './es/index.ts'
import { fr } from './fr/index.ts'
import type { Translation } from './message.ts'

export type MessageName = keyof typeof en

/** All messages by language. */
export const CATALOG: Readonly<Record<PageLocale, Translation<typeof en>>> = {
  en,
  es,
  de,
  fr,
  pt: en,
  it: en,
  nl: en,
  ja: en,
  zh: en,
  ko: en,
  ru: en,
  tr: en,
  ar: en,
}
