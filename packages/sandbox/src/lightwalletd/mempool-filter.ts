import { Code, ConnectError } from '@connectrpc/connect'

const MAX_SUFFIXES = 20_000
const TXID_BYTES = 32

/**
 * Converts excluded txid suffixes (internal byte order) to sorted txid prefixes in display order.
 * @throws ConnectError INVALID_ARGUMENT for more than 20,000 suffixes, or for a suffix longer than a txid
 */
export function toExcludedPrefixes(suffixes: readonly Uint8Array[]): string[] {
  if (suffixes.length > MAX_SUFFIXES) {
    const message = `GetMempoolTx: too many exclude txid suffixes: ${suffixes.length} (limit ${MAX_SUFFIXES})`
    throw new ConnectError(message, Code.InvalidArgument)
  }
  const tooLong = suffixes.findIndex(({ length }) => length > TXID_BYTES)
  if (tooLong >= 0) throw new ConnectError(`exclude txid ${tooLong} is larger than 32 bytes`, Code.InvalidArgument)
  return suffixes.map(suffix => Buffer.from(suffix.toReversed()).toString('hex')).sort()
}

/**
 * Removes excluded items with the rules of `MempoolFilter` in lightwalletd's frontend/service.go: a prefix that matches
 * several items excludes none of them, and of prefixes that extend each other only the first counts.
 *
 * @param items sorted by `id`
 * @param exclude sorted prefixes of ids
 */
export function withoutExcluded<T extends { readonly id: string }>(
  items: readonly T[],
  exclude: readonly string[],
): T[] {
  let index = 0
  const matched = items.map(({ id }) => {
    while (index < exclude.length && exclude[index]! < id.slice(0, exclude[index]!.length)) index++
    return index < exclude.length && id.startsWith(exclude[index]!) ? index : undefined
  })
  const matches = Map.groupBy(matched, prefix => prefix)
  return items.filter((_, item) => matched[item] === undefined || matches.get(matched[item])!.length > 1)
}
