/** Decimal places that prices and dollars are reckoned with. */
const PLACES = 12
const SCALE = 10n ** BigInt(PLACES)

/** Smallest units as decimal text. Like the provider, with ".0" where nothing follows the point. */
export function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${digits.slice(0, digits.length - decimals)}.${fraction === '' ? '0' : fraction}`
}

/** What an amount is worth in USD, to twelve places, as the provider gives it. */
export function formatUsd(amount: bigint, decimals: number, price: string): string {
  const usd = (amount * scaled(price)) / 10n ** BigInt(decimals)
  const digits = usd.toString().padStart(PLACES + 1, '0')
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`
}

/** How much of one asset is worth an amount of the other, rounded up. */
export function convert(
  amount: bigint,
  from: { decimals: number; price: string },
  to: { decimals: number; price: string },
): bigint {
  const value = amount * scaled(from.price) * 10n ** BigInt(to.decimals)
  return divideUp(value, scaled(to.price) * 10n ** BigInt(from.decimals))
}

/** An amount with so many basis points on top, rounded up; negative ones take off. */
export function withBasisPoints(amount: bigint, basisPoints: number): bigint {
  return divideUp(amount * BigInt(10_000 + basisPoints), 10_000n)
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

function scaled(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(PLACES, '0').slice(0, PLACES))
}
