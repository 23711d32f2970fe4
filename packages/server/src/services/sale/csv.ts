import { formatIso } from '../../domain/time.ts'

export interface CsvStyle {
  readonly separator: ',' | ';'
  readonly decimalSign: '.' | ','
}

export type CsvValue = string | number | boolean | null | undefined

/** The cells of a row by column. An absent one is empty. */
export type CsvCells = Readonly<Record<string, CsvValue>>

/** A line of RFC 4180. */
export function csvLine(values: readonly CsvValue[], { separator }: CsvStyle): string {
  return `${values.map(csvField).join(separator)}\r\n`
}

/** A decimal number with the sign of the style. */
export function csvDecimal(text: string | undefined, { decimalSign }: CsvStyle): string | undefined {
  return text?.replace('.', decimalSign)
}

/** A time in UTC that spreadsheets recognise. */
export function csvTime(unixSecs: number | null | undefined): string | null {
  return unixSecs === null || unixSecs === undefined ? null : formatIso(unixSecs).replace('T', ' ').replace('Z', '')
}

/**
 * How a formula begins: with a sign that a spreadsheet takes for `=`, `+`, `-` or `@`, after any spaces and invisible
 * characters, which some programs drop; or with a tab or a line end.
 */
const FORMULA =
  /^[\s\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20]|^[\t\r\n]/u

/**
 * Formats a CSV field. Text that a spreadsheet would run as a formula gets a leading apostrophe. Semicolons and tabs
 * separate fields in some countries, so text with them is quoted as well.
 */
export function csvField(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
