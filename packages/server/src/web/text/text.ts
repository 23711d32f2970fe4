import { acceptedLocale, type PageLocale, pageLocale } from '../../domain/locale.ts'
import { formatZec, type Zat } from '../../domain/money.ts'
import { type Child, Html, html } from '../html.ts'
import { CATALOG, type MessageName } from './catalog.ts'
import type { Message } from './message.ts'

/** Values of a message by their names. `count` chooses the plural form. */
export type Values = Readonly<Record<string, Exclude<Child, readonly Child[]>>>

const TIME = {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
  numberingSystem: 'latn',
} as const

const PLACEHOLDER = /\{(\w+)\}/g
const LINK = /\[([^\]]+)\]\((\w+)\)/g
const LINK_OR_PLACEHOLDER = new RegExp(`${LINK.source}|${PLACEHOLDER.source}`, 'g')

/** The messages, numbers and dates of one language. */
export class Text<Name extends string = MessageName> {
  readonly locale: PageLocale
  readonly direction: 'ltr' | 'rtl'
  readonly #messages: Readonly<Record<Name, Message>>
  /** Made when it is needed: the first one loads 7 MB of Unicode data. */
  #plural: Intl.PluralRules | undefined

  constructor(locale: PageLocale, messages: Readonly<Record<Name, Message>>) {
    this.locale = locale
    this.direction = locale === 'ar' ? 'rtl' : 'ltr'
    this.#messages = messages
  }

  /** A message as HTML. Values are escaped, and isolated from the direction of the text around them. */
  say(name: Name, values: Values = {}): Html {
    const markup = escapeText(this.#form(name, values)).replace(/\*([^*]+)\*/g, '<b>$1</b>')
    const isolated = (_: string, value: string): string => isolate(this.#value(value, values))
    return new Html(
      markup.replace(LINK_OR_PLACEHOLDER, (placeholder, linked?: string, address?: string) => {
        if (linked === undefined || address === undefined) return placeholder.replace(PLACEHOLDER, isolated)
        return html`<a href="${values[address]}">${new Html(linked.replace(PLACEHOLDER, isolated))}</a>`.text
      }),
    )
  }

  /** A message as plain text, for titles, attributes and mails. */
  plain(name: Name, values: Values = {}): string {
    const text = this.#form(name, values).replaceAll('*', '').replace(LINK, '$1')
    return text.replace(PLACEHOLDER, (_, value: string) => String(this.#value(value, values) ?? ''))
  }

  /** A whole or decimal number, exact: `1234.50` → `1,234.50`. Digits are Latin in every language, as wallets have them. */
  number(decimal: string | number | bigint): string {
    const fraction = String(decimal).split('.')[1]?.length ?? 0
    const digits = { minimumFractionDigits: fraction, maximumFractionDigits: fraction }
    return numberFormat(this.locale, digits).format(decimal as Intl.StringNumericLiteral)
  }

  /** `1,222.31 EUR` */
  money(amount: string, currency: string): string {
    return `${this.number(amount)} ${currency}`
  }

  /** `0.025 ZEC` */
  zec(amount: Zat): string {
    return this.money(formatZec(amount), 'ZEC')
  }

  /** `29 November 2026 at 02:40 UTC` @param unixSecs Unix seconds */
  time(unixSecs: number): string {
    return new Intl.DateTimeFormat(this.locale, TIME).format(unixSecs * 1000)
  }

  /** `4 minutes` */
  duration(count: number, unit: 'second' | 'minute' | 'hour' | 'day'): string {
    return numberFormat(this.locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  }

  #form(name: Name, { count }: Values): string {
    const message: Message = this.#messages[name]
    if (typeof message === 'string') return message
    this.#plural ??= new Intl.PluralRules(this.locale)
    return message[this.#plural.select(Number(count))] ?? message.other
  }

  #value(name: string, values: Values): Child {
    const value = values[name]
    return typeof value === 'number' ? this.number(value) : value
  }
}

const texts = new Map<PageLocale, Text>()

export function textIn(locale: PageLocale): Text {
  const found = texts.get(locale) ?? new Text(locale, CATALOG[locale])
  texts.set(locale, found)
  return found
}

/** The sources of a page's language, the most important first. */
interface LanguageWishes {
  /** Chosen on the page: `lang` of its query. */
  readonly chosen?: string | null | undefined
  /** Given by the shop for this buyer: the locale of the invoice. */
  readonly given?: string | null | undefined
  /** The header of the browser. */
  readonly accepted?: string | undefined
  /** The default language of the shop. */
  readonly standard?: string | null | undefined
}

export function textFor({ chosen, given, accepted, standard }: LanguageWishes): Text {
  const locale =
    pageLocale(chosen ?? '') ?? pageLocale(given ?? '') ?? acceptedLocale(accepted ?? '') ?? pageLocale(standard ?? '')
  return textIn(locale ?? 'en')
}

const formats = new Map<string, Intl.NumberFormat>()

/** Building a format is slow. There are few: by language, unit and number of decimals, of which a price has at most twelve. */
function numberFormat(locale: PageLocale, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, { ...options, numberingSystem: 'latn' })
  formats.set(key, format)
  return format
}

function escapeText(text: string): string {
  return html`${text}`.text
}

function isolate(value: Child): string {
  return html`<bdi>${value}</bdi>`.text
}
