/**
 * The average time, in seconds, from broadcasting a payment to its last required confirmation.
 *
 * @param confirmations blocks, the payment's own included
 * @param spacingSecs seconds between blocks at the height of the tip
 */
export function confirmationSecs(confirmations: number, spacingSecs: number): number {
  return confirmations * spacingSecs
}

interface WaitingTime {
  readonly count: number
  readonly unit: 'second' | 'minute' | 'hour' | 'day'
}

/**
 * A waiting time to tell; null for 0. Seconds, and minutes from ten on, are rounded to multiples of five. The next larger
 * unit is used from two of it on.
 */
export function waitingTime(secs: number): WaitingTime | null {
  if (secs <= 0) return null
  const seconds = Math.max(5, roundedTo(5, secs))
  if (seconds < 120) return { count: seconds, unit: 'second' }
  const minutes = roundedTo(secs < 570 ? 1 : 5, secs / 60)
  if (minutes < 120) return { count: minutes, unit: 'minute' }
  const hours = roundedTo(1, secs / 3_600)
  return hours < 48 ? { count: hours, unit: 'hour' } : { count: roundedTo(1, secs / 86_400), unit: 'day' }
}

/** `at once` for 0, `about 75 seconds`, `about 4 minutes`, `about 40 minutes`. */
export function formatWaitingTime(secs: number): string {
  const time = waitingTime(secs)
  return time === null ? 'at once' : `about ${time.count} ${time.unit}s`
}

function roundedTo(step: number, value: number): number {
  return Math.round(value / step) * step
}
