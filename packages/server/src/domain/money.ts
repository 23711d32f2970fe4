/** An amount of ZEC in whole zat. 1 ZEC = 100,000,000 zat. */
export type Zat = bigint

export const ZEC_DECIMALS = 8
export const ZAT_PER_ZEC: Zat = 10n ** BigInt(ZEC_DECIMALS)

/** The total supply: the largest amount of any request or payment. */
export const MAX_ZAT: Zat = 2_100_000_000_000_000n

export function sumZat(amounts: Iterable<Zat>): Zat {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}

/** Formats an amount in smallest units as a decimal number with exactly `decimals` places: 9850, 2 → `98.50`. */
export function formatFixed(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Formats an amount in smallest units as a decimal number, without trailing zeros. */
export function formatUnits(amount: bigint, decimals: number): string {
  const fixed = formatFixed(amount, decimals)
  return decimals === 0 ? fixed : fixed.replace(/\.?0+$/, '')
}

/** Formats zat as decimal ZEC: exact, without exponent or trailing zeros. 150000000 → `1.5`. */
export function formatZec(amountZat: Zat): string {
  return formatUnits(amountZat, ZEC_DECIMALS)
}
