import { BlockList, isIP } from 'node:net'

/** Loopback, RFC 1918, link-local and unique local addresses. */
const PRIVATE_ADDRESSES = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  PRIVATE_ADDRESSES.addSubnet(network, bits)
PRIVATE_ADDRESSES.addAddress('::1', 'ipv6')
PRIVATE_ADDRESSES.addSubnet('fc00::', 7, 'ipv6')
PRIVATE_ADDRESSES.addSubnet('fe80::', 10, 'ipv6')

/**
 * Whether the host of a URL is on this machine or in its private network: by a private address, or by a name that public
 * DNS does not have (`localhost`, a single label, `.local`, `.internal`). Names are not resolved.
 */
export function isPrivateHost({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  const version = isIP(address)
  if (version !== 0) return PRIVATE_ADDRESSES.check(address, version === 6 ? 'ipv6' : 'ipv4')
  const name = hostname.replace(/\.$/, '')
  return !name.includes('.') || /\.(localhost|local|internal)$/.test(name)
}
