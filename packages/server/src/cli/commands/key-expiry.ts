import { systemClock } from '../../adapters/system/clock.ts'
import type { ViewingTool } from '../../adapters/zcash/viewing-tool.ts'
import { expiredSince } from '../../domain/viewing-key.ts'
import { nowSecs } from '../../ports.ts'
import { type Output, when } from '../output.ts'

/**
 * Tells people when the viewing key expires or did. An expired key is no error here: these commands only read. Its
 * expiry height is named and not judged, since they know no chain.
 */
export function noteExpiry({ expiry }: ViewingTool, out: Output, now = nowSecs(systemClock)): void {
  if (!expiry) return
  const { time, height } = expiry
  if (expiredSince(expiry, { now, tipHeight: null }) !== null) {
    out.note(`The viewing key has expired (${when(time ?? 0)}): give out no more addresses of it.`)
  } else if (time !== null) {
    out.note(`The viewing key expires on ${when(time)}.`)
  }
  if (height !== null) out.note(`The viewing key expires after block ${height}.`)
}
