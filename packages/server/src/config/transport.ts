import { isIPv4 } from 'node:net'

/** Whether connections to this host stay on this machine. A private network is not this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

/** Whether a mail server must offer TLS: unless it is on this machine, or its URL says otherwise. */
export function requiresTls(smtpUrl: string): boolean {
  const url = URL.parse(smtpUrl)
  if (!url) return true
  const isRefused = url.searchParams.get('requireTLS') === 'false' || url.searchParams.get('ignoreTLS') === 'true'
  return !isRefused && (url.protocol === 'smtps:' || !isLoopback(url.hostname))
}

const TLS_MODES = ['verify-full', 'verify-ca', 'require']

/** How a connection to the database is protected. `undecided`: it leaves this machine, and its URL does not say how. */
export function databaseTls(databaseUrl: string): 'local' | 'tls' | 'disabled' | 'undecided' {
  const url = URL.parse(databaseUrl)
  if (!url || url.protocol === 'sqlite:') return 'local'
  const hosts = [decodeURIComponent(url.hostname), ...url.searchParams.getAll('host')].filter(host => host !== '')
  const modes = url.searchParams.getAll('sslmode')
  if (hosts.every(host => host.startsWith('/') || isLoopback(host))) return 'local'
  if (modes.length === 1 && modes[0] === 'disable') return 'disabled'
  return modes.length === 1 && TLS_MODES.includes(modes[0] as string) ? 'tls' : 'undecided'
}
