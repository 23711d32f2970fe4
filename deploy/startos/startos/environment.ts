/** The settings of zatgate on StartOS. This file imports nothing, so that tests check it with zatgate's own parser. */

/** Where zatgate's files are in its container. */
export const PATHS = { data: '/data', secrets: '/secrets', encryptionKey: '/secrets/encryption_key' } as const

/** The user of the image. */
export const USER = 'node'

export const HEALTH_PORT = 3001

/** Two servers, so that one can fail. */
export const DEFAULT_CHAIN_SERVERS = 'https://zec.rocks:443,https://eu.zec.rocks:443'

/** A mail server; `username` is empty when it asks for none. */
export interface MailServer {
  readonly host: string
  readonly port: number
  readonly from: string
  readonly username: string
  readonly password: string | null | undefined
  /** `tls`: from the first byte; `starttls`: after the greeting. */
  readonly security: 'tls' | 'starttls'
}

export interface Choices {
  readonly network: 'main' | 'test'
  /** URLs separated by commas. */
  readonly chainServers: string
  /** An https URL; empty until the owner chooses it. */
  readonly publicUrl: string
  /** Null: mails stay in the mailbox of this server. */
  readonly mail: MailServer | null
}

/** The environment of zatgate, for the service and for its commands. */
export function environmentOf({ network, chainServers, publicUrl, mail }: Choices): Record<string, string> {
  return {
    NETWORK: network,
    LIGHTWALLETD_URL: chainServers,
    ENCRYPTION_KEY_FILE: PATHS.encryptionKey,
    DATA_DIR: PATHS.data,
    HOST: '0.0.0.0',
    PORT: '3000',
    HEALTH_PORT: String(HEALTH_PORT),
    ...(publicUrl !== '' && { PUBLIC_URL: publicUrl }),
    // The proxy of StartOS, which adds TLS, is on this bridge.
    TRUST_PROXY: '10.0.3.0/24',
    REGISTRATION: 'closed',
    // All accounts are the owner's.
    PLANS_FILE: '/app/deploy/plans/unlimited.json',
    // A shop on the same server is at a private address. Only the owner opens accounts.
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_FORMAT: 'json',
    ...mailEnvironment(mail),
  }
}

function mailEnvironment(mail: MailServer | null): Record<string, string> {
  if (mail === null) return { SMTP_URL: 'smtp://127.0.0.1:1025', MAIL_FROM: 'zatgate@localhost' }
  const { host, port, username, password, security, from } = mail
  const credentials = username === '' ? '' : `${encodeURIComponent(username)}:${encodeURIComponent(password ?? '')}@`
  return { SMTP_URL: `${security === 'tls' ? 'smtps' : 'smtp'}://${credentials}${host}:${port}`, MAIL_FROM: from }
}
