import { parseDay } from '../domain/time.ts'
import { UsageError } from './usage.ts'

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?Z)?$/

/**
 * Parses `2026-01-31`, the start of that UTC day, or `2026-01-31T12:00:00Z`.
 * @returns Unix seconds
 * @throws UsageError that names the option
 */
export function parseDate(option: string, text: string): number {
  const [, date = '', hours = '0', minutes = '0', seconds = '0'] = DATE_TIME.exec(text) ?? []
  const day = parseDay(date)
  if (day === null || day < 0)
    throw new UsageError(`${option} must be a UTC date such as 2026-01-31 or 2026-01-31T12:00:00Z`)
  return day + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}
