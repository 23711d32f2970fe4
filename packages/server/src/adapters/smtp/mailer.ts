import nodemailer from 'nodemailer'
import type { Mailer } from '../../ports/mailer.ts'

const TIMEOUT_MS = 15_000

/**
 * Sends mail over SMTP with a small connection pool.
 * @param smtpUrl `smtp://` or `smtps://`, with user and password if the server requires them
 * @param from `Name <mail@host>` or `mail@host`
 * @param requireTls whether a mail fails when the server does not offer TLS
 */
export function createSmtpMailer(smtpUrl: string, from: string, requireTls: boolean): Mailer {
  const transport = nodemailer.createTransport(
    {
      url: smtpUrl,
      requireTLS: requireTls,
      pool: true,
      maxConnections: 4,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      dnsTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
  return {
    async send({ to, subject, text }) {
      await transport.sendMail({ to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}
