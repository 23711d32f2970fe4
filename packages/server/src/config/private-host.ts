import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { unbracketed } from '../domain/host.ts'

const PRIVATE_RANGES: readonly string[] = ['loopback', 'private', 'linkLocal', 'uniqueLocal']

/**
 * Whether the host of a URL is on this machine or in its private network: by a private address, or by a name that public
 * DNS does not have (`localhost`, a single label, `.local`, `.internal`). Names are not resolved.
 */
export function isPrivateHost({ hostname }: URL): boolean {
  const address = unbracketed(hostname)
  if (isIP(address) !== 0) return PRIVATE_RANGES.includes(ipaddr.process(address).range())
  const name = hostname.replace(/\.$/, '')
  return !name.includes('.') || /\.(localhost|local|internal)$/.test(name)
}
