/** An amount of ZEC in whole zat. 1 ZEC = 100,000,000 zat. */
export type Zat = bigint

export const ZAT_PER_ZEC: Zat = 100_000_000n

/** The total supply: the largest amount of any request or payment. */
export const MAX_ZAT: Zat = 2_100_000_000_000_000n

export function sumZat(amounts: Iterable<Zat>): Zat {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}
