import type { PageLocale } from '../../domain/locale.ts'
import { ar } from './ar/index.ts'
import { de } from './de/index.ts'
import { en } from './en/index.ts'
import { es } from './es/index.ts'
import { fr } from './fr/index.ts'
import { it } from './it/index.ts'
import { ja } from './ja/index.ts'
import { ko } from './ko/index.ts'
import type { Translation } from './message.ts'
import { nl } from './nl/index.ts'
import { pt } from './pt/index.ts'
import { ru } from './ru/index.ts'
import { tr } from './tr/index.ts'
import { zh } from './zh/index.ts'

export type MessageName = keyof typeof en

/** All messages by language. */
export const CATALOG: Readonly<Record<PageLocale, Translation<typeof en>>> = {
  en,
  es,
  de,
  fr,
  pt,
  it,
  nl,
  ja,
  zh,
  ko,
  ru,
  tr,
  ar,
}
