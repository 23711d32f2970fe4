import { domainToASCII } from 'node:url'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { LOOPBACK, listen } from '../http/listen.ts'
import { readBytes } from '../http/read-bytes.ts'
import { parseMail } from './mail-parser.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** the first six-digit number in the text */
  readonly code?: string
}

const MAX_MAILS = 1000
const MAX_MAIL_BYTES = 1024 * 1024

/** An SMTP server that stores the last 1,000 mails and delivers none. A mail to several recipients is stored once for each. */
export class Mailbox {
  readonly url: string
  readonly #server: SMTPServer
  readonly #mails: Mail[]

  private constructor(server: SMTPServer, mails: Mail[], port: number) {
    this.#server = server
    this.#mails = mails
    this.url = `smtp://${LOOPBACK}:${port}`
  }

  /** Starts a server; port 0 selects a free port. */
  static async start(port = 0): Promise<Mailbox> {
    const mails: Mail[] = []
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      size: MAX_MAIL_BYTES,
      closeTimeout: 100,
      onData: (stream, session, done) => {
        receive(stream, session, mails).then(() => done(), done)
      },
    })
    // Without a listener, the error of a client that disconnects would end the process.
    const boundPort = await listen(server.server, port)
    server.on('error', () => undefined)
    return new Mailbox(server, mails, boundPort)
  }

  /** Stored mails, newest first; `to` selects one recipient. */
  mails(to?: string): Mail[] {
    const recipient = to === undefined ? undefined : withAsciiDomain(to).toLowerCase()
    return this.#mails.filter(mail => recipient === undefined || mail.to.toLowerCase() === recipient).reverse()
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#server.close(resolve))
  }
}

/** The server gives domains in Unicode, whatever the client has sent. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1
  return address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at))
}

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession, mails: Mail[]): Promise<void> {
  const { bytes, truncated } = await readBytes(stream, MAX_MAIL_BYTES)
  if (truncated) throw new Error('mail is over 1 MiB')
  const { subject, text } = parseMail(bytes)
  const code = /(?<!\d)(?:\d{6}|\d{10})(?!\d)/.exec(text)?.[0]
  for (const { address } of session.envelope.rcptTo) {
    mails.push({ to: withAsciiDomain(address), subject, text, ...(code !== undefined && { code }) })
  }
  mails.splice(0, Math.max(mails.length - MAX_MAILS, 0))
}
