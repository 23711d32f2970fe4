import { Code, ConnectError } from '@connectrpc/connect'

const MAX_SUFFIXES = 20_000
const TXID_BYTES = 32

/**
 * The suffixes of txids to leave out, as beginnings of txids in display order, sorted.
 * @throws ConnectError INVALID_ARGUMENT when there are more than 20,000, or one is longer than a txid
 */
export function excludeHexOf(suffixes: readonly Uint8Array[]): string[] {
  if (suffixes.length > MAX_SUFFIXES) {
    const message = `GetMempoolTx: too many exclude txid suffixes: ${suffixes.length} (limit ${MAX_SUFFIXES})`
    throw new ConnectError(message, Code.InvalidArgument)
  }
  const long = suffixes.findIndex(({ length }) => length > TXID_BYTES)
  if (long >= 0) throw new ConnectError(`exclude txid ${long} is larger than 32 bytes`, Code.InvalidArgument)
  return suffixes.map(suffix => Buffer.from(suffix.toReversed()).toString('hex')).sort()
}

/**
 * The items that no entry excludes, as `MempoolFilter` in lightwalletd's frontend/service.go has them: an entry that
 * several items begin with excludes none of them, and of entries that begin with one another only the first counts.
 *
 * @param items sorted by `id`
 * @param exclude sorted beginnings of ids
 */
export function withoutExcluded<T extends { readonly id: string }>(
  items: readonly T[],
  exclude: readonly string[],
): T[] {
  let at = 0
  const entries = items.map(({ id }) => {
    while (at < exclude.length && exclude[at]! < id.slice(0, exclude[at]!.length)) at++
    return at < exclude.length && id.startsWith(exclude[at]!) ? at : undefined
  })
  const matches = Map.groupBy(entries, entry => entry)
  return items.filter((_, index) => entries[index] === undefined || matches.get(entries[index])!.length > 1)
}
