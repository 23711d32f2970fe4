import { systemClock } from '../../adapters/system/clock.ts'
import type { ViewingKeyTool } from '../../adapters/zcash/viewing-tool.ts'
import { expiryReason } from '../../domain/account/viewing-key.ts'
import { formatUtc } from '../../domain/time.ts'
import { nowSecs } from '../../ports/clock.ts'
import type { Output } from '../output.ts'

/**
 * Notes when the viewing key expires or has expired. An expired key is not an error here, because these commands only
 * read. The expiry height is printed without a verdict, because these commands have no chain to compare it with.
 */
export function reportKeyExpiry({ expiry }: ViewingKeyTool, out: Output): void {
  if (!expiry) return
  const now = nowSecs(systemClock)
  const { time, height } = expiry
  if (expiryReason(expiry, { now, tipHeight: null }) !== null) {
    out.note(`The viewing key has expired (${formatUtc(time ?? 0)}): do not use its addresses for new payments.`)
  } else if (time !== null) {
    out.note(`The viewing key expires on ${formatUtc(time)}.`)
  }
  if (height !== null) out.note(`The viewing key expires after block ${height}.`)
}
