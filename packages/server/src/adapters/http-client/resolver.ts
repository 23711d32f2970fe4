import { lookup, Resolver } from 'node:dns/promises'

/** All addresses of a name. @throws when it has none */
export type Resolve = (name: string) => Promise<readonly string[]>

/**
 * Asks the name servers directly, off the thread pool of getaddrinfo: four names whose servers keep silent would block
 * that for everyone. The hosts file has no say.
 */
export function publicNames(): Resolve {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  return async name => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw answers.find(answer => answer.status === 'rejected')?.reason ?? new Error('none')
    return addresses
  }
}

/** As the operating system sees it, hosts file included: `localhost` and the names of a development machine. */
export const systemNames: Resolve = async name => {
  const addresses = await lookup(name, { all: true })
  return addresses.map(({ address }) => address)
}
