import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Public by number, and yet a cloud's own: Azure answers its guests there (metadata, DNS, health). */
const PLATFORM = new Set(['168.63.129.16'])

/**
 * Why an address is not to be called: the name of its special range (RFC 6890 and its successors), or null when it is
 * public unicast. IPv4 inside IPv6 (mapped, NAT64, 6to4, Teredo) is a disguise and refused as such, whatever it hides.
 */
export function refusalOf(address: string): string | null {
  if (isIP(address) === 0) return 'not an address'
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range !== 'unicast') return range
  if (PLATFORM.has(parsed.toString())) return 'platform'
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return 'reserved'
  return null
}
