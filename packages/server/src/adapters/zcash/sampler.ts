/**
 * Chooses about one item in `mean`, at most one at a time, and the first item of all. Called with the number of the next items; returns
 * the number of the chosen one among them, or undefined.
 */
export function createSampler(mean: number, random: () => number = Math.random): (count: number) => number | undefined {
  let until = 0
  return count => {
    if (until >= count) {
      until -= count
      return undefined
    }
    const chosen = until
    until = Math.max(0, chosen + Math.floor(random() * 2 * mean) + 1 - count)
    return chosen
  }
}
