import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Public unicast by range, but internal: Azure's platform services for its virtual machines (metadata, DNS, health). */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16'])

/**
 * Returns why an address is blocked: the name of its special-purpose range (RFC 6890 and its successors); null for public
 * unicast. IPv4 embedded in IPv6 (mapped, NAT64, 6to4, Teredo) is always blocked.
 */
export function blockedReason(address: string): string | null {
  if (isIP(address) === 0) return 'not an address'
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range !== 'unicast') return range
  if (PLATFORM_ADDRESSES.has(parsed.toString())) return 'platform'
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return 'reserved'
  return null
}
