import { statSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import type { Config } from '../../config/settings.ts'
import { acceptsAnyServer, databaseTls } from '../../config/transport.ts'
import { isLoopback, isLoopbackInBrowser } from '../../domain/host.ts'
import type { Finding } from './doctor-finding.ts'

/** Readable or writable by users other than the owner. */
const OTHERS = 0o077
/** Prefixes of the ranges that TRUST_PROXY can have without a warning. */
const MIN_IPV4_BITS = 16
const MIN_IPV6_BITS = 48

/**
 * Settings that work and may weaken the service.
 * @param userId of this process; 0 is root, null where the system has none
 */
export function checkSettings(config: Config, userId: number | null): Finding[] {
  const found: Finding[] = []
  const warn = (says: string, advice: string) => found.push({ check: 'settings', state: 'warning', says, advice })
  if (userId === 0) warn('zatgate runs as root', 'run it as a separate user')
  if (isOpenToOthers(config.dataDir))
    warn(`other users of this machine can enter DATA_DIR ${config.dataDir}`, `chmod 700 ${config.dataDir}`)
  if (config.sandbox) return found
  if (databaseTls(config.databaseUrl) === 'disabled')
    warn(
      'DATABASE_URL has sslmode=disable: its data travel unencrypted',
      'use sslmode=verify-full, unless the network is private',
    )
  if (acceptsAnyServer(config.databaseUrl))
    warn(
      'DATABASE_URL has sslmode=require: the server shows no certificate that is checked, so another one can answer',
      'use sslmode=verify-full, with sslrootcert=<file> for an authority of your own',
    )
  if (config.mail && !config.mail.requireTls && !isLoopback(new URL(config.mail.smtpUrl).hostname))
    warn(
      'SMTP_URL does not require TLS: sign-in codes may travel unencrypted',
      'remove requireTLS and ignoreTLS from the URL, or use smtps://',
    )
  if (config.registration === 'open' && config.network === 'main')
    warn('REGISTRATION is open: everyone can open an account', 'set REGISTRATION=closed; use zatgate account create')
  if (config.network === 'main' && config.lightwalletdUrls.length === 1)
    warn(
      'LIGHTWALLETD_URL has one server: payments wait while it is away, and its view of the chain is not compared',
      'add a second server of another operator, separated by a comma',
    )
  if (config.roles.includes('api')) warnOfAddresses(config, warn)
  return found
}

function warnOfAddresses({ publicUrl, trustProxy, host }: Config, warn: (says: string, advice: string) => void): void {
  if (publicUrl === null)
    warn(
      'PUBLIC_URL is not set: links in pages and mails lead to the listen address',
      'set PUBLIC_URL to the https:// URL of the proxy',
    )
  else if (publicUrl.startsWith('http:') && !isLoopbackInBrowser(new URL(publicUrl).hostname))
    warn('PUBLIC_URL is not https: session tokens travel unencrypted', 'run zatgate behind a proxy with TLS')
  if (publicUrl !== null && trustProxy === false)
    warn(
      'TRUST_PROXY is not set: behind a proxy, all clients share the limits of one address',
      'set TRUST_PROXY to the addresses of the proxies',
    )
  const wide = Array.isArray(trustProxy) ? trustProxy.filter(isWide) : []
  if (wide.length > 0)
    warn(
      `TRUST_PROXY contains ${wide.join(' and ')}: every machine in it can claim any client address`,
      'set TRUST_PROXY to the addresses of the proxies alone',
    )
  if (typeof trustProxy === 'number' && !isLoopback(host))
    warn(
      `TRUST_PROXY is a number and HOST is ${host}: a client that reaches this address directly can claim any address`,
      'set TRUST_PROXY to the addresses of the proxies, or HOST to 127.0.0.1',
    )
}

/** Whether a range has more addresses than one host has containers. */
function isWide(range: string): boolean {
  const [address = '', bits] = range.split('/')
  return bits !== undefined && Number(bits) < (isIPv4(address) ? MIN_IPV4_BITS : MIN_IPV6_BITS)
}

function isOpenToOthers(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode
  return mode !== undefined && (mode & OTHERS) !== 0
}
