// A call takes some 120,000 arguments: an array that may be long is not passed to Math.min or Math.max.

/** The lowest of the values, at most `limit`. */
export function lowest(values: Iterable<number>, limit = Number.POSITIVE_INFINITY): number {
  let found = limit
  for (const value of values) found = Math.min(found, value)
  return found
}

/** The highest of the values, at least `limit`. */
export function highest(values: Iterable<number>, limit = Number.NEGATIVE_INFINITY): number {
  let found = limit
  for (const value of values) found = Math.max(found, value)
  return found
}
