import ipaddr from 'ipaddr.js'

/** The address prefix that identifies one client: the IPv4 address, or the /64 of an IPv6 address. */
export function clientPrefix(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map(part => part.toString(16))
  return `${network.join(':')}/64`
}
