import ipaddr from 'ipaddr.js'

/** The address prefix that identifies one client: the IPv4 address, or the /64 of an IPv6 address. */
export function clientPrefix(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map(part => part.toString(16))
  return `${network.join(':')}/64`
}

/**
 * The network of a client as the audit log keeps it: the /24 of an IPv4 address or the /48 of an IPv6 address. It tells
 * providers and places apart, but no household.
 */
export function clientNetwork(address: string): string | null {
  if (!ipaddr.isValid(address)) return null
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets.slice(0, 3).join('.')}.0/24`
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 3).map(part => part.toString(16))
  return `${parts.join(':')}::/48`
}
