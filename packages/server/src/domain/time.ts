export const DAY_SECS = 86_400

/** The start of the UTC day, in Unix seconds. */
export function startOfDay(unixSecs: number): number {
  return unixSecs - (unixSecs % DAY_SECS)
}

/** The start of the UTC week, a Monday. The first day of Unix time was a Thursday. */
export function startOfWeek(unixSecs: number): number {
  const day = Math.floor(unixSecs / DAY_SECS)
  return (day - ((day + 3) % 7)) * DAY_SECS
}

export function startOfMonth(unixSecs: number): number {
  const date = new Date(unixSecs * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000
}

/** The UTC month of a time, as `2026-11`. */
export function formatMonth(unixSecs: number): string {
  const date = new Date(unixSecs * 1000)
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`
}

export function startOfNextMonth(unixSecs: number): number {
  const date = new Date(unixSecs * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000
}

/** Parses `YYYY-MM-DD` to the start of that UTC day. Null for invalid dates. */
export function parseDay(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const ms = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? null : ms / 1000
}

/** ISO 8601 in UTC, with milliseconds: `2026-11-22T09:43:05.000Z`. */
export function formatIsoMs(unixSecs: number): string {
  return new Date(unixSecs * 1000).toISOString()
}

/** ISO 8601 in UTC, to the second: `2026-11-22T09:43:05Z`. */
export function formatIso(unixSecs: number): string {
  return formatIsoMs(unixSecs).replace('.000', '')
}

/** A readable UTC time, to the second: `2026-11-22 09:43:05 UTC`. */
export function formatUtc(unixSecs: number): string {
  return `${formatIsoMs(unixSecs).slice(0, 19).replace('T', ' ')} UTC`
}

/** A readable UTC time, to the minute: `2026-11-22 09:43 UTC`. */
export function formatUtcMinute(unixSecs: number): string {
  return `${formatIsoMs(unixSecs).slice(0, 16).replace('T', ' ')} UTC`
}

/** The last second of the year 9999, in Unix seconds: the latest time that ISO 8601 dates with four-digit years express. */
export const MAX_DATE_SECS = 253_402_300_799
