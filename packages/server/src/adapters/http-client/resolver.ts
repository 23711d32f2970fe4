import { lookup, Resolver } from 'node:dns/promises'

/** Returns all addresses of a host name. @throws if it has none */
export type ResolveName = (name: string) => Promise<readonly string[]>

/**
 * Queries the DNS servers directly and ignores the hosts file. It avoids `getaddrinfo`, whose thread pool four names with
 * unresponsive DNS servers would block for the whole process.
 */
export function dnsResolver(): ResolveName {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  return async name => {
    const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = results.flatMap(result => (result.status === 'fulfilled' ? result.value : []))
    if (addresses.length === 0)
      throw results.find(result => result.status === 'rejected')?.reason ?? new Error('the name has no address')
    return addresses
  }
}

/** Resolves with the operating system, including the hosts file: for development. */
export const systemResolver: ResolveName = async name => {
  const addresses = await lookup(name, { all: true })
  return addresses.map(({ address }) => address)
}
