import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { createSmtpMailer } from '../../../src/adapters/smtp/mailer.ts'
import { makeCertificate } from '../../harness/certificate.ts'

const MAIL = { to: 'merchant@example.org', subject: 'code', text: '123456' }
/** Received by the operating system but not read by the client when it closes the connection. */
const KERNEL_BUFFER_BYTES = 8 * 1024 * 1024

interface Options {
  readonly deadlineMs?: number
  /** The server speaks TLS from the beginning. */
  readonly secure?: boolean
}

/** Sends a mail to a server that answers EHLO with `respond`. */
async function send(t: TestContext, respond: (socket: Socket) => void, { secure = false, ...options }: Options = {}) {
  const closed = Promise.withResolvers<void>()
  let sentBytes = 0
  const serve = (socket: Socket) => {
    socket.on('error', () => {})
    socket.on('close', () => {
      sentBytes = socket.bytesWritten
      closed.resolve()
    })
    socket.write('220 mail.example.org ESMTP\r\n')
    socket.once('data', () => respond(socket))
  }
  const server = secure ? tls.createServer(makeCertificate('localhost'), serve) : net.createServer(serve)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = secure ? `smtps://127.0.0.1:${port}?tls.rejectUnauthorized=false` : `smtp://127.0.0.1:${port}`
  const mailer = createSmtpMailer(url, 'shop@example.org', false, options)
  t.after(() => {
    mailer.close()
    server.close()
  })
  const error: Error | null = await mailer.send(MAIL).then(
    () => null,
    error => error,
  )
  await closed.promise
  return { error, sentBytes }
}

/** Writes the same bytes as long as the client reads them. */
function endlessly(socket: Socket, text: string): void {
  const bytes = Buffer.from(text)
  const write = () => {
    while (!socket.destroyed && socket.bytesWritten < 1e9 && socket.write(bytes));
  }
  socket.on('drain', write)
  write()
}

for (const [what, text, secure] of [
  ['reply lines', '250-SIZE\r\n'.repeat(5_000), false],
  ['text without a line end', 'x'.repeat(50_000), false],
  ['empty lines', '\n'.repeat(50_000), false],
  ['empty lines over TLS', '\n'.repeat(50_000), true],
  ['short lines of a reply', '0-\n'.repeat(20_000), false],
] as const)
  test(`a mail server of endless ${what} fails the mail, and its connection is closed`, async t => {
    const { error, sentBytes } = await send(t, socket => endlessly(socket, text), { secure })
    assert.match(String(error?.message), /the mail server sent more than 131072 bytes/)
    assert.ok(sentBytes < KERNEL_BUFFER_BYTES, `${sentBytes} bytes were taken`)
  })

for (const scheme of ['smtp', 'smtps'])
  test(`${scheme}: hundreds of mails are sent over TLS, 50 on a connection`, async t => {
    let mails = 0
    let connections = 0
    const server = new SMTPServer({
      ...makeCertificate('localhost'),
      secure: scheme === 'smtps',
      authOptional: true,
      disabledCommands: ['AUTH'],
      onConnect: (_session, done) => {
        connections++
        done()
      },
      onData: (stream, _session, done) => {
        mails++
        stream.resume().on('end', () => done())
      },
    })
    server.on('error', () => {})
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.server.address() as AddressInfo
    const url = `${scheme}://127.0.0.1:${port}?tls.rejectUnauthorized=false`
    const mailer = createSmtpMailer(url, 'shop@example.org', true)
    t.after(() => {
      mailer.close()
      server.close()
    })
    for (let sent = 0; sent < 150; sent++) await mailer.send(MAIL)
    assert.deepEqual([mails, connections], [150, 3])
  })

test('a mail server of endless small packets fails the mail, and its connection is closed', async t => {
  const { error } = await send(t, socket => {
    socket.setNoDelay(true)
    const write = () => socket.destroyed || socket.write('2', () => setImmediate(write))
    write()
  })
  assert.match(String(error?.message), /the mail server sent too many small packets/)
})

test('a mail server that never ends its reply, however slowly it sends, fails the mail in time', async t => {
  const { error } = await send(t, socket => socket.write('250-'), { deadlineMs: 50 })
  assert.match(String(error?.message), /not sent within/)
})
