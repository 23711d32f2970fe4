/**
 * The average time, in seconds, from broadcasting a payment to its last required confirmation.
 *
 * @param confirmations blocks, the payment's own included
 * @param spacingSecs seconds between blocks at the height of the tip
 */
export function confirmationSecs(confirmations: number, spacingSecs: number): number {
  return confirmations * spacingSecs
}

/**
 * Formats a waiting time: "at once" for 0, "about 75 seconds", "about 4 minutes", "about 40 minutes". Seconds, and minutes
 * from ten on, are rounded to multiples of five. The next larger unit is used from two of it on.
 */
export function formatWaitingTime(secs: number): string {
  if (secs <= 0) return 'at once'
  const seconds = Math.max(5, roundedTo(5, secs))
  if (seconds < 120) return `about ${seconds} seconds`
  const minutes = roundedTo(secs < 570 ? 1 : 5, secs / 60)
  if (minutes < 120) return `about ${minutes} minutes`
  const hours = roundedTo(1, secs / 3_600)
  return hours < 48 ? `about ${hours} hours` : `about ${roundedTo(1, secs / 86_400)} days`
}

function roundedTo(step: number, value: number): number {
  return Math.round(value / step) * step
}
