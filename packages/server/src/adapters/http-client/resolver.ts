import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Returns all addresses of a host name. @throws if it has none */
export type ResolveName = (name: string) => Promise<readonly string[]>

/** Once one family has an answer, the other one has this long: its server may be slow or not answer at all. */
const OTHER_FAMILY_MS = 300

/**
 * Queries the DNS servers directly and ignores the hosts file. It avoids `getaddrinfo`, whose thread pool four names with
 * unresponsive DNS servers would block for the whole process. Like it, it follows changes of the system's servers, and
 * one family of addresses is enough.
 *
 * @param servers read for each name. Default: the system's
 */
export function dnsResolver(servers?: () => readonly string[]): ResolveName {
  return async name => {
    const resolver = new Resolver({ timeout: 1_500, tries: 2 })
    if (servers) resolver.setServers(servers())
    const families = [resolver.resolve4(name), resolver.resolve6(name)]
    const first = await Promise.any(families).catch(({ errors }: AggregateError) => {
      throw errors[0] ?? new Error('the name has no address')
    })
    const others = families.map(family => Promise.race([family, sleep(OTHER_FAMILY_MS, first)]).catch(() => []))
    const addresses = [...new Set((await Promise.all(others)).flat())]
    resolver.cancel()
    return addresses
  }
}

/** Resolves with the operating system, including the hosts file: for development. */
export const systemResolver: ResolveName = async name => {
  const addresses = await lookup(name, { all: true })
  return addresses.map(({ address }) => address)
}
