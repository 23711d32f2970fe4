import type { Socket } from 'node:net'
import nodemailer from 'nodemailer'
import type { Mailer } from '../../ports/mailer.ts'
import { type BoundedSocket, connectBounded } from './bounded-socket.ts'

interface Server {
  readonly host?: string | undefined
  readonly port?: number | string | undefined
  readonly secure?: boolean | undefined
}

interface Opened {
  readonly connection: Socket
}

/** Sends mail over SMTP. */
export interface SmtpMailer extends Mailer {
  /** Connects, with TLS and a login as for a mail, and sends nothing. @throws what a mail would fail with */
  verify(): Promise<void>
}

/** Without a packet of the server, and to connect. */
const TIMEOUT_MS = 15_000
/** For a mail, with its wait for a connection. */
const DEADLINE_MS = 120_000
/** The bytes that a connection may receive suffice for these. */
const MAILS_PER_CONNECTION = 50

/**
 * Sends mail over SMTP with a small connection pool. A mail server that sends without end fails the mail.
 * @param smtpUrl `smtp://` or `smtps://`, with user and password if the server requires them
 * @param from `Name <mail@host>` or `mail@host`
 * @param requireTls whether a mail fails when the server does not offer TLS
 */
export function createSmtpMailer(
  smtpUrl: string,
  from: string,
  requireTls: boolean,
  { deadlineMs = DEADLINE_MS }: { deadlineMs?: number } = {},
): SmtpMailer {
  const connecting = new Set<BoundedSocket>()

  function connect(host: string, port: number): Promise<BoundedSocket> {
    const socket = connectBounded(host, port)
    connecting.add(socket)
    socket.setTimeout(TIMEOUT_MS)
    socket.once('timeout', () => socket.destroy(new Error('the mail server does not respond')))
    return new Promise<BoundedSocket>((resolve, reject) => {
      socket.once('connect', () => {
        socket.removeListener('error', reject)
        socket.removeAllListeners('timeout')
        resolve(socket)
      })
      socket.once('error', reject)
    }).finally(() => connecting.delete(socket))
  }

  const transport = nodemailer.createTransport(
    {
      url: smtpUrl,
      requireTLS: requireTls,
      pool: true,
      maxConnections: 4,
      maxMessages: MAILS_PER_CONNECTION,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket({ host = 'localhost', port, secure }: Server, done: (error: Error | null, opened?: Opened) => void) {
        connect(host, Number(port) || (secure ? 465 : 587)).then(
          // Nodemailer needs no more of a socket than this one has.
          socket => done(null, { connection: socket as unknown as Socket }),
          done,
        )
      },
    },
    { from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
  return {
    async send({ to, subject, text }) {
      const signal = AbortSignal.timeout(deadlineMs)
      try {
        await transport.sendMail({ to: { name: '', address: to }, subject, text, signal })
      } catch (error) {
        if (!signal.aborted) throw error
        throw new Error(`the mail was not sent within ${deadlineMs} ms`, { cause: error })
      }
    },
    async verify() {
      await transport.verify()
    },
    close() {
      for (const socket of connecting) socket.destroy(new Error('the service stops'))
      transport.close()
    },
  }
}
