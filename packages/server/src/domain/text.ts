import { invalidField } from './error.ts'

/**
 * Characters that a reader cannot see or that change the order in which others are read: control and format characters
 * (bidirectional overrides, zero-width spaces and joiners), line and paragraph separators, unpaired surrogates, blanks
 * that are no spaces, and variation selectors that do not follow a pictograph.
 */
const UNPRINTABLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800]|(?!\uFE0F)\p{Default_Ignorable_Code_Point}|(?<!\p{Extended_Pictographic})\uFE0F/u
const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu')
/** A line of text may be indented, and a text has lines. */
const LAYOUT = /^[\t\n\r]$/

/** Whether people can read all of the text, on one line and in one way. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text)
}

/**
 * Checks a name or another text that is shown to people.
 * @param maxChars in UTF-16 code units
 * @throws AppError `invalid_<field>` for a blank or too long text, and for one with unprintable characters
 */
export function requirePrintableLine(field: string, text: string, maxChars: number): void {
  if (text.length > maxChars || text.trim() === '' || !isPrintable(text))
    throw invalidField(field, `1 to ${maxChars} characters on one line, not blank, without invisible ones`)
}

/** Shows each unprintable character as its code point: `\u{202e}`. Tabs and line ends stay. */
export function showUnprintable(text: string): string {
  return text.replace(ALL_UNPRINTABLE, character =>
    LAYOUT.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}

/** Removes unprintable characters and the spaces around the text, as text copied from documents has them. */
export function withoutUnprintable(text: string): string {
  return text.replace(ALL_UNPRINTABLE, '').trim()
}

const MARKS_AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu

/** Removes spaces and format characters around the text: mail programs and address books add marks of direction. */
export function withoutMarksAround(text: string): string {
  return text.replace(MARKS_AROUND, '')
}

const WIDE = /[\uff01-\uff5e]/g
const WIDE_OFFSET = 0xfee0

/** Replaces the full-width forms of ASCII characters, which Japanese and Chinese keyboards type. */
export function withNormalWidth(text: string): string {
  return text.replace(WIDE, character => String.fromCharCode(character.charCodeAt(0) - WIDE_OFFSET))
}

/** Replaces the decimal digits of every script by those of ASCII. Digits of a script are ten consecutive code points. */
export function withAsciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, digit => {
    const code = digit.codePointAt(0) ?? 0
    let value = 0
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
    return String(value)
  })
}

/** Writes each unprintable character in a JSON text without line ends as the escapes of its code units. */
export function escapeUnprintable(json: string): string {
  return json.replace(ALL_UNPRINTABLE, character =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/**
 * Foreign text as the database can store it: at most `maxChars` UTF-16 code units, without NUL, which PostgreSQL refuses,
 * and without unpaired surrogates.
 */
export function storableText(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replaceAll('\0', '\ufffd').toWellFormed()
}
