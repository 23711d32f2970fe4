/** Decimal places of prices and USD values. */
const PLACES = 12
const SCALE = 10n ** BigInt(PLACES)

/** Formats smallest units as decimal text, with ".0" after whole numbers, like the provider. */
export function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${digits.slice(0, digits.length - decimals)}.${fraction === '' ? '0' : fraction}`
}

/** The USD value of an amount, with twelve decimal places, like the provider. */
export function formatUsd(amount: bigint, decimals: number, price: string): string {
  const usd = (amount * scaled(price)) / 10n ** BigInt(decimals)
  const digits = usd.toString().padStart(PLACES + 1, '0')
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`
}

/** Converts an amount of one asset to an amount of another asset of equal value, rounded up. */
export function convert(
  amount: bigint,
  from: { decimals: number; price: string },
  to: { decimals: number; price: string },
): bigint {
  const value = amount * scaled(from.price) * 10n ** BigInt(to.decimals)
  return divideUp(value, scaled(to.price) * 10n ** BigInt(from.decimals))
}

/** Adds basis points to an amount, rounded up; negative basis points reduce it. */
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
