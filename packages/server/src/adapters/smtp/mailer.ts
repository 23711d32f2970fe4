import nodemailer from 'nodemailer'
import type { Mailer } from '../../ports.ts'

const PATIENCE_MS = 15_000

/**
 * Sends over SMTP, on a few connections that are kept for a while.
 * @param smtpUrl `smtp://` or `smtps://`, with user and password where the server asks for them
 * @param from `Name <mail@host>` or `mail@host`
 */
export function createMailer(smtpUrl: string, from: string): Mailer {
  const transport = nodemailer.createTransport(
    {
      url: smtpUrl,
      pool: true,
      maxConnections: 4,
      connectionTimeout: PATIENCE_MS,
      greetingTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
      dnsTimeout: PATIENCE_MS,
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
