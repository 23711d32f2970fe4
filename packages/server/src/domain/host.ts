import { isIP } from 'node:net'

/** `[::1]` → `::1`: URLs put IPv6 addresses in brackets, sockets do not. Names and IPv4 addresses stay as they are. */
export function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** Whether connections of this process to the host stay on this machine. A private network is not this machine. */
export function isLoopback(host: string): boolean {
  const name = unbracketed(host)
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/**
 * Whether a browser takes the host of a URL for its own machine, where http counts as secure (W3C Secure Contexts, section
 * 3.1). Subdomains of localhost are included: a browser resolves them itself, whereas this process may ask the DNS.
 */
export function isLoopbackInBrowser(hostname: string): boolean {
  return isLoopback(hostname) || hostname.endsWith('.localhost')
}
