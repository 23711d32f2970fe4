/**
 * Lists are counted up to here: counting more would take as long as there are rows. A count above it is this number and
 * one, shown as `1,000+`.
 */
export const MAX_COUNT = 1_000

/** Rows of a filtered list are counted and summed up to here. */
export const MAX_TOTALLED = 10_000

/** Metrics count rows of the database up to here. */
export const MAX_MEASURED = 10_000

/** `1,000+` for a count that stopped. @param max at which it stopped */
export function formatCount(count: number, max: number = MAX_COUNT): string {
  return count > max ? `${max.toLocaleString('en-US')}+` : count.toLocaleString('en-US')
}

/** How many are not listed: `and 12 more`. Empty when all are. */
export function formatRest(count: number, listed: number): string {
  if (count > MAX_COUNT) return 'and more'
  return count > listed ? `and ${formatCount(count - listed)} more` : ''
}
