import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { LOOPBACK, listen } from '../http/listen.ts'
import { readMail } from './mail-text.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** the first number of exactly six digits in the text */
  readonly code?: string
}

const MAX_MAILS = 1000
const MAX_MAIL_BYTES = 1024 * 1024

/** An SMTP server that delivers nothing and keeps the last 1,000 mails, one for each recipient. */
export class Mailbox {
  readonly url: string
  readonly #server: SMTPServer
  readonly #mails: Mail[]

  private constructor(server: SMTPServer, mails: Mail[], port: number) {
    this.#server = server
    this.#mails = mails
    this.url = `smtp://${LOOPBACK}:${port}`
  }

  /** Starts a server; port 0 takes a free one. */
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
    // A client that breaks off is no matter of ours; without a listener it would end the process.
    const boundPort = await listen(server.server, port)
    server.on('error', () => undefined)
    return new Mailbox(server, mails, boundPort)
  }

  /** Newest first; `to` takes one recipient's. */
  mails(to?: string): Mail[] {
    const wanted = to?.toLowerCase()
    return this.#mails.filter(mail => wanted === undefined || mail.to.toLowerCase() === wanted).reverse()
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#server.close(resolve))
  }
}

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession, mails: Mail[]): Promise<void> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= MAX_MAIL_BYTES) chunks.push(chunk)
  }
  if (length > MAX_MAIL_BYTES) throw new Error('this mail is over 1 MiB')
  const { subject, text } = readMail(Buffer.concat(chunks))
  const code = /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0]
  for (const { address } of session.envelope.rcptTo) {
    mails.push({ to: address, subject, text, ...(code !== undefined && { code }) })
  }
  mails.splice(0, Math.max(mails.length - MAX_MAILS, 0))
}
