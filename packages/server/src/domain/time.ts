/** Calendar periods of UTC, as Unix seconds of their first instant. */
export const DAY_SECS = 86_400

export function startOfDay(unixSecs: number): number {
  return unixSecs - (unixSecs % DAY_SECS)
}

/** Weeks begin on Monday; the first day of Unix time was a Thursday. */
export function startOfWeek(unixSecs: number): number {
  const day = Math.floor(unixSecs / DAY_SECS)
  return (day - ((day + 3) % 7)) * DAY_SECS
}

export function startOfMonth(unixSecs: number): number {
  const date = new Date(unixSecs * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000
}

/** The month that an instant lies in, as `2026-11`. */
export function monthOf(unixSecs: number): string {
  return new Date(unixSecs * 1000).toISOString().slice(0, 7)
}

export function startOfNextMonth(unixSecs: number): number {
  const date = new Date(unixSecs * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000
}

/** The start of a day given as `YYYY-MM-DD`; null for what is no day. */
export function readDay(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const ms = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? null : ms / 1000
}

/** ISO 8601 in UTC, to the second. */
export function isoOf(unixSecs: number): string {
  return new Date(unixSecs * 1000).toISOString().replace('.000', '')
}

/** The minute that an instant lies in, for people: `2026-11-22 09:43 UTC`. */
export function utcMinute(unixSecs: number): string {
  return `${new Date(unixSecs * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** The last second of the year 9999: the last moment that can be written as a date. Unix seconds. */
export const LAST_SECOND = 253_402_300_799
