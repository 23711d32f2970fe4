import { isLoopback } from '../domain/host.ts'

/** Whether a mail server must offer TLS: unless it is on this machine, or its URL says otherwise. */
export function requiresTls(smtpUrl: string): boolean {
  const url = URL.parse(smtpUrl)
  if (!url) return true
  const isRefused = url.searchParams.get('requireTLS') === 'false' || url.searchParams.get('ignoreTLS') === 'true'
  return !isRefused && (url.protocol === 'smtps:' || !isLoopback(url.hostname))
}

const TLS_MODES = ['verify-full', 'verify-ca', 'require']
const SSL_MODES = [...TLS_MODES, 'disable']

/** Why the options of a PostgreSQL URL cannot mean what they mean to libpq: the form that is right; null when they can. */
export function databaseUrlProblem(databaseUrl: string): string | null {
  const options = new URLSearchParams(databaseUrl.split('?', 2)[1])
  const modes = options.getAll('sslmode')
  const [mode = null] = modes
  const root = options.get('sslrootcert')
  if (/^[^/]*\/\/[^/?]*,/.test(databaseUrl) || options.get('host')?.includes(','))
    return 'a URL with one host: for several use a proxy, or the name that your provider moves at a fail-over'
  if (options.has('ssl')) return 'a URL with sslmode instead of ssl'
  if (modes.length > 1) return 'a URL with one sslmode'
  if (mode === 'prefer' || mode === 'allow')
    return `a URL without sslmode=${mode}, which goes on without TLS wherever it is refused: use verify-full, require or disable`
  if (mode !== null && !SSL_MODES.includes(mode)) return `a URL whose sslmode is one of ${SSL_MODES.join(', ')}`
  if (root === 'system') return 'a URL without sslrootcert=system: verify-full alone trusts the public authorities'
  if (mode === 'verify-ca' && !root)
    return 'a URL with sslrootcert=<file> beside sslmode=verify-ca, or with sslmode=verify-full'
  return null
}

/** Whether the connection to the database is encrypted without a check of the server. */
export function acceptsAnyServer(databaseUrl: string): boolean {
  const options = new URLSearchParams(databaseUrl.split('?', 2)[1])
  return options.get('sslmode') === 'require' && !options.get('sslrootcert')
}

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
